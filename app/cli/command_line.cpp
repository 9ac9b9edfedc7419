#include "command_line.h"

#include "console.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
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
    template<typename Texts>
    CLI::Option* operator()(const std::function<std::optional<base::Error>(const Texts&)>& take) const {
        const auto taken = [take, name = names](const Texts& texts) {
            if (const std::optional<base::Error> wrong = take(texts)) {
                throw CLI::ValidationError(name, wrong->message + " " + wrong->hint);
            }
        };
        return command.add_option_function<Texts>(names, taken, help);
    }
};

Option withRules(CLI::Option& option, const OptionRules& rules) {
    option.required(rules.required);
    if (!rules.oneOf.empty()) {
        option.check(CLI::IsMember(rules.oneOf));
    }
    const auto checkBounds = [&option](const auto& bounds) {
        if constexpr (requires { bounds.first; }) {
            option.check(CLI::Range(bounds.first, bounds.second));
        }
    };
    std::visit(checkBounds, rules.between);
    if (rules.notNegative) {
        option.check(CLI::NonNegativeNumber);
    }
    if (rules.asBytes) {
        option.transform(CLI::AsSizeValue(/*kb_is_1000=*/true));
    }
    if (rules.takeAll) {
        option.take_all();
    }
    if (rules.oneValueEach) {
        option.allow_extra_args(false);
    }
    if (rules.separatedBy != '\0') {
        option.delimiter(rules.separatedBy);
    }
    if (rules.showDefault) {
        option.capture_default_str();
    } else if (!rules.shownDefault.empty()) {
        option.default_str(rules.shownDefault);
    }
    const Option made(option);
    std::ranges::for_each(rules.needs, [&](Option other) { made.needs(other); });
    std::ranges::for_each(rules.excludes, [&](Option other) { made.excludes(other); });
    return made;
}

} // namespace

void Option::needs(Option other) const {
    m_option->needs(other.m_option);
}

void Option::excludes(Option other) const {
    m_option->excludes(other.m_option);
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

Option Command::addOption(const std::string& names, const OptionTarget& target, const std::string& help,
                          const OptionRules& rules) const {
    return withRules(*std::visit(AddOption{*m_command, names, help}, target), rules);
}

Option Command::addFlag(const std::string& names, bool* value, const std::string& help,
                        const OptionRules& rules) const {
    return withRules(*m_command->add_flag(names, *value, help), rules);
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
