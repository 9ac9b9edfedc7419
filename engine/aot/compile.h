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

/// A compile: a sequence of stages, each from one CompiledFunction to the next. Follows torch 2.11,
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

/// The stages that need LibTorch; engine/torch supplies them. They share the state of one trace (fake
/// tensors, symbols).
struct TracingStages {
    /// Sets path, reason, metadata, and whether the graph will be joint.
    StageFunction metadata;
    StageFunction preCompileWrappers;
    /// The stage of the path that was chosen.
    StageFunction trace;
};

/// Inlines saved-tensors hooks into the halves of a function; the result is its partition with them.
using InlineHooks = std::function<base::Result<passes::Partition>(const CompiledFunction& function)>;

/// How a function is compiled.
struct CompileChoices {
    /// How the joint graph becomes the halves; nothing: it stays whole.
    std::optional<passes::PartitionOptions> partition = {};
    /// Nothing: the program has no hooks, or they are not wanted.
    std::optional<HookInlining> hooks = {};
    /// Hooks that a person chose, in place of the program's, and a text that tells them from others.
    InlineHooks chosenHooks = {};
    std::string chosenHooksText = {};
    /// The last stage that runs.
    StageKind until = StageKind::PostCompileWrappers;
    /// Traces the program; null: the function is traced already.
    const TracingStages* tracing = nullptr;
    /// Whether every new graph is checked (ir::verifyGraph).
    bool verify = ir::verifiesGraphs();
};

/// What the compile of a traced function chooses without a person: the partition of its configuration, and
/// the hooks of its program, which `traceHook` traces.
[[nodiscard]] CompileChoices ownChoices(const CompiledFunction& traced, TraceProgram traceHook = {});

/// The only way from a program to a compiled function. Begins where the function stands: `begun` is a program
/// (then `choices.tracing` is set), a traced function, or one that is split already. A traced function
/// without a joint graph is complete and stays as it is; an observer then sees no stage.
///
/// Errors: those of the tracing stages, of passes::partitionJointGraph, of the hooks; aot.broken_graph (names
/// the stage, the graph and the broken rule); aot.invalid_joint (a joint graph that was read breaks a rule);
/// aot.stage_needed; session.canceled.
[[nodiscard]] base::Result<CompiledFunction> compile(CompiledFunction begun, const CompileChoices& choices,
                                                     const base::Progress& progress = {},
                                                     const Observer& observer = {});

} // namespace aotscope::aot
