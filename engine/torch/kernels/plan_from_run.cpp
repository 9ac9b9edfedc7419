#include "torch/kernels/plan_from_run.h"

#include "run/execution/generator_seed.h"
#include "run/execution/metadata_check.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/symbols.h"
#include "run/state/value_access.h"
#include "torch/kernels/fused_run.h"

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Notes how every tensor lies.
class LayoutObserver final : public GraphObserver {
public:
    using GraphObserver::GraphObserver;
    TensorLayouts layouts;

private:
    void seen(ir::NodeId id, const IValue& result) override { noteLayouts(id, result, layouts); }
};

} // namespace

void noteLayouts(ir::NodeId id, const IValue& result, TensorLayouts& layouts) {
    const std::vector<IValue> elements = elementsOf(result);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const at::Tensor tensor = elements[i].isTensor() ? elements[i].toTensor() : at::Tensor();
        if (tensor.defined() && tensor.layout() == at::kStrided) {
            layouts.emplace(kernels::TensorName{id, i}, layoutOf(tensor));
        }
    }
}

void GraphObserver::finished(ir::NodeId id, IValue& result, std::int64_t /*nanoseconds*/) {
    learnSymbols(m_graph.node(id).value, result, m_context);
    (void)compareWithMeta(m_graph.node(id).value, result, m_context);
    seen(id, result);
}

RunContext contextOf(const ir::Graph& graph, const session::RunOptions& options,
                     const base::Progress& progress) {
    RunContext context = runContextOf(graph, options, progress);
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
