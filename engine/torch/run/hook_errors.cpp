#include "run/hook_errors.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/backward_again.h"
#include "run/executor.h"
#include "run/generator_seed.h"
#include "run/graph_inputs.h"
#include "run/memory_limit.h"
#include "run/round_trip.h"
#include "run/symbols.h"

#include "ir/pytree.h"
#include "ir/text/descriptor_text.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// A gradient that is smaller than this fraction of the largest one is nothing but rounding.
constexpr double rounding = 1e-6;

/// The nodes that a graph returns, in order; invalid for other values.
std::vector<ir::NodeId> returnedNodes(const ir::Graph& graph) {
    std::vector<ir::NodeId> nodes;
    const auto output = graph.output();
    if (!output || graph.node(*output).args.empty()) {
        return nodes;
    }
    for (const ir::Argument& item : ir::treeLeaves(graph.node(*output).args[0])) {
        const auto* node = item.as<ir::NodeId>();
        nodes.push_back(node != nullptr ? *node : ir::NodeId());
    }
    return nodes;
}

/// One measurement: the forward's saved values, and the backward with and without hooks.
class Measurement {
public:
    Measurement(const session::HookErrorsRequest& request, RunContext& context)
        : m_request(request), m_context(context) {}

    session::HookErrors run() {
        saveForward();
        std::vector<IValue> inputs = backwardInputs();
        seedGenerator(m_request.options.seed, m_context.place.device);
        BackwardAgain backward(*m_request.backward, m_context, std::move(inputs), availableMemory() / 3);
        std::map<ir::NodeId, IValue> all;
        for (std::size_t i = 0; i < m_request.hooks.size(); ++i) {
            m_context.progress.report("Hooks", i, m_request.hooks.size());
            m_made.hooks.push_back(tryHook(m_request.hooks[i], backward, all));
        }
        m_made.together = gradientErrors(backward, all, true);
        m_made.notes = m_context.notes;
        return std::move(m_made);
    }

private:
    void saveForward() {
        const ir::Graph& forward = *m_request.forward;
        const std::vector<IValue> outputs =
            Executor(m_context).run(forward, graphInputs(forward, m_request.options, m_context));
        const std::vector<ir::NodeId> nodes = returnedNodes(forward);
        for (std::size_t i = m_request.forwardOutputs; i < nodes.size() && i < outputs.size(); ++i) {
            if (nodes[i].valid()) {
                m_saved.emplace(forward.node(nodes[i]).name, outputs[i]);
            }
        }
    }

    /// Saved values, and tangents made from the seed.
    std::vector<IValue> backwardInputs() {
        std::vector<IValue> inputs;
        const ir::Graph& backward = *m_request.backward;
        for (const ir::NodeId id : backward.placeholders()) {
            const ir::Node& node = backward.node(id);
            if (const auto saved = m_saved.find(node.name); saved != m_saved.end()) {
                inputs.push_back(saved->second);
                learnSymbols(node.value, saved->second, m_context);
            } else if (const ir::TensorMeta* meta = ir::asTensor(node.value)) {
                inputs.emplace_back(
                    makeTensor(*meta, {}, tensorSeed(m_request.options.seed, node.name), m_context));
            } else if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value)) {
                inputs.push_back(symbolValue(symbol->expression, m_context));
            } else {
                fail("run.unsupported_input",
                     "The backward's input " + node.name + " is neither saved nor a tensor.");
            }
        }
        return inputs;
    }

    session::HookError tryHook(const passes::InlinedHook& hook, BackwardAgain& backward,
                               std::map<ir::NodeId, IValue>& all) {
        session::HookError made;
        made.saved = hook.saved;
        try {
            const auto input = m_request.backward->tryFind(hook.saved);
            const auto saved = m_saved.find(hook.saved);
            if (!input || saved == m_saved.end() || !saved->second.isTensor()) {
                fail("run.hooks", "The backward does not take " + hook.saved + ".");
            }
            const RoundTrip trip = roundTrip(hook, saved->second.toTensor(), m_context);
            made.storedBytes = trip.storedBytes;
            const at::Tensor& tensor = saved->second.toTensor();
            made.value = roundTripError(trip.unpacked, tensor, rootMeanSquare(tensor));
            if (m_request.eachAlone) {
                made.gradients = gradientErrors(backward, {{*input, trip.unpacked}}, false);
            }
            all.emplace(*input, trip.unpacked);
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            base::Error error = handledError("run.operator_failed");
            if (error.code == "cuda.lost") {
                // Nothing more can be measured.
                throw RunFailure(std::move(error));
            }
            made.failure = firstLine(error.message);
        }
        return made;
    }

    /// The sizes that errors of gradients are compared with.
    static std::vector<double> sizesOf(const std::vector<BackwardAgain::Gradient>& gradients) {
        std::vector<double> sizes;
        for (const BackwardAgain::Gradient& gradient : gradients) {
            const bool isTensor = gradient.without.isTensor() && gradient.without.toTensor().defined();
            sizes.push_back(isTensor ? rootMeanSquare(gradient.without.toTensor()) : 0);
        }
        const double largest = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
        for (double& size : sizes) {
            size = std::max(size, largest * rounding);
        }
        return sizes;
    }

    /// The gradients with other values of some inputs, against those without.
    std::vector<session::GradientError>
    gradientErrors(BackwardAgain& backward, const std::map<ir::NodeId, IValue>& inputs, bool alsoUnreached) {
        std::vector<session::GradientError> errors;
        const auto gradients = backward.gradientsWith(inputs);
        const std::vector<ir::NodeId> nodes = returnedNodes(*m_request.backward);
        const ir::Node& output = m_request.backward->node(*m_request.backward->output());
        if (m_sizes.empty()) {
            m_sizes = sizesOf(gradients);
        }
        for (std::size_t i = 0; i < gradients.size() && i < nodes.size(); ++i) {
            const bool isTensor = nodes[i].valid() && gradients[i].without.isTensor();
            if (!isTensor || (!alsoUnreached && !gradients[i].isReached)) {
                continue;
            }
            const ir::AOTOutput* descriptor = ir::outputDescriptor(output, i);
            errors.push_back({descriptor != nullptr ? ir::descriptorText(*descriptor)
                                                    : m_request.backward->node(nodes[i]).name,
                              gradients[i].isReached
                                  ? roundTripError(gradients[i].with.toTensor(),
                                                   gradients[i].without.toTensor(), m_sizes[i])
                                  : session::RoundTripError()});
        }
        return errors;
    }

    const session::HookErrorsRequest& m_request;
    RunContext& m_context;
    session::HookErrors m_made;
    /// One for each gradient, once they are known.
    std::vector<double> m_sizes;
    std::map<std::string, IValue> m_saved;
};

} // namespace

base::Result<session::HookErrors> measureHooks(const session::HookErrorsRequest& request,
                                               base::Progress progress) {
    const c10::AutoGradMode noGradients(false);
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    const MemoryLimit limit(availableMemory() / 10 * 9);
    const auto start = std::chrono::steady_clock::now();
    RunContext context;
    context.seed = request.options.seed;
    context.progress = std::move(progress);
    try {
        context.place = placeFor(request.options.device, *request.forward);
        const CurrentPlace current(context.place);
        context.symbols = bindSymbols(*request.forward, request.options);
        seedGenerator(request.options.seed, context.place.device);
        session::HookErrors made = Measurement(request, context).run();
        made.nanoseconds =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
                .count();
        return made;
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const std::exception&) {
        base::Error error = handledError("run.operator_failed");
        error.message = firstLine(error.message);
        return error;
    }
}

} // namespace aotscope::torch
