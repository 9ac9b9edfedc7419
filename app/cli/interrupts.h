#pragma once

#include <stop_token>
#include <thread>

namespace aotscope::cli {

/// While an object exists, the first Ctrl+C (SIGINT) or SIGTERM becomes a stop request; a second one ends the
/// process at once. At most one object may exist at a time.
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
