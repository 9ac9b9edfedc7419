#include "rerun/rerun_nodes.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
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

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr std::size_t histogramBins = 64;

void checkDevice(const std::optional<std::string>& device) {
    if (device && *device != "cpu") {
        fail("rerun.no_device", "Nodes can run again only on the CPU here, and not on \"" + *device + "\".");
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

session::RerunResult repeat(const session::RerunRequest& request, const session::RerunRegion& region,
                            RunContext& context) {
    session::RunOptions options = request.run;
    const session::RerunTwist& twist = request.settings.twist;
    for (const auto& [symbol, value] : twist.symbols) {
        options.symbols[symbol] = value;
    }
    checkDevice(twist.device);
    context.symbols = bindSymbols(*request.graph, options);
    std::vector<IValue> given = graphInputs(*request.graph, options, context);
    seedGenerator(options.seed);
    const RegionValues inRun = runUpTo(*request.graph, region, std::move(given), context);
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
    for (const ir::NodeId node : region.nodes) {
        result.nodes.push_back(graph->node(node).name);
    }
    const std::vector<IValue> outputs = repetitions.outputs();
    const std::vector<at::Tensor> made = allTensors(outputs);
    result.inputs = summaries(*graph, region.inputs, values.inputs);
    result.outputs = summaries(*graph, region.outputs, outputs);
    compareWithRun(result.outputs, made, allTensors(inRun.outputs));
    if (request.baseline) {
        compareWithBaseline(result.outputs, made, *request.baseline);
    }
    for (std::size_t i = 0; request.keepOutputs && i < made.size(); ++i) {
        result.outputData.push_back(tensorData(made[i]));
    }
    addNotes(request, values, repetitions, result);
    return result;
}

} // namespace

base::Result<session::RerunResult> rerunNodes(const session::RerunRequest& request, base::Progress progress) {
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
        session::RerunResult result = repeat(request, *region, context);
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
