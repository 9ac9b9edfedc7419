#pragma once

#include "contract/hook_errors.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <memory>

namespace aotscope::torch {

class MeasuredStep;

/// Answers HookErrorsCall. Without hooks forward and backward run once, and the backward's values
/// are kept if there is memory for them; a hook then computes again only what its tensor reaches. Between
/// requests about one step the run and what was measured of each hook are kept as well, if they are small, so
/// that after a change only changed hooks are run. Used by one thread at a time.
class HookMeasurer {
public:
    HookMeasurer();
    ~HookMeasurer();
    HookMeasurer(const HookMeasurer&) = delete;
    HookMeasurer& operator=(const HookMeasurer&) = delete;

    [[nodiscard]] base::Result<session::HookErrors> measure(const session::HookErrorsCall& call,
                                                            base::Progress progress);

private:
    /// Null: nothing is kept.
    std::unique_ptr<MeasuredStep> m_step;
    /// What it takes.
    std::int64_t m_bytes = 0;
};

} // namespace aotscope::torch
