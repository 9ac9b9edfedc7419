#include "run/measuring/hook_errors.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/backward_again.h"
#include "run/execution/executor.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/symbols.h"
#include "run/measuring/round_trip.h"
#include "run/state/memory_limit.h"
#include "run/state/value_access.h"

#include "ir/graph.h"
#include "ir/text/descriptor_text.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// A gradient that is smaller than this fraction of the largest one is nothing but rounding.
constexpr double rounding = 1e-6;

/// A step that takes more memory is not kept for the next request.
constexpr std::int64_t mostKeptBytes = std::int64_t{1} << 30;

/// What was measured of one hook.
struct Tried {
    passes::InlinedHook hook;
    session::HookError error;
    /// Undefined: it failed.
    at::Tensor unpacked;
    bool hasGradients = false;
};

bool isSame(const ir::GraphPtr& left, const ir::GraphPtr& right) {
    return left == right || (left && right && ir::equalGraphs(*left, *right));
}

bool isSame(const passes::InlinedHook& left, const passes::InlinedHook& right) {
    return left.saved == right.saved && isSame(left.pack, right.pack) && isSame(left.unpack, right.unpack);
}

/// While it lives, kernels that this thread starts do not share their work out to other threads.
class OneThread {
public:
    OneThread() { at::set_num_threads(1); }
    ~OneThread() { at::set_num_threads(m_before); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int m_before = at::get_num_threads();
};

/// A kernel reads or writes this much in about a tenth of a millisecond.
constexpr std::int64_t smallBytes = std::int64_t{1} << 20;

/// For graphs whose values are small: waking and awaiting another thread takes longer than what it could do,
/// and many times longer while other programs keep the processor busy. Null for graphs of large values.
std::unique_ptr<OneThread> oneThreadIfSmall(const ir::Graph& graph) {
    std::int64_t bytes = 0;
    std::int64_t tensors = 0;
    for (const ir::NodeId id : graph.order()) {
        if (const ir::TensorMeta* tensor = ir::asTensor(graph.node(id).value)) {
            bytes += tensor->bytes(graph.symbolHints()).value_or(0);
            ++tensors;
        }
    }
    const bool isSmall = tensors == 0 || bytes / tensors < smallBytes;
    return isSmall && at::get_num_threads() > 1 ? std::make_unique<OneThread>() : nullptr;
}

} // namespace

/// A training step that was run without hooks: the forward's saved values, and the backward, which can be run
/// again with others; and what was measured of the hooks of the last request.
class MeasuredStep {
public:
    /// Runs it. Throws as Executor::run.
    MeasuredStep(const session::HookErrorsRequest& request, const base::Progress& progress)
        : m_forward(request.forward),
          m_backward(request.backward),
          m_forwardOutputs(request.forwardOutputs),
          m_options(request.options),
          m_context(runContextOf(*m_forward, m_options, progress)) {
        seedGenerator(m_options.seed, m_context.place.device);
        saveForward();
        std::vector<IValue> inputs = backwardInputs();
        seedGenerator(m_options.seed, m_context.place.device);
        m_again =
            std::make_unique<BackwardAgain>(*m_backward, m_context, std::move(inputs), availableMemory() / 3);
        m_notes = m_context.notes;
    }

    /// Whether a request is about the same run.
    [[nodiscard]] bool isOf(const session::HookErrorsRequest& request) const {
        return m_options.inputs.empty() && request.options.inputs.empty() &&
               m_options.seed == request.options.seed && m_options.device == request.options.device &&
               m_options.symbols == request.options.symbols && m_forwardOutputs == request.forwardOutputs &&
               isSame(m_forward, request.forward) && isSame(m_backward, request.backward);
    }

    session::HookErrors measure(const session::HookErrorsCall& call, base::Progress progress) {
        using session::HookErrorsPart;
        const session::HookErrorsRequest& request = call.request;
        m_context.progress = std::move(progress);
        m_context.notes = m_notes;
        tryAll(request.hooks);
        if (call.onPart) {
            call.onPart(answer(request.hooks, HookErrorsPart::Values));
        }
        if (!request.eachAlone) {
            m_together = gradientErrors(allUnpacked(), true);
            return answer(request.hooks, HookErrorsPart::Together);
        }
        tellTogether(call);
        if (addAllGradients(request.hooks) || !m_together) {
            m_together = gradientErrors(allUnpacked(), true);
        }
        return answer(request.hooks, HookErrorsPart::Alone);
    }

private:
    void saveForward() {
        const ir::Graph& forward = *m_forward;
        const std::vector<IValue> outputs =
            Executor(m_context).run(forward, graphInputs(forward, m_options, m_context));
        const std::vector<ir::NodeId> nodes = ir::returnedNodes(forward);
        for (std::size_t i = m_forwardOutputs; i < nodes.size() && i < outputs.size(); ++i) {
            if (nodes[i].valid()) {
                m_saved.emplace(forward.node(nodes[i]).name, outputs[i]);
            }
        }
    }

