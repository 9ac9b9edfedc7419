#include "aot/compile.h"

#include "aot/partition_config.h"
#include "aot/post_compile_wrappers.h"

#include "passes/partition.h"

#include <algorithm>
#include <utility>

namespace aotscope::aot {
namespace {

/// The first rule that the stage's graph breaks; nothing for a valid graph, or when the stage has no new one.
std::optional<base::Error> brokenGraph(StageKind stage, const char* name, const ir::GraphPtr& before,
                                       const ir::GraphPtr& after) {
    return !after || after == before
               ? std::nullopt
               : ir::brokenGraph(*after, "aot.broken_graph",
                                 "The stage \"" + std::string(base::wordOf(stage)) + '"', name);
}

/// A joint graph that was read may break rules itself; its halves then break them, too.
std::optional<base::Error> invalidJoint(const ir::Graph& joint) {
    auto error = ir::brokenGraph(joint, "aot.invalid_joint", "The file", "joint");
    if (error) {
        const std::string& rule = error->notes.front();
        error->message = "The joint graph is not valid: " + rule.substr(rule.find(' ') + 1);
        error->hint = "PyTorch makes no such graph: check the file that holds it.";
    }
    return error;
}

std::optional<base::Error> brokenBy(StageKind stage, const CompiledFunction& before,
                                    const CompiledFunction& after) {
    if (auto broken = brokenGraph(stage, "traced", before.graph, after.graph)) {
        return broken;
    }
    if (!after.partition || after.partition == before.partition) {
        return std::nullopt;
    }
    auto broken = brokenGraph(stage, "forward", nullptr, after.partition->forward);
    if (!broken) {
        broken = brokenGraph(stage, "backward", nullptr, after.partition->backward);
    }
    auto invalid = broken && before.graph ? invalidJoint(*before.graph) : std::nullopt;
    return invalid ? invalid : broken;
}

struct Stage {
    StageKind kind = StageKind::Metadata;
    StageFunction run;
    /// Whether later stages work without this one.
    bool canBeSkipped = false;
};

Stage traceStage(TracePath path, const TracingStages& tracing) {
    const StageKind kind = path == TracePath::Export     ? StageKind::ExportTrace
                           : path == TracePath::Autograd ? StageKind::JointTrace
                                                         : StageKind::InferenceTrace;
    return {kind, tracing.trace};
}

base::Result<CompiledFunction> withHalves(CompiledFunction function, base::Result<passes::Partition> halves) {
    if (!halves) {
        return std::move(halves).error();
    }
    function.partition = std::make_shared<const passes::Partition>(std::move(halves).value());
    return function;
}

Stage partitionStage(const passes::PartitionOptions& options, const base::Progress& progress) {
    return {StageKind::Partition,
            [&](CompiledFunction function) {
                auto halves = passes::partitionJointGraph(function.graph, options, progress);
                return withHalves(std::move(function), std::move(halves));
            },
            /*canBeSkipped=*/true};
}

Stage hooksStage(const CompileChoices& choices) {
    return {StageKind::SavedTensorsHooks,
            [&](CompiledFunction function) -> base::Result<CompiledFunction> {
                if (!function.partition) {
                    return function;
                }
                auto inlined =
                    choices.chosenHooks
                        ? choices.chosenHooks(function)
                        : passes::inlineHooks(*function.partition, choices.hooks->filter,
                                              function.metadata.staticInputIndices, choices.hooks->trace);
                if (inlined && inlined->hooks.empty()) {
                    return function;
                }
                return withHalves(std::move(function), std::move(inlined));
            },
            /*canBeSkipped=*/true};
}

Stage postCompileStage() {
    return {StageKind::PostCompileWrappers,
            [](CompiledFunction function) -> base::Result<CompiledFunction> {
                function.wrappers = postCompileWrappers(function);
                if (function.path == TracePath::Export) {
                    const auto& exported = function.configuration.export_;
                    auto signature = makeSignature(*function.graph, &function.metadata,
                                                   {.lossOutput = exported ? exported->loss : std::nullopt});
                    function.signature =
                        signature ? std::optional(std::move(signature).value()) : std::nullopt;
                }
                return function;
            },
            /*canBeSkipped=*/true};
}

/// Runs the stages in order, each on what the one before returned.
base::Result<CompiledFunction> runStages(CompiledFunction function, const std::vector<Stage>& stages,
                                         const Observer& observer, bool verify) {
    for (const Stage& stage : stages) {
        const Answer answer = observer ? observer({stage.kind, function}) : Answer::GoOn;
        if (answer == Answer::Stop) {
            return base::canceledError();
        }
        if (answer == Answer::Skip) {
            if (!stage.canBeSkipped) {
                return base::Error{.code = "aot.stage_needed",
                                   .message = "The stage \"" + std::string(base::wordOf(stage.kind)) +
                                              "\" cannot be skipped: later stages need its result."};
            }
            continue;
        }
        // Only an observer and a check need the stage's input afterwards.
        const CompiledFunction before = observer || verify ? function : CompiledFunction();
        AOTSCOPE_TRY(made, stage.run(std::move(function)));
        function = std::move(made);
        if (verify) {
            if (auto broken = brokenBy(stage.kind, before, function)) {
                return *std::move(broken);
            }
        }
        if (observer && observer({stage.kind, before, &function}) == Answer::Stop) {
            return base::canceledError();
        }
    }
    return function;
}

} // namespace

CompileChoices ownChoices(const CompiledFunction& traced, TraceProgram traceHook) {
    return {.partition = partitionOptionsOf(traced), .hooks = hookInlining(traced, std::move(traceHook))};
}

base::Result<CompiledFunction> compile(CompiledFunction begun, const CompileChoices& choices,
                                       const base::Progress& progress, const Observer& observer) {
    std::vector<Stage> stages;
    if (choices.tracing != nullptr) {
        auto described = runStages(std::move(begun), {{StageKind::Metadata, choices.tracing->metadata}},
                                   observer, choices.verify);
        if (!described) {
            return described;
        }
        begun = std::move(described).value();
        stages = {{StageKind::PreCompileWrappers, choices.tracing->preCompileWrappers},
                  traceStage(begun.path, *choices.tracing)};
    } else if (!begun.joint) {
        return begun;
    }
    if (begun.joint && choices.partition && !begun.partition) {
        stages.push_back(partitionStage(*choices.partition, progress));
    }
    if (begun.joint && (choices.hooks || choices.chosenHooks)) {
        stages.push_back(hooksStage(choices));
    }
    stages.push_back(postCompileStage());
    std::erase_if(stages, [&](const Stage& stage) { return stage.kind > choices.until; });
    return runStages(std::move(begun), stages, observer, choices.verify);
}

} // namespace aotscope::aot
