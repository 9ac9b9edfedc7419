#pragma once

#include "failure.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// The library that reads command lines is seen by command_line.cpp alone: compiling it takes seconds.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace aotscope::cli {

/// Takes the text of an option; returns what is wrong with it, or nothing.
using TakeText = std::function<std::optional<base::Error>(const std::string&)>;
/// Takes all texts of a repeatable option; returns what is wrong with one, or nothing.
using TakeTexts = std::function<std::optional<base::Error>(const std::vector<std::string>&)>;

/// What an option sets or calls. Its type decides what the option accepts (text, numbers; one or many of
/// them) and what --help says of that. Variables must outlive the reading of the command line.
using OptionTarget =
    std::variant<std::string*, std::filesystem::path*, std::uint64_t*, double*, std::optional<std::uint64_t>*,
                 std::optional<double>*, std::vector<std::string>*, std::vector<std::filesystem::path>*,
                 TakeText, TakeTexts>;

/// An option, a flag or a positional argument that a command has. Copies mean the same one.
class Option {
public:
    explicit Option(CLI::Option& option) : m_option(&option) {}

    /// It needs the other option on the same command line.
    void needs(Option other) const;
    /// It and the other option exclude each other.
    void excludes(Option other) const;

private:
    CLI::Option* m_option;
};

/// What the values of an option must be, how often it can be there, and what --help shows of it.
struct OptionRules {
    /// The command line must have it.
    bool required = false;
    /// Its values must be among these.
    std::vector<std::string> oneOf = {};
    /// Its value must be a number from the first to the second. --help names the bounds and their type.
    std::variant<std::monostate, std::pair<int, int>, std::pair<std::uint64_t, std::uint64_t>,
                 std::pair<double, double>>
        between = {};
    bool notNegative = false;
    /// Its value is a number of bytes that may have a unit: 200kB, 1MiB.
    bool asBytes = false;
    /// The option is repeatable, and all its values count.
    bool takeAll = false;
    /// Each occurrence takes one value; the next word is another argument.
    bool oneValueEach = false;
    /// One argument can hold several values with this character between them.
    char separatedBy = '\0';
    std::vector<Option> needs = {};
    std::vector<Option> excludes = {};
    /// --help shows the value that its variable has now.
    bool showDefault = false;
    /// --help shows this text as its default.
    std::string shownDefault = {};
};

/// A command of the program, a command of a command, or the program itself. Copies mean the same one.
class Command {
public:
    explicit Command(CLI::App& command) : m_command(&command) {}

    /// `help` is what --help says of it.
    Command addCommand(const std::string& name, const std::string& help) const;
    /// One of its commands must be named.
    void requireCommand() const;
    /// What --help says at its end.
    void setFooter(const std::string& text) const;
    /// Is called if the command is named and the whole command line is right.
    void onCall(std::function<void()> call) const;

    /// `names`: "--output", "-o,--output", or for a positional argument "FILE".
    Option addOption(const std::string& names, const OptionTarget& target, const std::string& help,
                     const OptionRules& rules = {}) const;
    /// An option without a value, which makes a variable true.
    Option addFlag(const std::string& names, bool* value, const std::string& help,
                   const OptionRules& rules = {}) const;
    /// An option without a value, which calls a function.
    Option addFlag(const std::string& names, std::function<void()> call, const std::string& help) const;

private:
    CLI::App* m_command;
};

/// The command line of a program that has commands: one of them must be named. Options of the program itself
/// may come behind a command too.
class CommandLine {
public:
    /// `name`: of the program, `help`: what --help says of it, `footer`: the end of every --help, unless a
    /// command has its own footer.
    CommandLine(const std::string& name, const std::string& help, const std::string& footer);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// What commands and the options of the program are added to.
    [[nodiscard]] Command program() const;
    /// Adds --version, which prints `text`.
    void addVersion(const std::string& text);
    /// What --help prints.
    [[nodiscard]] std::string help() const;
    /// Reads the arguments, sets and calls what options and commands are bound to, and returns nothing. If
    /// the arguments are wrong, or ask for --help or --version, prints that and returns the exit code.
    [[nodiscard]] std::optional<ExitCode> read(int argc, const char* const* argv);

private:
    std::unique_ptr<CLI::App> m_program;
};

} // namespace aotscope::cli
