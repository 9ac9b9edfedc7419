#pragma once

#include "aot/pipeline.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace aotscope::aot {

/// A stage that an observer saw.
struct ObservedStage {
    StageKind stage = StageKind::Metadata;
    std::shared_ptr<const CompiledFunction> before;
    /// Null: the stage was left out or failed.
    std::shared_ptr<const CompiledFunction> after = nullptr;
    std::int64_t nanoseconds = 0;
};

/// Keeps what each stage of a compile got and made, without answering anything but GoOn. Graphs are shared,
/// so this costs little. Must outlive the pipeline's run.
class StageHistory {
public:
    [[nodiscard]] Observer observer();
    /// In the order in which they ran.
    [[nodiscard]] std::span<const ObservedStage> stages() const { return m_stages; }
    /// The last stage of that kind; null: none.
    [[nodiscard]] const ObservedStage* tryFind(StageKind stage) const;

private:
    void see(const Action& action);

    std::vector<ObservedStage> m_stages;
    std::int64_t m_began = 0;
};

} // namespace aotscope::aot
