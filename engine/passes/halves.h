#pragma once

#include "passes/extract_graph.h"
#include "passes/joint_program.h"

#include "base/result.h"

#include <vector>

namespace aotscope::passes {

/// The two halves before their nodes are put in order, and what is finally saved between them.
struct Halves {
    ExtractedGraph forward;
    ExtractedGraph backward;
    /// Tensors; those without version check last.
    std::vector<Index> savedTensors;
    /// Symbols the backward needs bound, then other symbolic numbers.
    std::vector<Index> savedSymbols;
};

/// Cuts a joint graph at the given values (_extract_fwd_bwd_modules): what the backward turns out not to use
/// is not saved, and every symbol in a saved shape is.
[[nodiscard]] base::Result<Halves> extractHalves(const JointProgram& program, std::vector<Index> savedTensors,
                                                 std::vector<Index> savedSymbols,
                                                 const PartitionOptions& options);

} // namespace aotscope::passes
