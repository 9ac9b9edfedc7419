#include "rerun/rerun_nodes.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "rerun/cpu_limits.h"
#include "rerun/fused_repetitions.h"
#include "rerun/repetitions.h"
#include "rerun/twist.h"
#include "rerun/value_difference.h"
#include "run/generator_seed.h"
#include "run/graph_inputs.h"
#include "run/memory_limit.h"
#include "run/statistics.h"
#include "run/symbols.h"
#include "run/tensor_data.h"
#include "run/value_access.h"

#include "kernels/node_cost.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr std::size_t histogramBins = 64;

void checkDevice(const std::optional<std::string>& device) {
    if (device && *device != "cpu") {
        fail("rerun.no_device",
             "Nodes can run again only on the CPU so far, and not on \"" + *device + "\".");
    }
}

std::vector<session::RerunValue> summaries(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes,
                                           const std::vector<IValue>& values) {
    std::vector<session::RerunValue> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::size_t output = 0;
        forEachTensor(values[i], [&](const at::Tensor& tensor) {
            all.push_back(
                {graph.node(nodes[i]).name, output++, summarize(tensor, true, histogramBins), {}, {}});
        });
    }
    return all;
}

/// The tensors of all values, one after the other.
std::vector<at::Tensor> allTensors(const std::vector<IValue>& values) {
    std::vector<at::Tensor> all;
    for (const IValue& value : values) {
        forEachTensor(value, [&](const at::Tensor& tensor) { all.push_back(tensor); });
    }
    return all;
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

void addNotes(const session::RerunRequest& request, const RegionValues& values,
              const Repetitions& repetitions, session::RerunResult& result) {
    const auto times = session::rerunTimes(result.samples, 1);
    if (values.othersDraw) {
        result.notes.emplace_back(
            "Nodes between these draw random numbers too, so that these draw others than in "
            "the run.");
    }
    if (repetitions.hasGeneralCalls()) {
        result.notes.emplace_back(
            "A node is no operator of LibTorch; its time includes reading its arguments.");
    }
    if (times && times->median > 0 && result.overheadNanoseconds > 0.02 * times->median) {
        std::array<char, 160> text{};
        std::snprintf(text.data(), text.size(),
                      "The nodes are so short that %.0f %% of their time is the loop that measures them.",
                      100 * result.overheadNanoseconds / times->median);
        result.notes.emplace_back(text.data());
    }
    if (!request.settings.twist.sizes.empty()) {
        result.notes.emplace_back("Inputs with other sizes have the real values, repeated or cut off.");
    }
}

std::vector<std::string> namesOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes) {
    std::vector<std::string> names;
    for (const ir::NodeId node : nodes) {
        names.push_back(graph.node(node).name);
    }
    return names;
}

void keepData(const session::RerunRequest& request, const std::vector<at::Tensor>& made,
              session::RerunResult& result) {
    for (std::size_t i = 0; request.keepOutputs && i < made.size(); ++i) {
        result.outputData.push_back(tensorData(made[i]));
    }
}

/// What the nodes do by the formulas of their operators, if their sizes are those of the graph.
void addCost(const ir::Graph& graph, const session::RerunRegion& region, const session::RerunTwist& twist,
             const ir::SymbolBindings& symbols, session::RerunResult& result) {
    if (!twist.sizes.empty() || twist.dtype) {
        return;
    }
    session::RerunCost cost;
    for (const ir::NodeId id : region.nodes) {
        const kernels::NodeCost node = kernels::nodeCost(graph, id, symbols);
        cost.bytes += std::llround(node.bytesRead + node.bytesWritten);
        cost.flops += std::llround(node.flops + node.elementOperations);
        if (!node.isKnown) {
            cost.unknown.push_back(graph.node(id).name);
        }
    }
    result.cost = std::move(cost);
    result.limits = cpuLimits();
}

/// Runs the graph up to the nodes.
RegionValues valuesInRun(const session::RerunRequest& request, const session::RerunRegion& region,
                         RunContext& context) {
    session::RunOptions options = request.run;
    for (const auto& [symbol, value] : request.settings.twist.symbols) {
        options.symbols[symbol] = value;
    }
    context.symbols = bindSymbols(*request.graph, options);
    std::vector<IValue> given = graphInputs(*request.graph, options, context);
    seedGenerator(options.seed);
    return runUpTo(*request.graph, region, std::move(given), context);
}

