#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// A function in an open file, and PyTorch's graph for it if the file has one.
struct RetraceTarget {
    /// Dynamo's graph, or a golden file's pre-dispatch graph. Nothing if the file has none, for example in
    /// logs of AOTAutograd without Dynamo (`aot_function`).
    std::optional<ArtifactReference> program;
    /// PyTorch's joint or inference graph.
    std::optional<ArtifactReference> logged;
    /// The record of the logged ViewAndMutationMeta; in a golden file it is found by name.
    std::optional<load::RecordId> metadata;
    /// Set for a log; invalid for a graph file.
    load::CompileIndex compile = {};
    /// "0/0" in a log, "units/0" in a golden file, else the graph's name.
    std::string name;
    /// The record of the logged code of the wrappers (torch 2.15).
    std::optional<load::RecordId> wrapperSources = {};
    friend bool operator==(const RetraceTarget&, const RetraceTarget&) = default;
};

} // namespace aotscope::session
