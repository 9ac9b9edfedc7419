#include "rerun/rerun_nodes.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/global_state_scope.h"
#include "dispatch/handled_error.h"
#include "rerun/device_limits.h"
#include "rerun/fused_repetitions.h"
#include "rerun/repetitions.h"
#include "rerun/rerun_changes.h"
#include "rerun/value_difference.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/symbols.h"
#include "run/inputs/tensor_data.h"
#include "run/measuring/statistics.h"
#include "run/state/value_access.h"

#include "kernels/kernel_report.h"
#include "kernels/node_cost.h"

#include "base/formatted.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr std::size_t histogramBins = 64;

/// Where the graph runs up to the nodes, and where these are repeated.
struct Places {
    RunPlace run;
    RunPlace again;

    [[nodiscard]] bool areOther() const { return run.device != again.device; }
};

Places placesOf(const session::RerunRequest& request) {
    Places places;
    places.run = placeFor(request.run.device, *request.graph);
    places.again = placeFor(valueOrThrow(session::rerunDevice(request)), *request.graph);
    return places;
}

session::RerunValue summary(const ir::Graph& graph, ir::NodeId node, std::size_t output,
                            const at::Tensor& tensor) {
    return {graph.node(node).name, output, summarize(tensor, true, histogramBins), {}, {}};
}

std::vector<session::RerunValue> summaries(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes,
                                           const std::vector<IValue>& values) {
    std::vector<session::RerunValue> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::size_t output = 0;
        forEachTensor(values[i], [&](const at::Tensor& tensor) {
            all.push_back(summary(graph, nodes[i], output++, tensor));
        });
    }
    return all;
}

/// The tensors of all values, one after the other.
std::vector<at::Tensor> allTensors(const std::vector<IValue>& values) {
    return tensorsIn(c10::ivalue::Tuple::create(values));
}

void compareWithRun(std::vector<session::RerunValue>& outputs, const std::vector<at::Tensor>& made,
                    const std::vector<at::Tensor>& inRun) {
    for (std::size_t i = 0; i < outputs.size() && i < inRun.size(); ++i) {
        outputs[i].fromRun = valueDifference(made[i], inRun[i]);
    }
}

void compareWithBaseline(std::vector<session::RerunValue>& outputs, const std::vector<at::Tensor>& made,
                         const session::RerunResult& baseline) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto same = std::ranges::find_if(baseline.outputs, [&](const session::RerunValue& value) {
            return value.node == outputs[i].node && value.output == outputs[i].output;
        });
        const auto at = static_cast<std::size_t>(same - baseline.outputs.begin());
        session::ValueDifference difference;
        if (same == baseline.outputs.end()) {
            difference.incomparable = "the baseline has no such value";
        } else if (at >= baseline.outputData.size() || baseline.outputData[at].dtype.empty()) {
            difference.incomparable = "the baseline was kept without its values";
        } else {
            difference = valueDifference(made[i], tensorFromData(baseline.outputData[at]));
        }
        outputs[i].fromBaseline = std::move(difference);
    }
}

/// Says where most of a sample is the loop around the work.
void noteOverhead(const std::string& work, session::RerunResult& result) {
    const auto times = session::rerunTimes(result.samples, 1);
    if (times && times->median > 0 && result.overheadNanoseconds > 0.02 * times->median) {
        result.notes.push_back(
            base::formatted("%s so short that %.0f %% of the time is the loop that measures.", work.c_str(),
                            100 * result.overheadNanoseconds / times->median));
    }
}

void addNotes(const session::RerunRequest& request, const RegionValues& values,
              const Repetitions& repetitions, session::RerunResult& result) {
    if (values.othersDraw) {
        result.notes.emplace_back(
            "Nodes between these draw random numbers too, so that these draw others than in "
            "the run.");
    }
    if (repetitions.hasGeneralCalls()) {
        result.notes.emplace_back(
            "A node is no operator of LibTorch; its time includes reading its arguments.");
    }
    noteOverhead("The nodes are", result);
    if (!request.settings.changes.sizes.empty()) {
        result.notes.emplace_back("Inputs with other sizes have the real values, repeated or cut off.");
    }
}

void notePlaces(const Places& places, const RegionValues& values, session::RerunResult& result) {
    if (!places.areOther()) {
        return;
    }
    result.notes.push_back("The inputs are those of a run on " + places.run.device.str() + ".");
    if (values.generator.defined()) {
        result.notes.emplace_back("Each device draws random numbers of its own.");
    }
}

