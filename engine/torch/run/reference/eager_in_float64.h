#pragma once

#include "run/execution/operator_watch.h"
#include "run/state/float64_copy.h"

namespace aotscope::torch {

/// Makes a program that is called with float64 tensors compute in float64 throughout: what it converts to a
/// narrower float, or makes as one, stays float64. A program whose operators have no such form fails, or
/// takes values for bits that are others.
class EagerInFloat64 final : public OperatorWatch {
public:
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override;

private:
    Float64Default m_default;
};

} // namespace aotscope::torch
