#pragma once

#include "console.h"
#include "input_lines.h"
#include "step_report.h"

#include "steps/step_pause.h"

#include <chrono>
#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// The lines of a script of stepping commands, without comments (#) and empty lines. Throws Failure
/// (ExitUsage) at the first line that is no command, with its number.
[[nodiscard]] std::vector<std::string> readStepScript(const std::string& file, std::string_view text);

/// Lets a person or a script step through a call. Shows each pause and reads commands from the script, or
/// from stdin, which need not be a terminal. After the last command the call continues without pauses.
class StepDebugger {
public:
    struct Options {
        std::vector<steps::StepBreakpoint> breakpoints;
        /// Nothing: commands come from stdin.
        std::optional<std::vector<std::string>> script;
        /// Keep everything for `entries` instead of showing it.
        bool json = false;
    };
    StepDebugger(Console& console, Options options, std::stop_token stop);

    /// Shows the pause and obeys commands until one of them answers it.
    [[nodiscard]] steps::StepAnswer ask(const steps::StepPause& pause);
    [[nodiscard]] const std::vector<steps::StepBreakpoint>& breakpoints() const { return m_breakpoints; }
    /// Whether a person ended the call.
    [[nodiscard]] bool quit() const { return m_quit; }
    /// One per command.
    [[nodiscard]] const std::vector<StepEntry>& entries() const { return m_entries; }

private:
    void show(const steps::StepPause& pause);
    [[nodiscard]] steps::StepAnswer command(const steps::StepPause& pause);
    [[nodiscard]] std::optional<std::string> nextLine();
    [[nodiscard]] std::optional<steps::StepAnswer> obey(const std::string& line,
                                                        const steps::StepPause& pause);
    void look(std::string_view word, const std::string& rest, const steps::StepPause& pause);
    void addBreakpoint(const std::string& spec);
    void say(std::string_view text);
    void answered(const std::string& command, StepResult result);

    Console& m_console;
    std::vector<steps::StepBreakpoint> m_breakpoints;
    bool m_isScript;
    bool m_keepsJson;
    std::deque<std::string> m_script;
    InputLines m_lines;
    std::string m_lastStep;
    /// The command that led to the current pause.
    std::string m_command;
    /// When the command was entered.
    std::chrono::steady_clock::time_point m_answered = std::chrono::steady_clock::now();
    bool m_quit = false;
    std::vector<StepEntry> m_entries;
};

} // namespace aotscope::cli
