#pragma once

#include "program.h"
#include "selection.h"

#include "memory/memory_profile.h"

#include <optional>
#include <string>
#include <vector>

/// Compiles without gradients: they have an inference graph and no joint graph. Nothing is saved for a
/// backward there and nothing computed again, so that what `budget` and `why` can say of one is its memory.
namespace aotscope::cli {

/// The inference graphs of a compile in file order. A graph file with one graph that is no joint graph stands
/// for itself.
[[nodiscard]] std::vector<session::ArtifactReference> inferenceGraphs(const CompileChoice& choice);

struct InferenceGraph {
    /// As `titleOf` writes it.
    std::string title;
    ir::GraphPtr graph;
    memory::MemoryProfile profile;
};
/// The last inference graph of a compile, which is the one that runs; nothing where there is none. Throws
/// Failure where it cannot be read.
[[nodiscard]] std::optional<InferenceGraph> readInferenceGraph(Program& program, const CompileChoice& choice);

} // namespace aotscope::cli
