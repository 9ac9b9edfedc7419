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
#include "contract/value_window.h"

#include "layout/layout.h"
#include "steps/step_pause.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// What a person can ask of the engine, as immutable values that can be queued and logged.
namespace aotscope::session {

/// Reads files, or folders with one log per rank. Sends partial LogSnapshots while it reads, then a complete
/// one per file.
struct OpenLogs {
    std::vector<std::filesystem::path> paths;
    bool verifyPayloads = false;
};
/// Reads what was appended to a log since it was read. Sends a LogSnapshot if anything was.
struct FollowLog {
    std::uint32_t log = 0;
};
struct CloseLog {
    std::uint32_t log = 0;
};
/// Parses and verifies a graph. Sends a GraphSnapshot.
struct LoadGraph {
    ArtifactReference graph;
};
/// Sends a LayoutSnapshot; it has no layout if the graph could not be parsed.
struct LayOutGraph {
    ArtifactReference graph;
    layout::LayoutOptions options;
    /// A trace with stages. If `graph` is one of them, all stages are laid out together, so that common nodes
    /// keep their places. Otherwise the graph is laid out alone.
    std::optional<ArtifactReference> stagesOf = std::nullopt;
};
struct LoadPayload {
    std::uint32_t log = 0;
    load::RecordId record;
};
/// Splits the code that Inductor generated in a compile into kernels and links them with nodes and source
/// lines. Sends a GeneratedCodeSnapshot.
struct LoadGeneratedCode {
    /// Log and compile; no artifact.
    ArtifactReference compile;
};
struct CompareGraphs {
    ArtifactReference left;
    ArtifactReference right;
};
struct RunGraph {
    ArtifactReference graph;
    RunOptions options;
};

/// Shows a part of a node's value. Sends a ValueSnapshot. The graph runs again up to that node, unless the
/// last LoadValue was of the same node and run, so `run` has the seed, symbols and inputs of the run that is
/// shown.
struct LoadValue {
    ArtifactReference graph;
    std::string node;
    RunOptions run;
    ValueWindow window;
};

/// Runs a graph beside a reference in float64 to find the first node whose error its dtype does not explain.
/// Sends a ReferenceSnapshot.
struct CompareWithReference {
    ArtifactReference graph;
    /// The graph that is right; nothing: the graph itself, so that kernels are checked.
    std::optional<ArtifactReference> against;
    RunOptions options;
};

/// Writes the fused kernels of a graph and compares each, and the graph run with all of them, with its own
/// operators. Sends a KernelCheckSnapshot.
struct CheckKernels {
    ArtifactReference graph;
    RunOptions options;
};

/// Runs nodes again and again, with the inputs that they have in a run. Sends a RerunSnapshot.
struct RerunNodes {
    ArtifactReference graph;
    std::vector<std::string> nodes;
    /// The run that the inputs are from.
    RunOptions run;
    RerunSettings settings;
    std::optional<RerunKernel> kernel = std::nullopt;
    bool keepOutputs = false;
    /// See RerunRequest; needs only what rerunFromJson reads.
    std::optional<RerunResult> baseline;
};

/// Finds which nodes of a graph become one kernel each, and writes the kernels. Sends a KernelPlanSnapshot.
struct PlanKernels {
    ArtifactReference graph;
    ir::SymbolBindings symbols;
};

/// Compiles a kernel's text for a GPU. Sends a KernelBuildSnapshot. A text that the compiler refuses is no
/// error of the command; the snapshot has the messages.
struct BuildKernel {
    KernelBuildRequest kernel;
};

/// Runs a forward and its backward to measure memory and time per node. Sends a TrainingStepSnapshot. The
/// backward's inputs are generated like the forward's, with the sizes that the forward computed.
struct RunTrainingStep {
    ArtifactReference forward;
    ArtifactReference backward;
    RunOptions options;
};

/// Finds in an open profiler's trace the nodes of graphs of other open files. Sends a ProfileSnapshot.
struct MatchTimeline {
    /// The trace.
    std::uint32_t log = 0;
    std::vector<ArtifactReference> graphs;
};

/// Compiles functions of a log again. Sends one RetraceSnapshot each, in order. A function that cannot be
/// traced is not an error of the command; its snapshot has the reason.
struct Retrace {
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
    ArtifactReference joint;
    PartitionChoices choices;
};
/// Partitions it once per memory budget: `steps` + 1 budgets evenly from 0 to 1, instead of the one in the
/// choices. Sends a BudgetSweepSnapshot.
struct SweepBudgets {
    ArtifactReference joint;
    PartitionChoices choices;
    std::size_t steps = 20;
};
/// Finds the cheapest way to treat one node differently. Sends a NodeAlternativeSnapshot.
struct FindAlternative {
    ArtifactReference joint;
    PartitionChoices choices;
    std::string node;
};

/// Finds what a partition does with each box and edge of a picture of its joint graph or of a half. Sends a
/// SplitMarksSnapshot.
struct MarkSplit {
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
    ArtifactReference joint;
    PartitionChoices choices;
    RunOptions options;
    /// Also each hook alone: its effect on every gradient, and on the peak.
    bool eachAlone = true;
    bool inParts = false;
};

/// Finds which hooks for which saved tensors reach a goal, by measuring them. Sends a HookSuggestionSnapshot.
struct SuggestHooks {
    ArtifactReference joint;
    /// Without hooks; their filter applies to those that are suggested.
    PartitionChoices choices;
    /// Names of hooks to try, of the library or of `choices.hooks->own`; empty: the library.
    std::vector<std::string> candidates;
    HookGoal goal;
    RunOptions options;
};

/// Finds the devices that graphs can run on. Sends a DeviceListPtr.
struct ListDevices {};

} // namespace aotscope::session
