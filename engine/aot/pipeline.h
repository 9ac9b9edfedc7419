#pragma once

#include "aot/compiled_function.h"

#include "passes/partition_options.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

/// A compile as a row of stages, each of which takes a CompiledFunction and gives the next.
namespace aotscope::aot {

/// In the order of aot_stage1_graph_capture and aot_stage2_compile (torch 2.11's graph_compile.py).
/// Decomposing is no stage of its own: as in PyTorch it happens while the graph is traced.
enum class StageKind : std::uint8_t {
    /// The program is run once to see what it mutates and what its outputs alias; the path is chosen.
    Metadata,
    /// Duplicates and aliased inputs are dealt with (`pre_compile` of AOTDedupeWrapper and
    /// AOTSyntheticBaseWrapper).
    PreCompileWrappers,
    /// aot_dispatch_autograd_graph
    JointTrace,
    /// aot_dispatch_base_graph
    InferenceTrace,
    /// aot_export_module, aot_export_joint_simple
    ExportTrace,
    /// The joint graph in two halves.
    Partition,
    /// What every call of the compiled graph passes (aot/post_compile_wrappers.h).
    PostCompileWrappers,
};
/// "joint trace"
[[nodiscard]] std::string_view stageName(StageKind stage);

using StageFunction = std::function<base::Result<CompiledFunction>(CompiledFunction)>;

struct Stage {
    StageKind kind = StageKind::Metadata;
    StageFunction run;
    /// Whether the stages behind it can do without.
    bool canBeSkipped = false;
};

/// What an observer is shown: a stage that is about to run, or has run.
struct Action {
    StageKind stage = StageKind::Metadata;
    const CompiledFunction& before;
    /// Null: it has not run yet.
    const CompiledFunction* after = nullptr;
};

enum class Answer : std::uint8_t {
    GoOn,
    /// Of a stage that has not run: leave it out. Of one that cannot be left out the compile ends with
    /// aot.stage_needed.
    Skip,
    /// End the compile as canceled.
    Stop,
};

/// Called on the compiling thread before and after each stage. It may take its time: that is how a compile is
/// paused. Null: nobody looks on.
using Observer = std::function<Answer(const Action&)>;

/// Whether graphs are verified where nobody says so: CMake's AOTSCOPE_VERIFY.
[[nodiscard]] bool verifiesGraphs();

class Pipeline {
public:
    explicit Pipeline(std::vector<Stage> stages) : m_stages(std::move(stages)) {}

    [[nodiscard]] std::vector<StageKind> kinds() const;
    /// One stage after the other. With `verify` every graph that a stage made is checked (ir::verifyGraph).
    ///
    /// Errors: those of the stages; aot.broken_graph (names the stage, the graph and the broken rule);
    /// aot.stage_needed; session.canceled.
    [[nodiscard]] base::Result<CompiledFunction> run(CompiledFunction function, const Observer& observer = {},
                                                     bool verify = verifiesGraphs()) const;

private:
    std::vector<Stage> m_stages;
};

/// The stages that need LibTorch: who has it supplies them. They share what belongs to one trace (fake
/// tensors, symbols) among themselves.
struct TracingStages {
    /// Sets path, reason and metadata.
    StageFunction metadata;
    StageFunction preCompileWrappers;
    StageFunction jointTrace;
    StageFunction inferenceTrace;
    StageFunction exportTrace;
};

/// What comes after the metadata, by path. `partition`: how a joint graph is split; nothing: it is not.
[[nodiscard]] Pipeline trainingPipeline(const TracingStages& tracing,
                                        const std::optional<passes::PartitionOptions>& partition,
                                        base::Progress progress = {});
[[nodiscard]] Pipeline inferencePipeline(const TracingStages& tracing);
[[nodiscard]] Pipeline exportPipeline(const TracingStages& tracing);

/// Splits the joint graph that a function has. Errors: those of passes::partitionJointGraph.
[[nodiscard]] Stage partitionStage(passes::PartitionOptions options, base::Progress progress = {});
[[nodiscard]] Stage postCompileStage();

/// The whole compile: metadata, then the pipeline of the path that these give.
[[nodiscard]] base::Result<CompiledFunction> compile(CompiledFunction function, const TracingStages& tracing,
                                                     const std::optional<passes::PartitionOptions>& partition,
                                                     const Observer& observer = {},
                                                     base::Progress progress = {});

} // namespace aotscope::aot
