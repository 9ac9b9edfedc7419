#include "aot/pipeline.h"

#include "aot/post_compile_wrappers.h"

#include "passes/partition.h"

#include <algorithm>
#include <utility>

namespace aotscope::aot {
namespace {

/// The error of a stage that leaves a broken graph; nothing for a sound one, or when the stage has no new
/// one.
std::optional<base::Error> brokenGraph(StageKind stage, const char* name, const ir::GraphPtr& before,
                                       const ir::GraphPtr& after) {
    return !after || after == before
               ? std::nullopt
               : ir::brokenGraph(*after, "aot.broken_graph",
                                 "The stage \"" + std::string(base::wordOf(stage)) + '"', name);
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
    return broken ? broken : brokenGraph(stage, "backward", nullptr, after.partition->backward);
}

Answer ask(const Observer& observer, const Action& action) {
    return observer ? observer(action) : Answer::GoOn;
}

} // namespace

Observer together(std::vector<Observer> observers) {
    std::erase_if(observers, [](const Observer& observer) { return !observer; });
    if (observers.empty()) {
        return {};
    }
    return [observers = std::move(observers)](const Action& action) {
        Answer answer = Answer::GoOn;
        for (const Observer& observer : observers) {
            answer = std::max(answer, observer(action));
        }
        return answer;
    };
}

std::vector<StageKind> Pipeline::kinds() const {
    std::vector<StageKind> kinds;
    for (const Stage& stage : m_stages) {
        kinds.push_back(stage.kind);
    }
    return kinds;
}

base::Result<CompiledFunction> Pipeline::run(CompiledFunction function, const Observer& observer,
                                             bool verify) const {
    for (const Stage& stage : m_stages) {
        if (!observer && !verify) {
            // Without an observer or a check the stage's input is not needed afterwards and can be moved.
            base::Result<CompiledFunction> made = stage.run(std::move(function));
            if (!made) {
                return made;
            }
            function = std::move(made).value();
            continue;
        }
        const Answer answer = ask(observer, {stage.kind, function});
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
        base::Result<CompiledFunction> made = stage.run(function);
        if (!made) {
            return made;
        }
        if (verify) {
            if (auto broken = brokenBy(stage.kind, function, *made)) {
                return *std::move(broken);
            }
        }
        if (ask(observer, {stage.kind, function, &*made}) == Answer::Stop) {
            return base::canceledError();
        }
        function = std::move(made).value();
    }
    return function;
}

Stage partitionStage(passes::PartitionOptions options, base::Progress progress) {
    return {StageKind::Partition,
            [options = std::move(options),
             progress = std::move(progress)](CompiledFunction function) -> base::Result<CompiledFunction> {
                auto partition = passes::partitionJointGraph(function.graph, options, progress);
                if (!partition) {
                    return std::move(partition).error();
                }
                function.partition = std::make_shared<const passes::Partition>(std::move(partition).value());
                return function;
            },
            /*canBeSkipped=*/true};
}

Stage hooksStage(HookInlining hooks) {
    return {StageKind::SavedTensorsHooks,
            [hooks = std::move(hooks)](CompiledFunction function) -> base::Result<CompiledFunction> {
                if (!function.partition) {
                    return function;
                }
                auto inlined = passes::inlineHooks(*function.partition, hooks.filter,
                                                   function.metadata.staticInputIndices, hooks.trace);
                if (!inlined) {
                    return std::move(inlined).error();
                }
                if (!inlined->hooks.empty()) {
                    function.partition =
                        std::make_shared<const passes::Partition>(std::move(inlined).value());
                }
                return function;
            },
            /*canBeSkipped=*/true};
}

Stage postCompileStage() {
    return {StageKind::PostCompileWrappers,
            [](CompiledFunction function) -> base::Result<CompiledFunction> {
                function.wrappers = postCompileWrappers(function);
                if (function.path == TracePath::Export) {
                    const auto& exported = function.configuration.exported;
                    auto signature = makeSignature(*function.graph, &function.metadata,
                                                   {.lossOutput = exported ? exported->loss : std::nullopt});
                    function.signature =
                        signature ? std::optional(std::move(signature).value()) : std::nullopt;
                }
                return function;
            },
            /*canBeSkipped=*/true};
}

Pipeline trainingPipeline(const TracingStages& tracing) {
    return Pipeline({{StageKind::PreCompileWrappers, tracing.preCompileWrappers},
                     {StageKind::JointTrace, tracing.jointTrace},
                     postCompileStage()});
}

Pipeline inferencePipeline(const TracingStages& tracing) {
    return Pipeline({{StageKind::PreCompileWrappers, tracing.preCompileWrappers},
                     {StageKind::InferenceTrace, tracing.inferenceTrace},
                     postCompileStage()});
}

Pipeline exportPipeline(const TracingStages& tracing) {
    return Pipeline({{StageKind::PreCompileWrappers, tracing.preCompileWrappers},
                     {StageKind::ExportTrace, tracing.exportTrace},
                     postCompileStage()});
}

Pipeline partitionPipeline(const PipelineChoices& choices, base::Progress progress) {
    std::vector<Stage> stages = {partitionStage(choices.partition, std::move(progress))};
    if (choices.chosenHooks) {
        stages.push_back(*choices.chosenHooks);
    } else if (choices.hooks) {
        stages.push_back(hooksStage(*choices.hooks));
    }
    stages.push_back(postCompileStage());
    return Pipeline(std::move(stages));
}

base::Result<CompiledFunction> compile(CompiledFunction function, const TracingStages& tracing,
                                       const Observer& observer) {
    auto described = Pipeline({{StageKind::Metadata, tracing.metadata}}).run(std::move(function), observer);
    if (!described) {
        return described;
    }
    const Pipeline pipeline = described->path == TracePath::Export     ? exportPipeline(tracing)
                              : described->path == TracePath::Autograd ? trainingPipeline(tracing)
                                                                       : inferencePipeline(tracing);
    return pipeline.run(std::move(described).value(), observer);
}

base::Result<CompiledFunction> partitioned(CompiledFunction function, const PipelineChoices& choices,
                                           base::Progress progress, const Observer& observer) {
    if (!function.joint) {
        return function;
    }
    return partitionPipeline(choices, std::move(progress)).run(std::move(function), observer);
}

} // namespace aotscope::aot
