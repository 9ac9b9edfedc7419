#pragma once

#include "failure.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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
/// Takes the number of an option.
using TakeNumber = std::function<void(std::uint64_t)>;

/// What an option sets or calls. Its type decides what the option accepts (text, numbers; one or many of
/// them) and what --help says of that. Variables must outlive the reading of the command line.
using OptionTarget =
    std::variant<std::string*, std::filesystem::path*, std::uint64_t*, double*, std::optional<std::uint64_t>*,
                 std::optional<double>*, std::vector<std::string>*, std::vector<std::filesystem::path>*,
                 TakeText, TakeTexts, TakeNumber>;

/// An option, a flag or a positional argument that a command has. Copies mean the same one. Every function
/// returns it again, so that calls can follow one another.
class Option {
public:
    explicit Option(CLI::Option& option) : m_option(&option) {}

    /// The command line must have it.
    Option required() const;
    /// It needs the other option on the same command line.
    Option needs(Option other) const;
    /// It and the other option exclude each other.
    Option excludes(Option other) const;

    /// Its values must be among these.
    Option oneOf(const std::vector<std::string>& values) const;
    /// Its value must be a number from `least` to `most`. --help names the bounds and their type.
    Option between(int least, int most) const;
    Option between(std::uint64_t least, std::uint64_t most) const;
    Option between(double least, double most) const;
    Option notNegative() const;
    /// Its value is a number of bytes that may have a unit: 200kB, 1MiB.
    Option asBytes() const;

    /// The option is repeatable, and all its values count.
    Option takeAll() const;
    /// Each occurrence takes one value; the next word is another argument.
    Option oneValueEach() const;
    /// One argument can hold several values with this character between them.
    Option separatedBy(char separator) const;

    /// --help shows the value that its variable has now.
    Option showDefault() const;
    /// --help shows this text as its default.
    Option showDefault(const std::string& text) const;

private:
    CLI::Option* m_option;
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
    Option addOption(const std::string& names, const OptionTarget& target, const std::string& help) const;
    /// An option without a value, which makes a variable true.
    Option addFlag(const std::string& names, bool* value, const std::string& help) const;
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
