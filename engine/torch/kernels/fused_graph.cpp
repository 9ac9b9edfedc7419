#include "torch/kernels/fused_graph.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/tensor_data.h"
#include "run/measuring/run_recorder.h"
#include "torch/kernels/fused_run.h"
#include "torch/kernels/plan_from_run.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Says of each node by which kernel it was computed, and how many nodes have no values of their own.
void noteKernels(const ir::Graph& graph, const kernels::FusionPlan& plan, session::RunSnapshot& snapshot) {
    std::map<ir::NodeId, std::string> kernelOf;
    for (const kernels::FusionGroup& group : plan.groups) {
        for (const ir::NodeId node : group.kernel.nodes) {
            kernelOf[node] = group.kernel.name;
        }
    }
    for (session::NodeRun& run : snapshot.nodes) {
        if (const auto kernel = kernelOf.find(run.node); kernel != kernelOf.end()) {
            run.note += (run.note.empty() ? "" : "; ") + ("computed by " + kernel->second);
        }
    }
    const auto calls = std::ranges::count_if(
        graph.order(), [&](ir::NodeId id) { return graph.node(id).op != ir::Opcode::Output; });
    snapshot.notes.push_back(std::to_string(plan.groups.size()) + " kernels ran in place of " +
                             std::to_string(plan.counts.fused + plan.counts.generatedAlone) + " nodes; " +
                             std::to_string(calls - static_cast<std::ptrdiff_t>(snapshot.nodes.size())) +
                             " nodes have no value in memory.");
}

void checkKept(const ir::Graph& graph, const session::RunOptions& options,
               const session::RunSnapshot& snapshot) {
    for (const std::string& name : options.keepValues) {
        const bool isKept = std::ranges::any_of(snapshot.values, [&](const session::NodeValuePtr& value) {
            return graph.node(value->node).name == name;
        });
        if (!isKept && graph.tryFind(name)) {
            fail("kernels.inside", "The value of " + name + " only exists inside of a fused kernel.",
                 "Run without --fused to see it.");
        }
    }
}

session::RunSnapshot run(const ir::Graph& graph, const session::RunOptions& options,
                         const base::Progress& progress) {
    session::RunSnapshot snapshot;
    snapshot.seed = options.seed;
    snapshot.device = options.device;
    RunContext context = contextOf(graph, options, progress);
    const CurrentPlace current(context.place);
    const kernels::FusionPlan plan = planFromRun(graph, options, progress);
    const CompiledKernels compiled = valueOrThrow(compileKernels(plan, context.place, progress));
    std::vector<IValue> inputs = graphInputs(graph, options, context);
    RunRecorder recorder(graph, options, context, snapshot, inputs);
    seedGenerator(options.seed, context.place.device);
    Executor executor(context);
    const auto start = std::chrono::steady_clock::now();
    for (const IValue& output : runFused(executor, graph, plan, compiled, std::move(inputs), &recorder)) {
        if (options.keepOutputs) {
            snapshot.outputs.push_back(valueData(output));
        }
    }
    snapshot.nanoseconds = nanosecondsSince(start);
    snapshot.symbols = std::move(context.symbols);
    snapshot.notes = std::move(context.notes);
    noteKernels(graph, plan, snapshot);
    checkKept(graph, options, snapshot);
    return snapshot;
}

} // namespace

base::Result<session::RunSnapshot> runFusedGraph(const ir::Graph& graph, const session::RunOptions& options,
                                                 const base::Progress& progress) {
    const PlainExecution plain{};
    return guardedResult("run.operator_failed", [&] { return run(graph, options, progress); });
}

} // namespace aotscope::torch
