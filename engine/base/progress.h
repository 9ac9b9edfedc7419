#pragma once

#include "base/describe.h"
#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace aotscope::base {

/// The progress of a command: a stage in words, and `done` of `total` (0: unknown) units of that stage.
struct ProgressState {
    std::string stage;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::string detail;
    /// The command is blocked until the user answers.
    bool waits = false;
};
AOTSCOPE_MEMBERS(ProgressState, stage, done, total, detail, waits)

/// Passed to every long function: reports progress, at most every 33 ms, and tells whether a stop was
/// requested. Cheap enough to call once per node. Not thread-safe; copyable.
class Progress {
public:
    using Sink = std::function<void(const ProgressState&)>;

    /// Reports to nobody and is never stopped.
    Progress() = default;
    Progress(Sink sink, std::stop_token stop) : m_sink(std::move(sink)), m_stop(std::move(stop)) {}

    void report(std::string_view stage, std::uint64_t done, std::uint64_t total,
                std::string_view detail = {});
    [[nodiscard]] bool stopRequested() const { return m_stop.stop_requested(); }
    /// Error: session.canceled, once a stop was requested.
    [[nodiscard]] Result<void> checkStop() const {
        return stopRequested() ? Result<void>(canceledError()) : Result<void>();
    }
    [[nodiscard]] std::stop_token stopToken() const { return m_stop; }

private:
    Sink m_sink;
    std::stop_token m_stop;
    std::chrono::steady_clock::time_point m_last{};
    std::string m_lastStage;
};

} // namespace aotscope::base
