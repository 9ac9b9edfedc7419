#pragma once

#include "session/backend.h"
#include "session/breakpoint.h"
#include "session/explore/partition_snapshot.h"
#include "session/reference.h"
#include "session/retrace_request.h"
#include "session/retrace_target.h"

#include "layout/layout.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What a person can ask of the engine: immutable values, so that they can be queued, logged and replayed.
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
    /// A graph that was traced here with its stages: where `graph` is one of them it is laid out with them
    /// all, so that what two stages share lies in one place. Otherwise by itself.
    std::optional<ArtifactReference> stagesOf = std::nullopt;
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

/// Runs a forward and its backward, to see what they hold and how long their nodes take: a
/// TrainingStepSnapshot. The backward's inputs are made up like the forward's, but in the sizes that the
/// forward found.
struct RunTrainingStep {
    ArtifactReference forward;
    ArtifactReference backward;
    RunOptions options;
};

/// Compiles functions of a log again: a RetraceSnapshot each, in order. One that cannot be traced is no error
/// of the command: its snapshot says why.
struct Retrace {
    std::uint32_t log = 0;
    /// As retraceTargets gives them; empty: every one of the log. The program may lie in another open file.
    std::vector<RetraceTarget> targets;
    RetraceOptions options;
    /// Where to pause, told as TracePausePtr; the trace then waits for Session::answerPause.
    std::vector<Breakpoint> breakpoints = {};
    bool pauseAtStart = false;
};

/// Splits a joint graph, logged or traced here, with a person's choices: a PartitionSnapshot.
struct PartitionJoint {
    ArtifactReference joint;
    PartitionChoices choices;
};
/// Splits it once per budget, `steps` + 1 of them evenly from 0 to 1: a BudgetSweepSnapshot. The choices'
/// own budget is not looked at.
struct SweepBudgets {
    ArtifactReference joint;
    PartitionChoices choices;
    std::size_t steps = 20;
};
/// Finds the cheapest way to treat one node differently: a NodeAlternativeSnapshot.
struct FindAlternative {
    ArtifactReference joint;
    PartitionChoices choices;
    std::string node;
};

/// Says of each box and edge of a picture what a partition does with it: a SplitMarksSnapshot. The picture is
/// of the partition's joint graph or of a half.
struct MarkSplit {
    /// What `picture` shows.
    ArtifactReference graph;
    /// LayoutSnapshot::number. Where nobody holds it any more the command ends as canceled.
    std::uint64_t picture = 0;
    ArtifactReference joint;
    PartitionChoices choices;
};

using CommandVariant =
    std::variant<OpenLogs, FollowLog, CloseLog, LoadGraph, LayOutGraph, LoadPayload, CompareGraphs, RunGraph,
                 RunTrainingStep, Retrace, PartitionJoint, SweepBudgets, FindAlternative, MarkSplit>;
/// A type of its own: how it is copied and destroyed is compiled once, not by every file that has one.
struct Command : CommandVariant {
    using CommandVariant::CommandVariant;
    Command();
    Command(const Command& other);
    Command(Command&& other) noexcept;
    Command& operator=(const Command& other);
    Command& operator=(Command&& other) noexcept;
    ~Command();
};

/// "open", "layout", …: for progress and logs.
[[nodiscard]] std::string_view commandName(const Command& command);

} // namespace aotscope::session