/// Times the repetitions, and says what disturbed them.
template<typename Repeated>
void measure(Repeated& repetitions, const session::RerunRequest& request, session::RerunResult& result) {
    result.overheadNanoseconds = repetitions.overhead();
    const OtherLoad others;
    result.samples = repetitions.measure(request.settings);
    if (const std::string words = others.words(); !words.empty()) {
        result.notes.push_back("Disturbed: " + words + ", so that the times are too long.");
    }
}

std::vector<std::string> namesOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes) {
    return base::mapped(nodes, [&](const ir::NodeId node) { return graph.node(node).name; });
}

/// Compares with the baseline and keeps the values, where either is wanted.
void compareAndKeep(const session::RerunRequest& request, const std::vector<at::Tensor>& made,
                    session::RerunResult& result) {
    if (request.baseline) {
        compareWithBaseline(result.outputs, made, *request.baseline);
    }
    for (std::size_t i = 0; request.keepOutputs && i < made.size(); ++i) {
        result.outputData.push_back(tensorData(made[i]));
    }
}

bool isAbove(std::optional<double> rate, double limit) {
    return rate && limit > 0 && *rate > limit;
}

/// What ran faster than a limit shows that the limit is higher: no share is above 100 %.
void addLimits(const RunPlace& place, session::RerunResult& result) {
    const auto measured = [&] {
        return place.isGpu() ? gpuLimits(place.device.index()) : cpuLimits(result.cost->bytes);
    };
    session::DeviceLimits limits = measured();
    const auto isExceeded = [&] {
        return isAbove(result.bytesPerSecond(), limits.bytesPerSecond) ||
               isAbove(result.flopsPerSecond(), limits.flopsPerSecond);
    };
    if (isExceeded() && !place.isGpu()) {
        measureCpuLimitsAgain();
        limits = measured();
    }
    if (isExceeded()) {
        limits.bytesPerSecond = std::max(limits.bytesPerSecond, result.bytesPerSecond().value_or(0));
        limits.flopsPerSecond = std::max(limits.flopsPerSecond, result.flopsPerSecond().value_or(0));
        limits.origin += "; these nodes were faster than that, so that their own rate is the limit";
    }
    result.limits = std::move(limits);
}

/// What the nodes do by the formulas of their operators, if their sizes are those of the graph.
void addCost(const ir::Graph& graph, const session::RerunRegion& region, const session::RerunChanges& changes,
             const RunContext& context, session::RerunResult& result) {
    if (!changes.sizes.empty() || changes.dtype) {
        return;
    }
    session::RerunCost cost;
    for (const ir::NodeId id : region.nodes) {
        const kernels::NodeCost node = kernels::nodeCost(graph, id, context.symbols);
        cost.bytes += std::llround(node.bytesRead + node.bytesWritten);
        cost.flops += std::llround(node.flops + node.elementOperations);
        if (!node.isKnown) {
            cost.unknown.push_back(graph.node(id).name);
        }
    }
    result.cost = std::move(cost);
    addLimits(context.place, result);
}

/// The cost of a kernel on a GPU: elsewhere its time is no measure of anything.
void addCost(const kernels::FusedKernel& kernel, const RunPlace& place, session::RerunResult& result) {
    const kernels::KernelWork work = kernels::workOf(kernel);
    session::RerunCost cost;
    cost.bytes = std::llround(work.bytesRead + work.bytesWritten);
    cost.flops = std::llround(work.vectorOperations);
    result.cost = std::move(cost);
    addLimits(place, result);
}

/// Runs the graph up to the nodes.
RegionValues valuesInRun(const session::RerunRequest& request, const session::RerunRegion& region,
                         const Places& places, RunContext& context) {
    // The generator of the GPU that the nodes are repeated on has the run's seed too.
    const CurrentPlace current(places.run.isGpu() ? places.run : places.again);
    session::RunOptions options = request.run;
    for (const auto& [symbol, value] : request.settings.changes.symbols) {
        options.symbols[symbol] = value;
    }
    context.symbols = bindSymbols(*request.graph, options);
    std::vector<IValue> given = graphInputs(*request.graph, options, context);
    seedGenerator(options.seed, places.again.device);
    seedGenerator(options.seed, places.run.device);
    return runUpTo(*request.graph, region, std::move(given), context);
}

