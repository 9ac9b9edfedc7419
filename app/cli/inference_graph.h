#pragma once

#include "program.h"
#include "selection.h"

#include "memory/memory_profile.h"

#include <optional>
#include <string>
#include <vector>

/// Compiles without gradients have an inference graph and no joint graph. Nothing is saved or recomputed
/// there, so `budget` and `why` can only report its memory.
namespace aotscope::cli {

/// The inference graphs of a compile in file order. In a graph file with a single graph that is not a joint
/// graph: that graph.
[[nodiscard]] std::vector<session::ArtifactReference> inferenceGraphs(const CompileChoice& choice);

struct InferenceGraph {
    /// From `titleOf`.
    std::string title;
    ir::GraphPtr graph;
    memory::MemoryProfile profile;
};
/// The last inference graph of a compile, which is the one that runs; nothing if there is none. Throws
/// Failure if it cannot be read.
[[nodiscard]] std::optional<InferenceGraph> readInferenceGraph(Program& program, const CompileChoice& choice);

} // namespace aotscope::cli
