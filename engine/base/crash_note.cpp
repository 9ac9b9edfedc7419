#include "base/crash_note.h"

#include "base/write_all.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace aotscope::base {

namespace {

constexpr std::string_view mark = "aotscope: a signal came while it ran ";

/// Plain memory, because a signal handler reads it.
std::array<char, 512> running{};
std::atomic<std::size_t> runningLength = 0;
std::atomic<bool> tells = false;

void tellAndEnd(int signal) {
    const std::size_t length = runningLength.load(std::memory_order_relaxed);
    if (length > 0) {
        writeAll(STDERR_FILENO, "\n");
        writeAll(STDERR_FILENO, mark);
        writeAll(STDERR_FILENO, {running.data(), length});
        writeAll(STDERR_FILENO, "\n");
    }
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

} // namespace

void noteRunning(std::string_view what) {
    const std::size_t length = std::min(what.size(), running.size());
    runningLength.store(0, std::memory_order_relaxed);
    std::memcpy(running.data(), what.data(), length);
    std::replace(running.begin(), running.begin() + static_cast<std::ptrdiff_t>(length), '\n', ' ');
    runningLength.store(length, std::memory_order_relaxed);
}

void tellWhatRanOnCrash() {
    // A separate stack for the signal handler: after a stack overflow the thread's stack has no room.
    static std::array<char, 65536> stack;
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    (void)::sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_handler = tellAndEnd;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        (void)::sigaction(signal, &action, nullptr);
    }
    tells = true;
}

bool mayCrash() {
    return tells;
}

std::optional<std::string> ranOnCrash(std::string_view lastWords) {
    const std::size_t found = lastWords.rfind(mark);
    if (found == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = lastWords.substr(found + mark.size());
    return std::string(rest.substr(0, rest.find('\n')));
}

} // namespace aotscope::base
