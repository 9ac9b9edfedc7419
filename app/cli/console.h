#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// Writes results to stdout or a file, and messages and progress to stderr. Output of libraries goes to
/// stderr too.
class Console {
public:
    explicit Console(bool quiet);

    /// Writes a result to stdout; on a terminal it goes through printable() first. Throws Failure if writing
    /// fails (a full disk). A closed pipe ends the process silently, as for any filter.
    void result(std::string_view text);
    /// Writes a whole result to `file`; to stdout if it is empty or "-".
    void resultTo(const std::filesystem::path& file, std::string_view text);
    /// A message for people; not printed with --quiet.
    void message(std::string_view text);
    /// One for each text, with `before` at its begin.
    void messages(std::string_view before, const std::vector<std::string>& texts);
    /// A second result beside the one on stdout, such as printed passes: to stderr, also with --quiet.
    void besideResult(std::string_view text);
    void error(const base::Error& error);

    /// Updates one progress line, if stderr is a terminal.
    void showProgress(const base::ProgressState& state);
    void clearProgress();
    void flush();

    [[nodiscard]] static bool resultIsTerminal();

private:
    bool m_quiet;
    bool m_showsProgress;
    bool m_progressShown = false;
};

/// Width of the terminal in columns; 0 if results do not go to a terminal.
[[nodiscard]] std::size_t resultWidth();

/// Makes log text safe for a terminal: control characters become "?", invalid UTF-8 "\uFFFD".
[[nodiscard]] std::string printable(std::string_view text, bool keepLines = false);

} // namespace aotscope::cli
