#pragma once

#include "console.h"
#include "input_lines.h"

#include "contract/trace_pause.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Lets a person inspect and step a paused trace. Shows each pause and reads commands from stdin, which need
/// not be a terminal. At the end of the input the trace continues without pauses.
class TraceDebugger {
public:
    /// `toMessages`: write to stderr, because stdout carries machine-readable results.
    TraceDebugger(Console& console, std::vector<session::Breakpoint> breakpoints, bool toMessages,
                  std::stop_token stop)
        : m_console(console),
          m_breakpoints(std::move(breakpoints)),
          m_toMessages(toMessages),
          m_lines(std::move(stop)) {}

    /// Shows the pause and reads commands until one of them answers it.
    [[nodiscard]] session::PauseAnswer ask(const session::TracePause& pause);
    /// The initial breakpoints with later changes.
    [[nodiscard]] const std::vector<session::Breakpoint>& breakpoints() const { return m_breakpoints; }
    /// Whether a person ended the trace.
    [[nodiscard]] bool quit() const { return m_quit; }

private:
    void say(const std::string& text);
    void show(const session::TracePause& pause);
    [[nodiscard]] std::optional<session::PauseAnswer> obey(const std::string& line,
                                                           const session::TracePause& pause);
    void addBreakpoint(const std::string& place);
    [[nodiscard]] session::PauseAnswer answer(session::PauseAnswer::Kind kind, std::string fact = {}) const;

    Console& m_console;
    std::vector<session::Breakpoint> m_breakpoints;
    bool m_toMessages;
    InputLines m_lines;
    std::string m_lastPartition;
    bool m_quit = false;
};

} // namespace aotscope::cli
