#include "input_lines.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace aotscope::cli {

bool InputLines::fromTerminal() {
    return isatty(STDIN_FILENO) == 1;
}

/// False at the end of the input or when stopped.
bool InputLines::readMore() {
    constexpr int patience = 50;
    while (!m_stop.stop_requested()) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (poll(&input, 1, patience) <= 0) {
            continue;
        }
        std::array<char, 512> buffer{};
        const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got > 0) {
            m_pending.append(buffer.data(), static_cast<std::size_t>(got));
            return true;
        }
        if (got == 0 || errno != EINTR) {
            return false;
        }
    }
    return false;
}

std::optional<std::string> InputLines::next() {
    for (;;) {
        if (const std::size_t end = m_pending.find('\n'); end != std::string::npos) {
            std::string line = m_pending.substr(0, end);
            m_pending.erase(0, end + 1);
            return line;
        }
        if (m_ended || !readMore()) {
            m_ended = true;
            return m_pending.empty() ? std::nullopt : std::optional(std::exchange(m_pending, {}));
        }
    }
}

} // namespace aotscope::cli
