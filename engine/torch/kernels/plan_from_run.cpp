#include "torch/kernels/plan_from_run.h"

#include "run/generator_seed.h"
#include "run/graph_inputs.h"
#include "run/metadata_check.h"
#include "run/symbols.h"
#include "run/value_access.h"
#include "torch/kernels/fused_run.h"

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Notes how every tensor lies.
class LayoutObserver final : public GraphObserver {
public:
    using GraphObserver::GraphObserver;
    std::map<kernels::TensorName, kernels::TensorLayout> layouts;

private:
    void seen(ir::NodeId id, const IValue& result) override {
        if (result.isTensor()) {
            note({id}, result);
        } else if (result.isTuple() || result.isList()) {
            const std::vector<IValue> elements = elementsOf(result);
            for (std::size_t i = 0; i < elements.size(); ++i) {
                note({id, i}, elements[i]);
            }
        }
    }
    void note(kernels::TensorName name, const IValue& value) {
        if (value.isTensor() && value.toTensor().defined() && value.toTensor().layout() == at::kStrided) {
            layouts.emplace(name, layoutOf(value.toTensor()));
        }
    }
};

} // namespace

void GraphObserver::finished(ir::NodeId id, IValue& result, std::int64_t /*nanoseconds*/) {
    learnSymbols(m_graph.node(id).value, result, m_context);
    (void)compareWithMeta(m_graph.node(id).value, result, m_context);
    seen(id, result);
}

RunContext contextOf(const ir::Graph& graph, const session::RunOptions& options,
                     const base::Progress& progress) {
    RunContext context;
    context.seed = options.seed;
    context.progress = progress;
    context.place = placeFor(options.device, graph);
    context.symbols = bindSymbols(graph, options);
    context.zeroesUnwritten = true;
    return context;
}

kernels::FusionPlan planFromRun(const ir::Graph& graph, const session::RunOptions& options,
                                const base::Progress& progress) {
    RunContext context = contextOf(graph, options, progress);
    std::vector<IValue> inputs = graphInputs(graph, options, context);
    LayoutObserver observer(graph, context);
    seedGenerator(options.seed, context.place.device);
    (void)Executor(context).run(graph, std::move(inputs), &observer);
    return kernels::planFusion(graph, {context.symbols, std::move(observer.layouts)});
}

} // namespace aotscope::torch
