#include "console.h"

#include "failure.h"

#include "base/utf8.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace aotscope::cli {

namespace {

[[noreturn]] void outputFailed(const std::string& where, int number) {
    if (number == EPIPE) {
        // The reader closed the pipe. End like other filters do.
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    throw Failure(ExitUnreadable,
                  {.code = "cli.output", .message = "Cannot write " + where + ": " + std::strerror(number)});
}

/// A stream on standard output that only results go to. From the first call on, everything else that this
/// process writes to stdout (for example the operator aten._print) goes to stderr.
std::FILE* results() {
    static std::FILE* const stream = [] {
        const int own = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        std::FILE* const opened = own < 0 ? nullptr : ::fdopen(own, "w");
        if (opened == nullptr) {
            return stdout;
        }
        (void)::dup2(STDERR_FILENO, STDOUT_FILENO);
        return opened;
    }();
    return stream;
}

/// Line and paragraph separators, and marks that change the text direction.
bool turnsText(std::string_view character) {
    return (character >= "\u2028" && character <= "\u202E") ||
           (character >= "\u2066" && character <= "\u2069");
}

} // namespace

std::size_t resultWidth() {
    winsize size{};
    if (!Console::resultIsTerminal() || ::ioctl(::fileno(results()), TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

std::string printable(std::string_view text, bool keepLines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = base::firstCharacter(text).bytes;
        const auto first = static_cast<unsigned char>(text.front());
        const bool isLine = first == '\n' || first == '\t';
        const bool isControl = length == 1 && (first < 0x20 || first == 0x7F) && !(isLine && keepLines);
        // U+0080 to U+009F are control characters too.
        const bool isLateControl = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (isControl || isLateControl || (length == 3 && turnsText(text.substr(0, 3)))) {
            out += isLine ? ' ' : '?';
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

Console::Console(bool quiet) : m_quiet(quiet), m_showsProgress(!quiet && ::isatty(STDERR_FILENO) == 1) {
    (void)results();
}

bool Console::resultIsTerminal() {
    return ::isatty(::fileno(results())) == 1;
}

void Console::result(std::string_view text) {
    clearProgress();
    std::string safe;
    if (resultIsTerminal()) {
        safe = printable(text, true);
        text = safe;
    }
    if (std::fwrite(text.data(), 1, text.size(), results()) != text.size()) {
        outputFailed("to standard output", errno);
    }
}

void Console::flush() {
    clearProgress();
    if (std::fflush(results()) != 0) {
        outputFailed("to standard output", errno);
    }
}

void Console::resultTo(const std::filesystem::path& file, std::string_view text) {
    if (file.empty() || file == "-") {
        result(text);
        return;
    }
    errno = 0;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) {
        outputFailed(file.string(), errno == 0 ? EIO : errno);
    }
}

void Console::message(std::string_view text) {
    if (!m_quiet) {
        besideResult(text);
    }
}

void Console::messages(std::string_view before, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        message(std::string(before) + text);
    }
}

void Console::besideResult(std::string_view text) {
    clearProgress();
    const std::string safe = printable(text, true) + "\n";
    std::fputs(safe.c_str(), stderr);
}

void Console::error(const base::Error& error) {
    clearProgress();
    const std::string safe = printable(error.text(), true);
    std::fputs(safe.c_str(), stderr);
    if (!safe.ends_with('\n')) {
        std::fputc('\n', stderr);
    }
}

void Console::showProgress(const base::ProgressState& state) {
    if (!m_showsProgress) {
        return;
    }
    std::string line = state.stage;
    if (state.total > 0) {
        line += " " + std::to_string(state.done * 100 / state.total) + " %";
    }
    if (!state.detail.empty()) {
        line += " " + state.detail;
    }
    constexpr std::size_t widest = 78;
    line = printable(line).substr(0, widest);
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    m_progressShown = true;
}

void Console::clearProgress() {
    if (m_progressShown) {
        std::fputs("\r\033[K", stderr);
        m_progressShown = false;
    }
}

} // namespace aotscope::cli
