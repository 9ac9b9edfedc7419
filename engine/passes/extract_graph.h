#pragma once

#include "passes/joint_program.h"

#include "base/result.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace aotscope::passes {

enum class Half : std::uint8_t { Forward, Backward };

/// A part of a joint graph: the nodes that are its inputs, the nodes that it computes, and what it returns.
struct ExtractedGraph {
    std::vector<Index> inputs;
    std::vector<Index> nodes;
    /// `nodes` before dead code was eliminated: the names of dead nodes stay taken.
    std::vector<Index> copied;
    /// Position in a JointProgram, or a constant.
    std::vector<ReturnedValue> returned;
};

/// Removes the nodes that no later node of the half reads and that it does not return, but for those for
/// which `stays` holds.
void removeUnused(const JointProgram& program, ExtractedGraph& half, const std::function<bool(Index)>& stays);

/// The names that are taken in a new graph of the half, in order: those of dead nodes too.
[[nodiscard]] std::vector<std::string> namesGivenIn(const JointProgram& program, const ExtractedGraph& half);

/// The nodes that compute `outputs` from `inputs`, without dead code. Follows torch 2.11,
/// torch/_functorch/partitioners.py: _extract_graph_with_inputs_outputs.
/// Errors: passes.invalid_output (an output cannot be computed from the inputs).
[[nodiscard]] base::Result<ExtractedGraph> extractGraph(const JointProgram& program,
                                                        std::span<const Index> inputs,
                                                        std::span<const ReturnedValue> outputs, Half half,
                                                        bool keepUnusedRandom);

} // namespace aotscope::passes
