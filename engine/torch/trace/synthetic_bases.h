#pragma once

#include "fake/shape_environment.h"
#include "trace/traced_program.h"

#include <functional>
#include <optional>
#include <vector>

namespace aotscope::torch {

/// Inputs that alias each other, replaced by what they are views of.
struct MergedInputs {
    /// Bases first, then the inputs that are left, in order.
    std::vector<TracedInput> inputs;
    /// The original arguments from the new ones: views of the bases by `as_strided`.
    std::function<std::vector<c10::IValue>(std::vector<c10::IValue>)> unpack;
    /// Where an original input is among the new ones; nothing when a base stands for it.
    std::vector<std::optional<std::size_t>> newIndex;
};

/// Synthetic bases (`merge_view_inputs`): where inputs share memory and one of them is mutated,
/// functionalization can only see the mutation through one tensor they all are views of. Nothing when no
/// inputs need it. Throws RunFailure (trace.alias) for what PyTorch refuses: views that autograd does not
/// relate, views of other dtypes.
[[nodiscard]] std::optional<MergedInputs> mergeViewInputs(const std::vector<TracedInput>& inputs,
                                                          const ir::ViewAndMutationMeta& meta, bool inference,
                                                          ShapeEnvironment& environment);

} // namespace aotscope::torch
