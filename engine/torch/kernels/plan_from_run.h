#pragma once

#include "kernels/fusion_plan.h"
#include "run/execution/executor.h"
#include "run/state/memory_limit.h"

#include "contract/run_options.h"

#include "base/progress.h"

#include <map>

namespace aotscope::torch {

/// Makes values lie as the graph's metadata says, as every run of it does, and shows them.
class GraphObserver : public NodeObserver {
public:
    GraphObserver(const ir::Graph& graph, RunContext& context) : m_graph(graph), m_context(context) {}

    void finished(ir::NodeId id, c10::IValue& result, std::int64_t nanoseconds) override;

protected:
    virtual void seen(ir::NodeId id, const c10::IValue& result) = 0;

    const ir::Graph& m_graph;
    RunContext& m_context;
};

using TensorLayouts = std::map<kernels::TensorName, kernels::TensorLayout>;
/// Notes how the tensors of a node's result lie.
void noteLayouts(ir::NodeId id, const c10::IValue& result, TensorLayouts& layouts);

/// What every run of a graph begins with. Memory that nothing writes is the same in all of them.
[[nodiscard]] RunContext contextOf(const ir::Graph& graph, const session::RunOptions& options,
                                   const base::Progress& progress);

/// Runs the graph to learn how its tensors lie, and plans its kernels for that. Throws as Executor::run.
[[nodiscard]] kernels::FusionPlan planFromRun(const ir::Graph& graph, const session::RunOptions& options,
                                              const base::Progress& progress);

} // namespace aotscope::torch