session::RerunResult repeatKernel(const session::RerunRequest& request, const session::RerunRegion& region,
                                  const RegionValues& inRun, RunContext& context) {
    const session::RerunTwist& twist = request.settings.twist;
    if (twist.dtype || !twist.sizes.empty() || twist.deterministic) {
        fail("rerun.twist",
             "A fused kernel is written for one dtype and one size, so that only its symbols and its "
             "text can be changed.",
             "Run the nodes' operators with another dtype, or change the kernel's text.");
    }
    FusedRepetitions repetitions(*request.graph, region, inRun, *request.kernel, context);
    session::RerunResult result;
    result.nodes = namesOf(*request.graph, region.nodes);
    result.build = repetitions.build();
    result.inputs = summaries(*request.graph, region.inputs, inRun.inputs);
    if (result.build->isRefused()) {
        return result;
    }
    result.samples = repetitions.measure(request.settings);
    const std::vector<at::Tensor> expected = repetitions.expected();
    std::vector<at::Tensor> made;
    for (const KernelResult& each : repetitions.results()) {
        session::RerunValue value{request.graph->node(each.name.node).name,
                                  each.name.result,
                                  summarize(each.tensor, true, histogramBins),
                                  {},
                                  {}};
        if (const at::Tensor& right = expected[made.size()]; right.defined()) {
            value.fromRun = valueDifference(each.tensor, right);
        }
        result.outputs.push_back(std::move(value));
        made.push_back(each.tensor);
    }
    if (request.baseline) {
        compareWithBaseline(result.outputs, made, *request.baseline);
    }
    keepData(request, made, result);
    result.notes.emplace_back(
        "The kernel ran on this computer's CPU, thread after thread: its time says nothing of a GPU's.");
    return result;
}

session::RerunResult repeatNodes(const session::RerunRequest& request, const session::RerunRegion& region,
                                 const RegionValues& inRun, RunContext& context) {
    const session::RerunTwist& twist = request.settings.twist;
    const ir::GraphPtr graph = twistedGraph(request.graph, region, twist);
    const RegionValues values = twistedValues(*graph, region, inRun, twist);
    const DeterministicAlgorithms deterministic(twist.deterministic);
    Repetitions repetitions(*graph, region, values, context);
    session::RerunResult result;
    result.overheadNanoseconds = repetitions.overhead();
    result.samples = repetitions.measure(request.settings);
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
    if (request.baseline) {
        compareWithBaseline(result.outputs, made, *request.baseline);
    }
    keepData(request, made, result);
    addCost(*graph, region, twist, context.symbols, result);
    addNotes(request, values, repetitions, result);
    return result;
}

session::RerunResult repeat(const session::RerunRequest& request, const session::RerunRegion& region,
                            KeptValues& kept, RunContext& context) {
    checkDevice(request.settings.twist.device);
    const auto make = [&] { return valuesInRun(request, region, context); };
    const RegionValues inRun = request.kernel ? kept.valuesOf(request, context, make) : make();
    return request.kernel ? repeatKernel(request, region, inRun, context)
                          : repeatNodes(request, region, inRun, context);
}

} // namespace

base::Result<session::RerunResult> rerunNodes(const session::RerunRequest& request, KeptValues& kept,
                                              base::Progress progress) {
    // The graphs already contain the backward, so autograd and version counters are off.
    const c10::AutoGradMode noGradients(false);
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    const MemoryLimit limit(availableMemory() / 10 * 9);
    const auto region = session::rerunRegion(*request.graph, request.nodes);
    if (!region) {
        return region.error();
    }
    const auto start = std::chrono::steady_clock::now();
    RunContext context;
    context.seed = request.run.seed;
    context.progress = std::move(progress);
    try {
        session::RerunResult result = repeat(request, *region, kept, context);
        result.device = "cpu";
        result.seed = request.run.seed;
        result.symbols = context.symbols;
        result.notes.insert(result.notes.end(), context.notes.begin(), context.notes.end());
        result.nanoseconds =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
                .count();
        return result;
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const std::exception&) {
        return handledError("run.operator_failed");
    }
}

} // namespace aotscope::torch
