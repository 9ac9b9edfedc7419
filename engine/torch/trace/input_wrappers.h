#pragma once

#include "fake/shape_environment.h"
#include "trace/traced_program.h"

#include "aot/input_aliases.h"

#include <cstddef>
#include <vector>

/// The compile-time part of AOTAutograd's input wrappers, applied to fake tensors; aot/input_aliases.h makes
/// the decisions. Follows torch 2.11, torch/_functorch/_aot_autograd/runtime_wrappers.py: AOTDedupeWrapper,
/// AOTSyntheticBaseWrapper.
namespace aotscope::torch {

/// Describes the inputs for aot::dedupeArguments and aot::mergeViewInputs.
[[nodiscard]] std::vector<aot::TracedArgument> describeArguments(const std::vector<TracedInput>& inputs);

/// Removes duplicates (`remove_dupe_args`); a wrapper that removes nothing makes each duplicate a separate
/// tensor.
[[nodiscard]] std::vector<TracedInput> dedupedInputs(const std::vector<TracedInput>& inputs,
                                                     const aot::AOTDedupeWrapper& wrapper);
/// The program behind `add_dupe_args`: it takes the deduplicated inputs.
[[nodiscard]] TracedProgram withDuplicates(TracedProgram program, const aot::AOTDedupeWrapper& wrapper);

/// The synthetic bases, then the remaining inputs in order.
[[nodiscard]] std::vector<TracedInput> inputsWithBases(const std::vector<TracedInput>& inputs,
                                                       const aot::AOTSyntheticBaseWrapper& wrapper,
                                                       ShapeEnvironment& environment);
/// A program that takes synthetic bases (`_unpack_synthetic_bases`). It creates the inputs as views of them,
/// and returns the inputs with changed sizes or strides after the outputs.
[[nodiscard]] TracedProgram viewedOnBases(TracedProgram program, const aot::AOTSyntheticBaseWrapper& wrapper,
                                          const std::vector<TracedInput>& inputs);
/// Corrects the mutation flags of the bases: a base has a flag when all of its inputs had it
/// (input_output_analysis.py: create_synthetic_base_metadata).
void describeBases(const aot::AOTSyntheticBaseWrapper& wrapper, ir::ViewAndMutationMeta& meta);

/// The positions of inputs after a wrapper; inputs that a base replaces are left out.
[[nodiscard]] std::vector<std::size_t> movedIndices(const std::vector<std::size_t>& indices,
                                                    const aot::AOTSyntheticBaseWrapper& wrapper);
[[nodiscard]] std::vector<std::size_t> movedIndices(const std::vector<std::size_t>& indices,
                                                    const aot::AOTDedupeWrapper& wrapper);

} // namespace aotscope::torch
