#pragma once

#include "passes/joint_program.h"

#include "base/result.h"

#include <span>
#include <vector>

namespace aotscope::passes {

enum class Half : std::uint8_t { Forward, Backward };

/// A part of a joint graph: which of its nodes are inputs, which are computed, in order, and what it returns.
struct ExtractedGraph {
    std::vector<Index> inputs;
    std::vector<Index> nodes;
    /// The same before dead nodes were left out: their names stay taken.
    std::vector<Index> copied;
    /// Position in a JointProgram, or a constant.
    std::vector<ReturnedValue> returned;
};

/// What computes `outputs` from `inputs`, dead nodes left out (_extract_graph_with_inputs_outputs).
/// Errors: passes.invalid_output.
[[nodiscard]] base::Result<ExtractedGraph> extractGraph(const JointProgram& program,
                                                        std::span<const Index> inputs,
                                                        std::span<const ReturnedValue> outputs, Half half,
                                                        bool keepUnusedRandom);

} // namespace aotscope::passes
