#pragma once

#include "session/backend.h"
#include "session/reference.h"

#include "layout/layout.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

/// What a person can ask of the engine: plain values, so that they can be queued, logged and replayed.
namespace aotscope::session {

/// Reads files, or folders with one log per rank. Sends a LogSnapshot per file, first partial ones.
struct OpenLogs {
    std::vector<std::filesystem::path> paths;
    bool verifyPayloads = false;
};
/// Looks for what was appended to a log since it was read.
struct FollowLog {
    std::uint32_t log = 0;
};
struct CloseLog {
    std::uint32_t log = 0;
};
/// Parses, verifies and derives: GraphSnapshot.
struct LoadGraph {
    ArtifactReference graph;
};
/// LayoutSnapshot, without a layout where the graph could not be parsed.
struct LayOutGraph {
    ArtifactReference graph;
    layout::LayoutOptions options;
};
struct LoadPayload {
    std::uint32_t log = 0;
    load::RecordId record;
};
struct CompareGraphs {
    ArtifactReference left;
    ArtifactReference right;
};
struct RunGraph {
    ArtifactReference graph;
    RunOptions options;
};

using Command =
    std::variant<OpenLogs, FollowLog, CloseLog, LoadGraph, LayOutGraph, LoadPayload, CompareGraphs, RunGraph>;

/// "open", "layout", …: for progress and logs.
[[nodiscard]] std::string_view commandName(const Command& command);

} // namespace aotscope::session
