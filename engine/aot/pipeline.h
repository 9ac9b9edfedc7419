#pragma once

#include "aot/compiled_function.h"
#include "aot/saved_tensors_hooks.h"

#include "ir/verifier.h"
#include "passes/partition_options.h"

#include "base/describe.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// A compile as a sequence of stages, each from one CompiledFunction to the next. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: aot_stage1_graph_capture, aot_stage2_compile and
/// aot_stage2_export.
namespace aotscope::aot {

/// In the order in which they run. Decomposition is no separate stage: as in PyTorch it happens during the
/// trace.
enum class StageKind : std::uint8_t {
    /// Runs the program once to see what it mutates and what its outputs alias, and chooses the path.
    Metadata,
    /// Removes duplicates and aliased inputs (`pre_compile` of AOTDedupeWrapper and AOTSyntheticBaseWrapper).
    PreCompileWrappers,
    /// aot_dispatch_autograd_graph
    JointTrace,
    /// aot_dispatch_base_graph
    InferenceTrace,
    /// aot_export_module, aot_export_joint_simple
    ExportTrace,
    /// Splits the joint graph into forward and backward.
    Partition,
    /// Inlines saved-tensors hooks into the halves (passes/inline_hooks.h).
    SavedTensorsHooks,
    /// Lists the wrappers around the compiled graph (aot/post_compile_wrappers.h).
    PostCompileWrappers,
};
AOTSCOPE_WORDS(StageKind, "metadata", "pre-compile wrappers", "joint trace", "inference trace",
               "export trace", "partition", "saved-tensors hooks", "post-compile wrappers")

using StageFunction = std::function<base::Result<CompiledFunction>(CompiledFunction)>;

struct Stage {
    StageKind kind = StageKind::Metadata;
    StageFunction run;
    /// Whether later stages work without this one.
    bool canBeSkipped = false;
};

/// What an observer sees: a stage that is about to run or has run.
struct Action {
    StageKind stage = StageKind::Metadata;
    const CompiledFunction& before;
    /// Null before the stage has run.
    const CompiledFunction* after = nullptr;
};

enum class Answer : std::uint8_t {
    GoOn,
    /// Only before the stage runs: leave it out. If later stages need it the compile fails with
    /// aot.stage_needed.
    Skip,
    /// End the compile as canceled.
    Stop,
};

/// Called on the compiling thread before and after each stage. It may block, which pauses the compile. Null:
/// no observer.
using Observer = std::function<Answer(const Action&)>;

/// One observer for several. Each sees every action, in order; if they differ Stop counts, then Skip. Null
/// ones are left out.
[[nodiscard]] Observer together(std::vector<Observer> observers);

class Pipeline {
public:
    explicit Pipeline(std::vector<Stage> stages) : m_stages(std::move(stages)) {}

    [[nodiscard]] std::vector<StageKind> kinds() const;
    /// Runs the stages in order. With `verify` every new graph is checked (ir::verifyGraph).
    ///
    /// Errors: those of the stages; aot.broken_graph (names the stage, the graph and the broken rule);
    /// aot.stage_needed; session.canceled.
    [[nodiscard]] base::Result<CompiledFunction> run(CompiledFunction function, const Observer& observer = {},
                                                     bool verify = ir::verifiesGraphs()) const;

private:
    std::vector<Stage> m_stages;
};

/// The stages that need LibTorch; engine/torch supplies them. They share the state of one trace (fake
/// tensors, symbols).
struct TracingStages {
    /// Sets path, reason and metadata.
    StageFunction metadata;
    StageFunction preCompileWrappers;
    StageFunction jointTrace;
    StageFunction inferenceTrace;
    StageFunction exportTrace;
};

/// How the joint graph becomes the halves.
struct PipelineChoices {
    passes::PartitionOptions partition = {};
    /// Nothing: the program has no hooks, or they are not wanted.
    std::optional<HookInlining> hooks = {};
    /// Hooks that a person chose, in place of the program's, and a text that tells them from others.
    std::optional<Stage> chosenHooks = {};
    std::string chosenHooksText = {};
};

/// The stages after the metadata stage, one pipeline per path. That of training leaves the joint
/// graph whole.
[[nodiscard]] Pipeline trainingPipeline(const TracingStages& tracing);
[[nodiscard]] Pipeline inferencePipeline(const TracingStages& tracing);
[[nodiscard]] Pipeline exportPipeline(const TracingStages& tracing);
/// For a joint graph that was traced already: the stages from the partition on.
[[nodiscard]] Pipeline partitionPipeline(const PipelineChoices& choices, base::Progress progress = {});

/// Splits the function's joint graph. Errors: those of passes::partitionJointGraph.
[[nodiscard]] Stage partitionStage(passes::PartitionOptions options, base::Progress progress = {});
/// Leaves a function without a partition as it is. Errors: those of passes::inlineHooks.
[[nodiscard]] Stage hooksStage(HookInlining hooks);
[[nodiscard]] Stage postCompileStage();

/// The compile up to the partition: the metadata stage, then the pipeline of the path it chose.
[[nodiscard]] base::Result<CompiledFunction> compile(CompiledFunction function, const TracingStages& tracing,
                                                     const Observer& observer = {});

/// What follows the trace of a joint graph: it is split, hooks are inlined into its halves, and the wrappers
/// around both are listed. A function without a joint graph is complete and stays as it is; an observer then
/// sees no stage. Errors: those of the stages, aot.broken_graph, session.canceled.
[[nodiscard]] base::Result<CompiledFunction> partitioned(CompiledFunction function,
                                                         const PipelineChoices& choices,
                                                         base::Progress progress = {},
                                                         const Observer& observer = {});

} // namespace aotscope::aot
