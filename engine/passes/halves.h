#pragma once

#include "passes/extract_graph.h"
#include "passes/joint_program.h"

#include "base/result.h"

#include <vector>

namespace aotscope::passes {

/// The two halves before their nodes are ordered, and the values saved between them.
struct Halves {
    ExtractedGraph forward;
    ExtractedGraph backward;
    /// Tensors that autograd's version check skips come last.
    std::vector<Index> savedTensors;
    /// First the nodes that bind a symbol which the backward needs, then other symbolic numbers.
    std::vector<Index> savedSymbols;
};

/// Cuts a joint graph at these values. A value that the backward does not use in the end is not saved; every
/// symbol in a saved shape is. Follows torch 2.11, torch/_functorch/partitioners.py:
/// _extract_fwd_bwd_modules. Errors: passes.invalid_output.
[[nodiscard]] base::Result<Halves> extractHalves(const JointProgram& program, std::vector<Index> savedTensors,
                                                 std::vector<Index> savedSymbols,
                                                 const PartitionOptions& options);

} // namespace aotscope::passes
