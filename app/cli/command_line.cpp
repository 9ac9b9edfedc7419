#include "command_line.h"

#include "console.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <iostream>
#include <utility>

namespace aotscope::cli {

namespace {

/// Adds an option to a command, according to the type of its target.
struct AddOption {
    CLI::App& command;
    const std::string& names;
    const std::string& help;

    template<typename Value>
    CLI::Option* operator()(Value* value) const {
        return command.add_option(names, *value, help);
    }
    CLI::Option* operator()(const TakeText& take) const {
        const auto taken = [take, name = names](const std::string& text) {
            if (const std::optional<base::Error> wrong = take(text)) {
                throw CLI::ValidationError(name, wrong->message + " " + wrong->hint);
            }
        };
        return command.add_option_function<std::string>(names, taken, help);
    }
    CLI::Option* operator()(const TakeTexts& take) const {
        const auto taken = [take, name = names](const std::vector<std::string>& texts) {
            if (const std::optional<base::Error> wrong = take(texts)) {
                throw CLI::ValidationError(name, wrong->message + " " + wrong->hint);
            }
        };
        return command.add_option_function<std::vector<std::string>>(names, taken, help);
    }
    CLI::Option* operator()(const TakeNumber& take) const {
        return command.add_option_function<std::uint64_t>(names, take, help);
    }
};

} // namespace

Option Option::required() const {
    m_option->required();
    return *this;
}

Option Option::needs(Option other) const {
    m_option->needs(other.m_option);
    return *this;
}

Option Option::excludes(Option other) const {
    m_option->excludes(other.m_option);
    return *this;
}

Option Option::oneOf(const std::vector<std::string>& values) const {
    m_option->check(CLI::IsMember(values));
    return *this;
}

Option Option::between(int least, int most) const {
    m_option->check(CLI::Range(least, most));
    return *this;
}

Option Option::between(std::uint64_t least, std::uint64_t most) const {
    m_option->check(CLI::Range(least, most));
    return *this;
}

Option Option::between(double least, double most) const {
    m_option->check(CLI::Range(least, most));
    return *this;
}

Option Option::notNegative() const {
    m_option->check(CLI::NonNegativeNumber);
    return *this;
}

Option Option::asBytes() const {
    m_option->transform(CLI::AsSizeValue(/*kb_is_1000=*/true));
    return *this;
}

Option Option::takeAll() const {
    m_option->take_all();
    return *this;
}

Option Option::oneValueEach() const {
    m_option->allow_extra_args(false);
    return *this;
}

Option Option::separatedBy(char separator) const {
    m_option->delimiter(separator);
    return *this;
}

Option Option::showDefault() const {
    m_option->capture_default_str();
    return *this;
}

Option Option::showDefault(const std::string& text) const {
    m_option->default_str(text);
    return *this;
}

Command Command::addCommand(const std::string& name, const std::string& help) const {
    return Command(*m_command->add_subcommand(name, help));
}

void Command::requireCommand() const {
    m_command->require_subcommand(1);
}

void Command::setFooter(const std::string& text) const {
    m_command->footer(text);
}

void Command::onCall(std::function<void()> call) const {
    m_command->callback(std::move(call));
}

Option Command::addOption(const std::string& names, const OptionTarget& target,
                          const std::string& help) const {
    return Option(*std::visit(AddOption{*m_command, names, help}, target));
}

Option Command::addFlag(const std::string& names, bool* value, const std::string& help) const {
    return Option(*m_command->add_flag(names, *value, help));
}

Option Command::addFlag(const std::string& names, std::function<void()> call, const std::string& help) const {
    return Option(*m_command->add_flag_callback(names, std::move(call), help));
}

CommandLine::CommandLine(const std::string& name, const std::string& help, const std::string& footer)
    : m_program(std::make_unique<CLI::App>(help, name)) {
    // Commands take these over when they are added.
    m_program->require_subcommand(1);
    m_program->fallthrough();
    m_program->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() const {
    return Command(*m_program);
}

void CommandLine::addVersion(const std::string& text) {
    m_program->set_version_flag("--version", text);
}

std::string CommandLine::help() const {
    return m_program->help();
}

std::optional<ExitCode> CommandLine::read(int argc, const char* const* argv) {
    try {
        m_program->parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::RequiredError& error) {
        const auto unknown = m_program->remaining();
        if (!unknown.empty()) {
            std::cerr << "There is no command \"" << printable(unknown.front()) << "\"; see "
                      << m_program->get_name() << " --help.\n";
            return ExitUsage;
        }
        m_program->exit(error, std::cout, std::cerr);
        return ExitUsage;
    } catch (const CLI::ParseError& error) {
        return m_program->exit(error, std::cout, std::cerr) == 0 ? ExitYes : ExitUsage;
    }
}

} // namespace aotscope::cli