    /// Saved values, and tangents from the seed.
    std::vector<IValue> backwardInputs() {
        std::vector<IValue> inputs;
        const ir::Graph& backward = *m_backward;
        for (const ir::NodeId id : backward.placeholders()) {
            const ir::Node& node = backward.node(id);
            if (const auto saved = m_saved.find(node.name); saved != m_saved.end()) {
                inputs.push_back(saved->second);
                learnSymbols(node.value, saved->second, m_context);
            } else if (const ir::TensorMeta* meta = ir::asTensor(node.value)) {
                inputs.emplace_back(makeTensor(*meta, {}, tensorSeed(m_options.seed, node.name), m_context));
            } else if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value)) {
                inputs.push_back(symbolValue(symbol->expression, m_context));
            } else {
                fail("run.unsupported_input",
                     "The backward's input " + node.name + " is neither saved nor a tensor.");
            }
        }
        return inputs;
    }

    /// The round trips. What was measured of other hooks is forgotten.
    void tryAll(const std::vector<passes::InlinedHook>& hooks) {
        m_together.reset();
        std::map<std::string, Tried> tried;
        for (std::size_t i = 0; i < hooks.size(); ++i) {
            m_context.progress.report("Hooks", i, hooks.size());
            tried.insert_or_assign(hooks[i].saved, tryAgain(hooks[i]));
        }
        m_tried = std::move(tried);
    }

    /// What each hook alone does, as far as it is not known. Whether one fails that did not before.
    bool addAllGradients(const std::vector<passes::InlinedHook>& hooks) {
        bool anyFails = false;
        for (std::size_t i = 0; i < hooks.size(); ++i) {
            m_context.progress.report("Gradients", i, hooks.size());
            Tried& tried = m_tried.at(hooks[i].saved);
            if (!tried.hasGradients && tried.unpacked.defined()) {
                addGradients(tried);
                anyFails = anyFails || !tried.unpacked.defined();
            }
        }
        return anyFails;
    }

    /// Tells all gradients before what each hook does alone. If the backward fails, it is not known yet whose
    /// tensor it cannot be run with.
    void tellTogether(const session::HookErrorsCall& call) {
        if (!call.onPart) {
            return;
        }
        if (!failureOf("run.operator_failed", [&] { m_together = gradientErrors(allUnpacked(), true); })) {
            call.onPart(answer(call.request.hooks, session::HookErrorsPart::Together));
        }
    }

    std::map<ir::NodeId, IValue> allUnpacked() const {
        std::map<ir::NodeId, IValue> all;
        for (const auto& [saved, tried] : m_tried) {
            if (tried.unpacked.defined()) {
                all.emplace(*m_backward->tryFind(saved), tried.unpacked);
            }
        }
        return all;
    }

    session::HookErrors answer(const std::vector<passes::InlinedHook>& hooks,
                               session::HookErrorsPart part) const {
        session::HookErrors made;
        made.part = part;
        for (const passes::InlinedHook& hook : hooks) {
            made.hooks.push_back(m_tried.at(hook.saved).error);
            if (part != session::HookErrorsPart::Alone) {
                made.hooks.back().gradients.clear();
            }
        }
        if (m_together) {
            made.together = *m_together;
        }
        made.notes = m_context.notes;
        return made;
    }

    /// What is known of the hook, else its round trip.
    Tried tryAgain(const passes::InlinedHook& hook) {
        const auto known = m_tried.find(hook.saved);
        return known != m_tried.end() && isSame(known->second.hook, hook) ? known->second : tryHook(hook);
    }

    Tried tryHook(const passes::InlinedHook& hook) {
        Tried made{hook, {}, {}};
        made.error.saved = hook.saved;
        const auto failed = failureOf("run.operator_failed", [&] {
            const auto saved = m_saved.find(hook.saved);
            if (!m_backward->tryFind(hook.saved) || saved == m_saved.end() || !saved->second.isTensor()) {
                fail("run.hooks", "The backward does not take " + hook.saved + ".");
            }
            // The same numbers whatever was measured before.
            seedGenerator(tensorSeed(m_options.seed, hook.saved), m_context.place.device);
            const at::Tensor& tensor = saved->second.toTensor();
            RoundTrip trip = roundTrip(hook, tensor, m_context);
            made.error.storedBytes = trip.storedBytes;
            const auto [size, isNew] = m_savedSizes.try_emplace(hook.saved, 0.0);
            if (isNew) {
                size->second = rootMeanSquare(tensor);
            }
            made.error.value = roundTripError(trip.unpacked, tensor, size->second);
            made.unpacked = std::move(trip.unpacked);
        });
        if (failed) {
            made.error.failure = firstLine(failed->message);
        }
        return made;
    }

    /// What the hook alone does to the gradients. It fails as a whole if this fails.
    void addGradients(Tried& tried) {
        const auto failed = failureOf("run.operator_failed", [&] {
            const ir::NodeId input = *m_backward->tryFind(tried.hook.saved);
            tried.error.gradients = gradientErrors({{input, tried.unpacked}}, false);
            tried.hasGradients = true;
        });
        if (failed) {
            tried.error.failure = firstLine(failed->message);
            tried.unpacked.reset();
        }
    }

    /// The sizes that errors of gradients are compared with.
    static std::vector<double> sizesOf(const std::vector<BackwardAgain::Gradient>& gradients) {
        std::vector<double> sizes = base::mapped(gradients, [](const BackwardAgain::Gradient& gradient) {
            const at::Tensor* tensor = tensorIn(gradient.without);
            return tensor != nullptr ? rootMeanSquare(*tensor) : 0;
        });
        const double largest = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
        for (double& size : sizes) {
            size = std::max(size, largest * rounding);
        }
        return sizes;
    }

    /// The gradients with other values of some inputs, against those without.
    std::vector<session::GradientError> gradientErrors(const std::map<ir::NodeId, IValue>& inputs,
                                                       bool alsoUnreached) {
        std::vector<session::GradientError> errors;
        const auto gradients = m_again->gradientsWith(inputs);
        const std::vector<ir::NodeId> nodes = ir::returnedNodes(*m_backward);
        const ir::Node& output = m_backward->node(*m_backward->output());
        if (m_sizes.empty()) {
            m_sizes = sizesOf(gradients);
        }
        for (std::size_t i = 0; i < gradients.size() && i < nodes.size(); ++i) {
            const bool isTensor = nodes[i].valid() && gradients[i].without.isTensor();
            if (!isTensor || (!alsoUnreached && !gradients[i].isReached)) {
                continue;
            }
            const ir::AOTOutput* descriptor = ir::outputDescriptor(output, i);
            errors.push_back(
                {descriptor != nullptr ? ir::descriptorText(*descriptor) : m_backward->node(nodes[i]).name,
                 gradients[i].isReached ? roundTripError(gradients[i].with.toTensor(),
                                                         gradients[i].without.toTensor(), m_sizes[i])
                                        : session::RoundTripError()});
        }
        return errors;
    }

    ir::GraphPtr m_forward;
    ir::GraphPtr m_backward;
    std::size_t m_forwardOutputs = 0;
    session::RunOptions m_options;
    RunContext m_context;
    /// Notes of the run without hooks.
    std::vector<std::string> m_notes;
    std::map<std::string, IValue> m_saved;
    /// Their root mean squares, as far as they were needed.
    std::map<std::string, double> m_savedSizes;
    std::unique_ptr<BackwardAgain> m_again;
    /// One for each gradient, once they are known.
    std::vector<double> m_sizes;
    /// By the saved tensor.
    std::map<std::string, Tried> m_tried;
    /// Of all of these together, once they are known.
    std::optional<std::vector<session::GradientError>> m_together;
};

