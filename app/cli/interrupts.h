#pragma once

#include <stop_token>
#include <thread>

namespace aotscope::cli {

/// Turns the first Ctrl+C (SIGINT) or SIGTERM into a stop request while it lives; a second one ends the
/// process at once. One at a time.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    [[nodiscard]] std::stop_token stopToken() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    int m_readEnd = -1;
    std::jthread m_thread;
};

} // namespace aotscope::cli
