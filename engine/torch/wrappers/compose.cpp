#include "wrappers/compose.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/operators.h"
#include "run/inputs/tensor_data.h"
#include "run/replacements/cpu_only.h"
#include "run/replacements/replacements.h"
#include "wrappers/autograd_function.h"
#include "wrappers/backward_half.h"
#include "wrappers/runtime.h"
#include "wrappers/wrapper_calls.h"

#include "aot/versions/versions.h"
#include "ir/graph_builder.h"
#include "passes/partition.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

using Strides = std::vector<std::optional<std::vector<std::int64_t>>>;

/// Refuses a graph with an operator that cannot run here, before anything of it runs.
void checkRunnable(const ir::Graph& graph, const RunPlace& place) {
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op != ir::Opcode::CallFunction) {
            continue;
        }
        const auto op = findOperator(node.target);
        const bool isReplaced =
            findReplacement(node.target) != nullptr || (place.isGpu() && hasCpuOnlyCalls(node.target));
        if (op && !isReplaced && !runsOn(*op, place.device.type())) {
            failWithoutKernel(node.target, place);
        }
    }
}

/// The backward with the strides of the tensors that the forward really saved: a kernel may return other
/// ones than were traced. Follows torch 2.15, torch/_functorch/_aot_autograd/graph_compile.py: the loop over
/// bw_module's placeholders in _aot_stage2b_bw_compile.
ir::GraphPtr restrided(const ir::GraphPtr& graph, std::size_t numbers, const Strides& strides) {
    const std::vector<ir::NodeId> placeholders = graph->placeholders();
    std::optional<ir::GraphBuilder> changed;
    for (std::size_t i = 0; i < strides.size() && numbers + i < placeholders.size(); ++i) {
        const ir::TensorMeta* meta = ir::asTensor(graph->node(placeholders[numbers + i]).value);
        if (meta == nullptr || !strides[i] || !meta->stride) {
            continue;
        }
        const bool isSymbolic =
            std::ranges::any_of(*meta->stride, [](const ir::SymInt& each) { return each.isSymbolic(); });
        const ir::SymInts real(strides[i]->begin(), strides[i]->end());
        if (isSymbolic || *meta->stride == real) {
            continue;
        }
        if (!changed) {
            changed.emplace(*graph);
        }
        std::get<ir::TensorMeta>(changed->editMeta(placeholders[numbers + i]).value).stride = real;
    }
    return changed ? changed->finish() : graph;
}

BoxedCall compiledGraph(const GraphCompiler& compiler, const ir::GraphPtr& graph, bool backward,
                        const std::shared_ptr<GraphSettings>& settings) {
    if (compiler) {
        return compiler(graph, backward, settings);
    }
    checkRunnable(*graph, settings->place);
    return graphCall(graph, backward, settings);
}

/// For each output of the program: how it is regenerated if it aliases something.
OutputReplays outputReplays(const aot::CompiledFunction& function, const aot::RuntimeWrapper& wrapper) {
    OutputReplays replays(wrapper.outputs.size());
    const ir::GraphPtr graph = function.forward();
    const std::vector<ir::NodeId> returned = graph ? ir::returnedNodes(*graph) : std::vector<ir::NodeId>();
    const aot::TraceRules rules = aot::torchRules(function.configuration.torch).trace;
    const std::size_t first =
        graph ? aot::countInputs<ir::ForwardTokenAOTInput>(*graph) + wrapper.mutations.size() : 0;
    for (std::size_t i = 0; i < wrapper.outputs.size(); ++i) {
        replays[i].offsetIsRelative = rules.aliasOffsetsAreRelative;
        const auto& outputs = function.metadata.outputInfo;
        if (i < outputs.size() && outputs[i].views) {
            replays[i].replay = ViewReplay::of(*outputs[i].views);
        }
        if (first + i < returned.size() && returned[first + i].valid()) {
            replays[i].isView = viewedBase(*graph, returned[first + i]) != returned[first + i];
        }
    }
    return replays;
}

/// A wrapper that reports its calls to an observer, which must outlive it.
BoxedCall watched(BoxedCall inner, std::size_t step, CallObserver& observer) {
    return [inner = std::move(inner), step, &observer](Values& arguments) {
        observer.entered(step, false, arguments);
        Values results = inner(arguments);
        observer.left(step, false, results);
        return results;
    };
}

struct Composer {
    const aot::CompiledFunction& function;
    const std::vector<std::string>& names;
    CallObserver* observer;
    const GraphCompiler& compiler;
    const PackHook& packHook;
    ComposedCall made = {};
    std::size_t stepIndex = 0;

