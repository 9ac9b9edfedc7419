#include "interrupts.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace aotscope::cli {

namespace {

/// Global, because a signal handler cannot reach an object.
std::atomic<int> writeEnd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onSignal(int number) {
    const int saved = errno;
    const char byte = 's';
    [[maybe_unused]] const auto written = ::write(writeEnd.load(), &byte, 1);
    // A second signal ends the process.
    std::signal(number, SIG_DFL);
    errno = saved;
}

} // namespace

Interrupts::Interrupts() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    m_readEnd = ends[0];
    writeEnd = ends[1];
    m_thread = std::jthread([this] {
        char byte = 0;
        while (true) {
            const auto count = ::read(m_readEnd, &byte, 1);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count == 1 && byte == 's') {
                m_stop.request_stop();
                continue;
            }
            return;
        }
    });
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
}

Interrupts::~Interrupts() {
    if (m_readEnd < 0) {
        return;
    }
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    const char byte = 'q';
    [[maybe_unused]] const auto written = ::write(writeEnd.load(), &byte, 1);
    m_thread.join();
    ::close(writeEnd.exchange(-1));
    ::close(m_readEnd);
}

} // namespace aotscope::cli
