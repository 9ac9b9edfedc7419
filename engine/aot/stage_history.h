#pragma once

#include "aot/pipeline.h"

#include <memory>
#include <span>
#include <vector>

namespace aotscope::aot {

/// A stage that an observer saw.
struct ObservedStage {
    StageKind stage = StageKind::Metadata;
    std::shared_ptr<const CompiledFunction> before;
    /// Null: the stage was left out or failed.
    std::shared_ptr<const CompiledFunction> after = nullptr;
};

/// An observer that keeps the input and output of each stage of a compile and never stops it. Graphs are
/// shared, so this costs little.
class StageHistory {
public:
    /// Must not outlive the history.
    [[nodiscard]] Observer observer();
    /// In the order in which they ran.
    [[nodiscard]] std::span<const ObservedStage> stages() const { return m_stages; }
    /// The last stage of that kind; null: none.
    [[nodiscard]] const ObservedStage* tryFind(StageKind stage) const;

private:
    std::vector<ObservedStage> m_stages;
};

} // namespace aotscope::aot