HookMeasurer::HookMeasurer() = default;
HookMeasurer::~HookMeasurer() = default;

base::Result<session::HookErrors> HookMeasurer::measure(const session::HookErrorsCall& call,
                                                        base::Progress progress) {
    const session::HookErrorsRequest& request = call.request;
    const auto start = std::chrono::steady_clock::now();
    if (m_step && !m_step->isOf(request)) {
        m_step.reset();
    }
    const PlainExecution plain{};
    auto measured = guardedResult("run.operator_failed", [&] {
        const CurrentPlace current(placeFor(request.options.device, *request.forward));
        const auto oneThread = oneThreadIfSmall(*request.forward);
        const MemoryMeter meter(c10::kCPU);
        if (!m_step) {
            const std::int64_t before = meter.allocated();
            m_step = std::make_unique<MeasuredStep>(request, progress);
            m_bytes = meter.allocated() - before;
        }
        const std::int64_t before = meter.allocated();
        session::HookErrors made = m_step->measure(call, std::move(progress));
        made.nanoseconds = nanosecondsSince(start);
        m_bytes += meter.allocated() - before;
        if (m_bytes > mostKeptBytes) {
            m_step.reset();
        }
        return made;
    });
    if (!measured && !base::isCanceled(measured.error())) {
        m_step.reset();
        measured.error().message = firstLine(measured.error().message);
    }
    return measured;
}

} // namespace aotscope::torch
