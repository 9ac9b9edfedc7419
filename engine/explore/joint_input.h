#pragma once

#include "contract/hook_errors.h"
#include "contract/partition_snapshot.h"
#include "contract/retrace_snapshot.h"
#include "contract/run_time_hooks.h"
#include "contract/snapshots.h"
#include "judge/answers.h"

#include "aot/functorch_config.h"
#include "aot/saved_tensors_hooks.h"
#include "hooks/inline_plan.h"
#include "passes/partition.h"

#include "base/progress.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <vector>

namespace aotscope::session {

/// What partitioning a joint graph needs from a session.
struct PartitionTools {
    /// Null for an unknown log.
    std::function<LogSnapshotPtr(std::uint32_t log)> log;
    /// A parsed graph; its parse error otherwise.
    ReadGraph graph;
    /// The re-trace that a graph comes from; null if it was not traced here.
    std::function<RetraceSnapshotPtr(const ArtifactReference&)> trace;
    /// Runs a graph to time its nodes, like runForTimes.
    std::function<base::Result<RunSnapshotPtr>(const GraphSnapshotPtr&)> run;
    /// Traces a saved-tensors hook.
    aot::TraceProgram traceHook;
    /// Runs the halves to measure hooks.
    std::function<base::Result<HookErrors>(const HookErrorsCall&)> measureHooks;
    base::Progress progress;
};

/// Everything known of a joint graph before a person makes any choice.
struct JointInput {
    GraphSnapshotPtr joint;
    /// The log and the re-trace that the graph comes from, if any, at the time of reading: after the log
    /// grows this is read again.
    LogSnapshotPtr log;
    RetraceSnapshotPtr trace;
    /// The release that wrote the file, and the one whose rules a person chose for the re-trace.
    aot::RulesChoice rules = {};
    /// The options of the re-trace, else the log's.
    aot::FunctorchConfig config = {};
    /// From givenSplit; choices are added to these.
    passes::PartitionOptions given;
    judge::Answers answers;
    /// Where the choice of min-cut is from, if a person chooses no partitioner.
    PartitionerSource partitionerSource = PartitionerSource::Assumed;
    /// The logged halves are Inductor's, which rewrote the joint graph before it split it.
    bool isJointRewritten = false;
    /// Hooks in the graphs of compiled autograd that run its logged backward.
    std::vector<CompiledAutogradHooks> runTimeHooks = {};
    /// The hooks that were traced for its saved tensors. Never null.
    std::shared_ptr<hooks::HookMemo> tracedHooks = std::make_shared<hooks::HookMemo>();
};
using JointInputPtr = std::shared_ptr<const JointInput>;

/// Errors: session.no_such_log and those of Session::graph; session.not_joint; session.canceled.
[[nodiscard]] base::Result<JointInputPtr> readJointInput(const ArtifactReference& joint,
                                                         const PartitionTools& tools);

/// What a joint graph is split by before any choices.
struct GivenSplit {
    /// Those it was traced by, else those of the file.
    aot::RulesChoice rules = {};
    /// That of the re-trace, else the file's.
    aot::FunctorchConfig config = {};
    /// With static inputs (found by the trace, else those of a golden file, else by the inputs' sources,
    /// descriptors and logged descriptions) and symbols of inputs and of the sizes of generator states.
    passes::PartitionOptions options = {};
};
/// For a joint graph that was traced here only what evidence::LogEvidence allows is read.
[[nodiscard]] GivenSplit givenSplit(const GraphSnapshot& joint, const RetraceSnapshot* trace,
                                    const LogSnapshot& log);

} // namespace aotscope::session
