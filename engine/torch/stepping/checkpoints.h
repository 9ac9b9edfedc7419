#pragma once

#include "stepping/frame_checkpoint.h"

#include "steps/checkpoint_plan.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// The checkpoints of a call: states inside of its graphs' runs, from which a later passage continues instead
/// of recomputing what comes before.
class Checkpoints {
public:
    /// `isOthers`: storages that the caller keeps anyway, which do not count.
    Checkpoints(std::int64_t limit, std::function<bool(const c10::StorageImpl*)> isOthers)
        : m_plan(limit, spacing), m_isOthers(std::move(isOthers)) {}

    /// Whether there is room for one at that event.
    [[nodiscard]] bool wants(std::size_t event) const { return m_plan.wants(event); }
    [[nodiscard]] bool has(std::size_t run, std::size_t event) const { return m_all.contains({run, event}); }
    /// `run` counts the graphs' runs in the call. `isEnd`: nothing of the graph is left to run.
    void add(std::size_t run, std::size_t event, FrameCheckpoint checkpoint, bool isEnd);
    /// The last one of that run that is not behind `event`, and its event; null: none.
    [[nodiscard]] std::pair<const FrameCheckpoint*, std::size_t> lastOf(std::size_t run,
                                                                        std::size_t event) const;
    /// Whether one lies behind `from` and not behind `to`.
    [[nodiscard]] bool anyBetween(std::size_t from, std::size_t to) const;
    /// Copies what checkpoints keep of a storage that is about to be written to.
    void beforeWrite(const c10::Storage& storage);

    [[nodiscard]] const steps::CheckpointPlan& plan() const { return m_plan; }

private:
    /// Computing that many nodes again is hardly felt.
    static constexpr std::size_t spacing = 16;
    void drop(const std::vector<std::size_t>& events);

    steps::CheckpointPlan m_plan;
    std::function<bool(const c10::StorageImpl*)> m_isOthers;
    /// By run and event.
    std::map<std::pair<std::size_t, std::size_t>, FrameCheckpoint> m_all;
};

} // namespace aotscope::torch
