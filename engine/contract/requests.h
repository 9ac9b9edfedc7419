#pragma once

#include "contract/backend.h"
#include "contract/breakpoint.h"
#include "contract/call_options.h"
#include "contract/hooks_snapshot.h"
#include "contract/kernel_build.h"
#include "contract/partition_snapshot.h"
#include "contract/reference.h"
#include "contract/rerun_request.h"
#include "contract/retrace_options.h"
#include "contract/retrace_target.h"

#include "layout/layout.h"
#include "steps/step_pause.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a person can ask of the engine, as immutable values that can be queued and logged. `name` is for
/// progress and logs; without a `lane` a command is in Reading.
namespace aotscope::session {

/// The commands of a lane are carried out one after the other, beside those of other lanes.
enum class CommandLane : std::uint8_t {
    /// A log must not be closed or read again while it is followed.
    Logs,
    Reading,
    Running,
    Tracing,
    Splitting,
    /// What computes for long.
    Sweeping,
    Count
};

/// Reads files, or folders with one log per rank. Sends partial LogSnapshots while it reads, then a complete
/// one per file.
struct OpenLogs {
    static constexpr std::string_view name = "open";
    static constexpr CommandLane lane = CommandLane::Logs;
    std::vector<std::filesystem::path> paths;
    bool verifyPayloads = false;
};
/// Reads what was appended to a log since it was read. Sends a LogSnapshot if anything was.
struct FollowLog {
    static constexpr std::string_view name = "follow";
    static constexpr CommandLane lane = CommandLane::Logs;
    std::uint32_t log = 0;
};
struct CloseLog {
    static constexpr std::string_view name = "close";
    static constexpr CommandLane lane = CommandLane::Logs;
    std::uint32_t log = 0;
};
/// Parses and verifies a graph. Sends a GraphSnapshot.
struct LoadGraph {
    static constexpr std::string_view name = "graph";
    ArtifactReference graph;
};
/// Sends a LayoutSnapshot; it has no layout if the graph could not be parsed.
struct LayOutGraph {
    static constexpr std::string_view name = "layout";
    ArtifactReference graph;
    layout::LayoutOptions options;
    /// A trace with stages. If `graph` is one of them, all stages are laid out together, so that common nodes
    /// keep their places. Otherwise the graph is laid out alone.
    std::optional<ArtifactReference> stagesOf = std::nullopt;
};
struct LoadPayload {
    static constexpr std::string_view name = "payload";
    std::uint32_t log = 0;
    load::RecordId record;
};
/// Splits the code that Inductor generated in a compile into kernels and links them with nodes and source
/// lines. Sends a GeneratedCodeSnapshot.
struct LoadGeneratedCode {
    static constexpr std::string_view name = "generated code";
    /// Log and compile; no artifact.
    ArtifactReference compile;
};
struct CompareGraphs {
    static constexpr std::string_view name = "compare";
    ArtifactReference left;
    ArtifactReference right;
};
struct RunGraph {
    static constexpr std::string_view name = "run";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference graph;
    RunOptions options;
};

/// Which part of a tensor is shown: a window in the plane of two dimensions, the others fixed.
struct ValueWindow {
    /// Among the tensors that the node returned.
    std::size_t output = 0;
    /// Nothing: the last two dimensions; a tensor with one dimension is a row.
    std::optional<std::size_t> rowDimension = std::nullopt;
    std::optional<std::size_t> columnDimension = std::nullopt;
    /// The index in each dimension; those of the plane are ignored, missing ones are 0, too large ones the
    /// last.
    std::vector<std::int64_t> fixed = {};
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 64;
    std::int64_t columns = 64;
    friend bool operator==(const ValueWindow&, const ValueWindow&) = default;
};

/// Shows a part of a node's value. Sends a ValueSnapshot. The graph runs again up to that node, unless the
/// last LoadValue was of the same node and run, so `run` has the seed, symbols and inputs of the run that is
/// shown.
struct LoadValue {
    static constexpr std::string_view name = "value";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference graph;
    std::string node;
    RunOptions run;
    ValueWindow window;
};

/// Runs a graph beside a reference in float64 to find the first node whose error its dtype does not explain.
/// Sends a ReferenceSnapshot.
struct CompareWithReference {
    static constexpr std::string_view name = "reference";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference graph;
    /// The graph that is right; nothing: the graph itself, so that kernels are checked.
    std::optional<ArtifactReference> against;
    RunOptions options;
};

/// Writes the fused kernels of a graph and compares each, and the graph run with all of them, with its own
/// operators. Sends a KernelCheckSnapshot.
struct CheckKernels {
    static constexpr std::string_view name = "check kernels";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference graph;
    RunOptions options;
};

/// Runs nodes again and again, with the inputs that they have in a run. Sends a RerunSnapshot.
struct RerunNodes : RerunChoice {
    static constexpr std::string_view name = "rerun";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference graph;
    /// The run that the inputs are from.
    RunOptions run;
    bool keepOutputs = false;
    /// See RerunRequest; needs only what rerunFromJson reads.
    std::optional<RerunResult> baseline;
};

/// Finds which nodes of a graph become one kernel each, and writes the kernels. Sends a KernelPlanSnapshot.
struct PlanKernels {
    static constexpr std::string_view name = "plan kernels";
    static constexpr CommandLane lane = CommandLane::Sweeping;
    ArtifactReference graph;
    ir::SymbolBindings symbols;
};

/// Compiles a kernel's text for a GPU. Sends a KernelBuildSnapshot. A text that the compiler refuses is no
/// error of the command; the snapshot has the messages.
struct BuildKernel {
    static constexpr std::string_view name = "build kernel";
    static constexpr CommandLane lane = CommandLane::Sweeping;
    KernelBuildRequest kernel;
};

/// Runs a forward and its backward to measure memory and time per node. Sends a TrainingStepSnapshot. The
/// backward's inputs are generated like the forward's, with the sizes that the forward computed.
struct RunTrainingStep {
    static constexpr std::string_view name = "run step";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference forward;
    ArtifactReference backward;
    RunOptions options;
};

/// Finds in an open profiler's trace the nodes of graphs of other open files. Sends a ProfileSnapshot.
struct MatchTimeline {
    static constexpr std::string_view name = "match";
    /// The trace.
    std::uint32_t log = 0;
    std::vector<ArtifactReference> graphs;
};

/// Compiles functions of a log again. Sends one RetraceSnapshot each, in order. A function that cannot be
/// traced is not an error of the command; its snapshot has the reason.
struct Retrace {
    static constexpr std::string_view name = "retrace";
    static constexpr CommandLane lane = CommandLane::Tracing;
    std::uint32_t log = 0;
    /// From retraceTargets; empty: all of the log. The program may be in another open file.
    std::vector<RetraceTarget> targets;
    RetraceOptions options;
    /// Where to pause. Sends a TracePausePtr; the trace then waits for Session::answerPause.
    std::vector<Breakpoint> breakpoints = {};
    bool pauseAtStart = false;
};

/// Compiles a function of a log, as Retrace does, partitions it, and calls it with real tensors. Sends the
/// RetraceSnapshot, then a CallSnapshot. A function that cannot be traced or called is not an error of the
/// command; the snapshots have the reason.
struct CallCompiled {
    static constexpr std::string_view name = "call";
    static constexpr CommandLane lane = CommandLane::Tracing;
    std::uint32_t log = 0;
    RetraceTarget target;
    RetraceOptions options;
    PartitionChoices choices;
    CallOptions call;
    /// Where to pause. Sends a steps::StepPausePtr; the call then waits for Session::answerStep.
    std::vector<steps::StepBreakpoint> breakpoints = {};
    bool pauseAtStart = false;
    /// See steps::StepPauses.
    std::int64_t checkpointLimit = std::int64_t{1} << 30;
    bool contents = false;
    bool byFusedKernel = false;
};

/// Partitions a joint graph, logged or traced here, with a person's choices. Sends a PartitionSnapshot.
struct PartitionJoint {
    static constexpr std::string_view name = "partition";
    static constexpr CommandLane lane = CommandLane::Splitting;
    ArtifactReference joint;
    PartitionChoices choices;
};
/// Partitions it once per memory budget: `steps` + 1 budgets evenly from 0 to 1, instead of the one in the
/// choices. Sends a BudgetSweepSnapshot.
struct SweepBudgets {
    static constexpr std::string_view name = "budgets";
    static constexpr CommandLane lane = CommandLane::Sweeping;
    ArtifactReference joint;
    PartitionChoices choices;
    std::size_t steps = 20;
};
/// Finds the cheapest way to treat one node differently. Sends a NodeAlternativeSnapshot.
struct FindAlternative {
    static constexpr std::string_view name = "alternative";
    static constexpr CommandLane lane = CommandLane::Splitting;
    ArtifactReference joint;
    PartitionChoices choices;
    std::string node;
};

/// Finds what a partition does with each box and edge of a picture of its joint graph or of a half. Sends a
/// SplitMarksSnapshot.
struct MarkSplit {
    static constexpr std::string_view name = "marks";
    static constexpr CommandLane lane = CommandLane::Splitting;
    /// The graph in the picture.
    ArtifactReference graph;
    /// LayoutSnapshot::number. If nobody holds the picture any more, the command ends as canceled.
    std::uint64_t picture = 0;
    ArtifactReference joint;
    PartitionChoices choices;
};

/// Runs the halves of a partition with its hooks to measure what they cost in accuracy. Sends a
/// HookErrorsSnapshot; with `inParts`, before it one for each part that is measured earlier.
struct MeasureHooks {
    static constexpr std::string_view name = "hook errors";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference joint;
    PartitionChoices choices;
    RunOptions options;
    /// Also each hook alone: its effect on every gradient, and on the peak.
    bool eachAlone = true;
    bool inParts = false;
};

/// Finds which hooks for which saved tensors reach a goal, by measuring them. Sends a HookSuggestionSnapshot.
struct SuggestHooks {
    static constexpr std::string_view name = "suggest hooks";
    static constexpr CommandLane lane = CommandLane::Running;
    ArtifactReference joint;
    /// Without hooks; their filter applies to those that are suggested.
    PartitionChoices choices;
    /// Names of hooks to try, of the library or of `choices.hooks->own`; empty: the library.
    std::vector<std::string> candidates;
    HookGoal goal;
    RunOptions options;
};

/// Finds the devices that graphs can run on. Sends a DeviceListPtr.
struct ListDevices {
    static constexpr std::string_view name = "devices";
    static constexpr CommandLane lane = CommandLane::Running;
};

} // namespace aotscope::session