    ComposedCall compose(const base::Progress& progress, const RunPlace& place) {
        made.settings = std::make_shared<GraphSettings>();
        made.settings->progress = base::Progress({}, progress.stopToken());
        made.settings->observer = observer;
        made.settings->place = place;
        made.settings->tracksViews = function.path == aot::TracePath::Inference;
        for (const auto& [name, data] : function.constants) {
            made.settings->constants.emplace(name, movedTo(tensorFromData(data), place.device));
        }
        ir::GraphPtr graph = function.path == aot::TracePath::Export ? function.graph : function.forward();
        if (!graph) {
            fail("call.not_partitioned",
                 "The joint graph is not partitioned, so there is no forward to call.",
                 "Partition it, or choose another partitioner.");
        }
        made.call = compiledGraph(compiler, graph, false, made.settings);
        for (std::size_t i = 0; i < function.wrappers.size(); ++i) {
            const aot::WrapperStep& step = function.wrappers[i];
            if (!step.applies) {
                continue; // PyTorch leaves it out of the call.
            }
            stepIndex = i;
            BoxedCall call = std::visit(
                [this](const auto& wrapper) { return wrap(wrapper, std::move(made.call)); }, step.wrapper);
            made.call = observer == nullptr ? std::move(call) : watched(std::move(call), i, *observer);
        }
        return std::move(made);
    }

    template<typename Wrapper>
    BoxedCall wrap(const Wrapper& wrapper, BoxedCall inner) {
        return wrapperCall(wrapper, names, std::move(inner));
    }
    BoxedCall wrap(const aot::AOTDispatchSubclassWrapper& /*wrapper*/, const BoxedCall& /*inner*/) {
        fail("call.subclass",
             "An input or output is a tensor subclass, and AOTDispatchSubclassWrapper is not supported here.",
             "The forward and backward graphs, in which subclasses are unwrapped, can be run with `run`.");
    }
    BoxedCall wrap(const aot::AOTDispatchAutograd& wrapper, BoxedCall inner) {
        made.backward = std::make_shared<BackwardHalf>(backwardFacts(), backwardCompiler(), observer);
        if (!function.partition->savedSymbols.empty()) {
            const std::string failure = made.backward->compileAhead();
            if (!failure.empty()) {
                made.notes.push_back("The backward could not be compiled ahead: " + failure);
            }
        }
        const ir::GraphPtr forward = function.forward();
        ResultViews views(*forward, aot::countInputs<ir::ForwardTokenAOTInput>(*forward),
                          wrapper.unsafeViews);
        return autogradFunctionCall(wrapper, made.backward, std::move(views), std::move(inner));
    }
    BoxedCall wrap(const aot::RuntimeWrapper& wrapper, BoxedCall inner) {
        auto shallowCopies = base::mapped(wrapper.mutations, [this](const aot::InputMutation& mutation) {
            return function.metadata.inputInfo.at(mutation.input).mutationIsShallowCopyData.value_or(false);
        });
        return runtimeCall(wrapper, outputReplays(function, wrapper), std::move(shallowCopies), observer,
                           std::move(inner));
    }

    BackwardFacts backwardFacts() const {
        const passes::Partition& partition = *function.partition;
        BackwardFacts facts;
        facts.tangents = function.metadata.subclassTangentMeta.value_or(std::vector<ir::TangentMeta>());
        facts.donated = passes::donatedBuffers(partition);
        facts.written = writtenPlaceholders(*partition.backward);
        facts.tokens = aot::countInputs<ir::BackwardTokenAOTInput>(*partition.backward);
        facts.gradients = partition.forward->placeholders().size() -
                          aot::countInputs<ir::ForwardTokenAOTInput>(*partition.forward);
        facts.nondeterministic = !function.metadata.deterministic;
        facts.mutatesInputs = !function.metadata.indicesOfInputsThatRequiresGradWithMutationsInBw.empty();
        facts.step = stepIndex;
        facts.packHook = packHook;
        facts.savedNames = partition.savedTensors;
        return facts;
    }

    BackwardHalf::Compiler backwardCompiler() const {
        return [compileWith = compiler, graph = function.backward(),
                numbers = function.partition->savedSymbols.size(),
                settings = made.settings](const Strides& savedStrides) -> BoxedCall {
            return compiledGraph(compileWith, restrided(graph, numbers, savedStrides), true, settings);
        };
    }
};

} // namespace

ComposedCall composeCall(const aot::CompiledFunction& function, const std::vector<std::string>& names,
                         const base::Progress& progress, CallObserver* observer,
                         const GraphCompiler& compiler, const PackHook& packHook, const RunPlace& place) {
    return Composer{function, names, observer, compiler, packHook}.compose(progress, place);
}

} // namespace aotscope::torch
