#pragma once

#include "fake/shape_environment.h"
#include "trace/traced_program.h"

#include "aot/input_aliases.h"

#include <cstddef>
#include <vector>

/// What AOTAutograd's wrappers do before the trace, carried out on fake tensors: aot/input_aliases.h decides
/// it.
namespace aotscope::torch {

/// The inputs as the decision looks at them.
[[nodiscard]] std::vector<aot::TracedArgument> describeArguments(const std::vector<TracedInput>& inputs);

/// `remove_dupe_args`, and where nothing is removed the duplicates as tensors of their own.
[[nodiscard]] std::vector<TracedInput> dedupedInputs(const std::vector<TracedInput>& inputs,
                                                     const aot::AOTDedupeWrapper& wrapper);
/// `add_dupe_args` in front of the program.
[[nodiscard]] TracedProgram withDuplicates(TracedProgram program, const aot::AOTDedupeWrapper& wrapper);

/// Bases first, then the inputs that are left, in order.
[[nodiscard]] std::vector<TracedInput> inputsWithBases(const std::vector<TracedInput>& inputs,
                                                       const aot::AOTSyntheticBaseWrapper& wrapper,
                                                       ShapeEnvironment& environment);
/// A program of the bases (`_unpack_synthetic_bases`): views them as the inputs, and returns behind the
/// program's outputs those whose sizes or strides it changed.
[[nodiscard]] TracedProgram viewedOnBases(TracedProgram program, const aot::AOTSyntheticBaseWrapper& wrapper,
                                          const std::vector<TracedInput>& inputs);
/// What is said of the bases' mutations: what held for every input that a base stands for
/// (`create_synthetic_base_metadata`).
void describeBases(const aot::AOTSyntheticBaseWrapper& wrapper, ir::ViewAndMutationMeta& meta);

/// Positions after a wrapper of inputs that it hands on; those that a base stands for are left out.
[[nodiscard]] std::vector<std::size_t> movedIndices(const std::vector<std::size_t>& indices,
                                                    const aot::AOTSyntheticBaseWrapper& wrapper);
[[nodiscard]] std::vector<std::size_t> movedIndices(const std::vector<std::size_t>& indices,
                                                    const aot::AOTDedupeWrapper& wrapper);

} // namespace aotscope::torch