/// `values`: the nodes' inputs, where the kernel runs.
session::RerunResult repeatKernel(const session::RerunRequest& request, const session::RerunRegion& region,
                                  const RegionValues& values, RunContext& context) {
    const session::RerunChanges& changes = request.settings.changes;
    if (changes.dtype || !changes.sizes.empty() || changes.deterministic) {
        fail("rerun.twist",
             "A fused kernel is written for one dtype and one size, so that only its symbols and its "
             "text can be changed.",
             "Run the nodes' operators with another dtype, or change the kernel's text.");
    }
    FusedRepetitions repetitions(*request.graph, region, values, *request.kernel, context);
    session::RerunResult result;
    result.nodes = namesOf(*request.graph, region.nodes);
    result.build = repetitions.build();
    result.inputs = summaries(*request.graph, region.inputs, values.inputs);
    if (result.build->isRefused()) {
        return result;
    }
    measure(repetitions, request, result);
    const std::vector<at::Tensor> expected = repetitions.expected();
    std::vector<at::Tensor> made;
    for (const KernelResult& each : repetitions.results()) {
        session::RerunValue value = summary(*request.graph, each.name.node, each.name.result, each.tensor);
        if (const at::Tensor& right = expected[made.size()]; right.defined()) {
            value.fromRun = valueDifference(each.tensor, right);
        }
        result.outputs.push_back(std::move(value));
        made.push_back(each.tensor);
    }
    compareAndKeep(request, made, result);
    if (context.place.isGpu()) {
        addCost(repetitions.kernel(), context.place, result);
        noteOverhead("The kernel is", result);
    } else {
        result.notes.emplace_back(
            "The kernel ran on this computer's CPU, thread after thread: its time says nothing of a GPU's.");
    }
    return result;
}

/// `inRun`: the values of the inputs and outputs in the run.
session::RerunResult repeatNodes(const session::RerunRequest& request, const session::RerunRegion& region,
                                 const RegionValues& inRun, RunContext& context) {
    const session::RerunChanges& changes = request.settings.changes;
    const ir::GraphPtr graph = changedGraph(request.graph, region, changes);
    const RegionValues values = changedValues(*graph, region, inRun, changes);
    aot::GlobalState state = currentGlobalState();
    state.deterministic = changes.deterministic.value_or(state.deterministic);
    const GlobalStateScope algorithms(state);
    Repetitions repetitions(*graph, region, values, context);
    session::RerunResult result;
    measure(repetitions, request, result);
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
        if (repetitions.isRestored(i)) {
            result.restored.push_back(graph->node(region.inputs[i]).name);
        }
    }
    if (values.generator.defined()) {
        result.restored.emplace_back("the random generator");
    }
    result.nodes = namesOf(*graph, region.nodes);
    const std::vector<IValue> outputs = repetitions.outputs();
    const std::vector<at::Tensor> made = allTensors(outputs);
    result.inputs = summaries(*graph, region.inputs, values.inputs);
    result.outputs = summaries(*graph, region.outputs, outputs);
    compareWithRun(result.outputs, made, allTensors(inRun.outputs));
    compareAndKeep(request, made, result);
    addCost(*graph, region, changes, context, result);
    addNotes(request, values, repetitions, result);
    return result;
}

session::RerunResult repeat(const session::RerunRequest& request, const session::RerunRegion& region,
                            KeptValues& kept, RunContext& context) {
    const Places places = placesOf(request);
    context.place = places.run;
    const auto make = [&] { return valuesInRun(request, region, places, context); };
    RegionValues values = request.kernel ? kept.valuesOf(request, context, make) : make();
    context.place = places.again;
    const CurrentPlace current(places.again);
    if (places.areOther()) {
        values = movedValues(*request.graph, region, values, places.again);
    }
    session::RerunResult result = request.kernel ? repeatKernel(request, region, values, context)
                                                 : repeatNodes(request, region, values, context);
    notePlaces(places, values, result);
    result.device = places.again.device.str();
    result.clock = places.again.isGpu() ? session::RerunClock::CudaEvents : session::RerunClock::Steady;
    return result;
}

} // namespace

base::Result<session::RerunResult> rerunNodes(const session::RerunRequest& request, KeptValues& kept,
                                              base::Progress progress) {
    const PlainExecution plain{};
    AOTSCOPE_TRY(region, session::rerunRegion(*request.graph, request.nodes));
    const auto start = std::chrono::steady_clock::now();
    RunContext context;
    context.seed = request.run.seed;
    context.progress = std::move(progress);
    return guardedResult("run.operator_failed", [&] {
        session::RerunResult result = repeat(request, region, kept, context);
        result.seed = request.run.seed;
        result.symbols = context.symbols;
        result.notes.insert(result.notes.end(), context.notes.begin(), context.notes.end());
        result.nanoseconds = nanosecondsSince(start);
        return result;
    });
}

} // namespace aotscope::torch
