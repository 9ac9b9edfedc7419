#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace aotscope::cli {

/// Where a command's words go: results to stdout or a file, messages and progress to stderr, and there too
/// whatever a library prints.
class Console {
public:
    explicit Console(bool quiet);

    /// Writes a result to stdout; to a terminal made safe by printable(). Throws Failure when it cannot be
    /// written (a full disk); a closed pipe ends the process quietly, as of any filter.
    void result(std::string_view text);
    /// Writes a result whole to `file`; empty or "-": stdout.
    void resultTo(const std::filesystem::path& file, std::string_view text);
    /// For people; not with --quiet.
    void message(std::string_view text);
    void error(const base::Error& error);

    /// Shows one line that changes, where stderr is a terminal.
    void showProgress(const base::ProgressState& state);
    void clearProgress();
    void flush();

    [[nodiscard]] static bool resultIsTerminal();

private:
    bool m_quiet;
    bool m_showsProgress;
    bool m_progressShown = false;
};

/// Columns of the terminal that results go to; 0 where they go elsewhere.
[[nodiscard]] std::size_t resultWidth();

/// Text from a log, safe to show in a terminal: control characters become "?", invalid UTF-8 "\uFFFD".
[[nodiscard]] std::string printable(std::string_view text, bool keepLines = false);

} // namespace aotscope::cli
