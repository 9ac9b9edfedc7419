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
    /// The original inputs that each base stands for.
    std::vector<std::vector<std::size_t>> groups;
};

/// Synthetic bases (`merge_view_inputs`): where inputs share memory and one of them is mutated,
/// functionalization can only see the mutation through one tensor they all are views of. Nothing when no
/// inputs need it. Throws RunFailure (trace.alias) for what PyTorch refuses: views that autograd does not
/// relate, views of other dtypes.
[[nodiscard]] std::optional<MergedInputs> mergeViewInputs(const std::vector<TracedInput>& inputs,
                                                          const ir::ViewAndMutationMeta& meta, bool inference,
                                                          ShapeEnvironment& environment);

/// What is said of the bases' mutations: what held for every input that a base stands for
/// (`create_synthetic_base_metadata`), by `before`, the metadata of the original inputs.
void describeBases(const MergedInputs& merged, const std::vector<ir::InputAliasInfo>& before,
                   ir::ViewAndMutationMeta& meta);

} // namespace aotscope::torch
