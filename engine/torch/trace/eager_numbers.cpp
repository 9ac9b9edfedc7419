#include "trace/eager_numbers.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/executor.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/symbols.h"
#include "run/inputs/tensor_data.h"
#include "run/reference/rounding_noise.h"
#include "run/reference/tensor_distance.h"
#include "run/state/memory_limit.h"
#include "run/state/tensor_copy.h"

#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr std::uint64_t numbersSeed = 1;

/// One eager call of the program, and the mapping of its results to those of the graph.
class EagerCall {
public:
    /// `inputs`: those of the graph, without tokens.
    EagerCall(const EagerSource& source, c10::ArrayRef<IValue> inputs) : m_source(source) {
        for (std::size_t i = 0; i < source.inputs.size(); ++i) {
            m_arguments.push_back(argument(inputs.at(i), i));
        }
    }

    void run() { m_outputs = m_source.program(m_arguments); }
    /// Computes the gradients of the leaves from tangents of the results.
    void differentiate(const std::vector<at::Tensor>& tangents);

    /// The eager value for a result of the graph, by position: mutated inputs, outputs, intermediate bases
    /// (as RuntimeWrapper orders them), then gradients.
    [[nodiscard]] std::optional<IValue> result(std::size_t position) const;
    [[nodiscard]] const IValue& argument(std::size_t index) const { return m_arguments.at(index); }

private:
    [[nodiscard]] IValue argument(const IValue& input, std::size_t index);
    [[nodiscard]] std::optional<IValue> base(std::size_t index) const;
    [[nodiscard]] std::optional<IValue> gradient(std::size_t input) const;

    const EagerSource& m_source;
    std::vector<IValue> m_arguments;
    /// The inputs that require grad, and their positions.
    std::vector<at::Tensor> m_leaves;
    std::vector<std::size_t> m_leafInputs;
    std::vector<at::Tensor> m_gradients;
    std::vector<IValue> m_outputs;
};

IValue EagerCall::argument(const IValue& input, std::size_t index) {
    if (!input.isTensor()) {
        return input;
    }
    at::Tensor tensor = copyWithStorage(input.toTensor());
    if (!m_source.inputs[index].requiresGrad) {
        return tensor;
    }
    m_leaves.push_back(tensor.set_requires_grad(true));
    m_leafInputs.push_back(index);
    const ir::InputAliasInfo& info = m_source.function.metadata.inputInfo.at(index);
    if (!info.mutatesData && !info.mutatesMetadata) {
        return tensor;
    }
    // The program may not write to a leaf that requires grad, so it gets a copy: the caller's tensor was not
    // a leaf, or is written to under no_grad.
    const c10::AutoGradMode grad(true);
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().requires_grad(false))
        .copy_(tensor);
}

/// The intermediate base with that index: the tensor that an output of the program is a view of.
std::optional<IValue> EagerCall::base(std::size_t index) const {
    const std::vector<aot::OutputHandler>& outputs = m_source.runtime().outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].handler == aot::AliasHandler::AliasOfIntermediate &&
            outputs[i].baseIdx == outputs.size() + index && m_outputs[i].isTensor() &&
            m_outputs[i].toTensor().is_view()) {
            return at::Tensor(m_outputs[i].toTensor()._base());
        }
    }
    return std::nullopt;
}

std::optional<IValue> EagerCall::gradient(std::size_t input) const {
    const auto leaf = std::find(m_leafInputs.begin(), m_leafInputs.end(), input);
    return leaf == m_leafInputs.end()
               ? std::nullopt
               : std::optional<IValue>(m_gradients.at(static_cast<std::size_t>(leaf - m_leafInputs.begin())));
}

std::optional<IValue> EagerCall::result(std::size_t position) const {
    const aot::RuntimeWrapper& runtime = m_source.runtime();
    if (position < runtime.mutations.size()) {
        return m_arguments[runtime.mutations[position].input];
    }
    position -= runtime.mutations.size();
    if (position < runtime.outputs.size()) {
        return m_outputs.at(position);
    }
    position -= runtime.outputs.size();
    return position < runtime.numIntermediateBases ? base(position)
                                                   : gradient(position - runtime.numIntermediateBases);
}

void EagerCall::differentiate(const std::vector<at::Tensor>& tangents) {
    std::vector<at::Tensor> roots;
    std::vector<at::Tensor> given;
    const aot::WrapperStep* autograd = aot::findWrapper<aot::AOTDispatchAutograd>(m_source.function.wrappers);
    for (std::size_t i = 0; i < tangents.size() && autograd != nullptr; ++i) {
        const std::size_t position = std::get<aot::AOTDispatchAutograd>(autograd->wrapper).tangents.at(i);
        const auto root = result(position);
        if (!root || !root->isTensor()) {
            fail("trace.numbers",
                 "eager returns no tensor where the graph has result " + std::to_string(position + 1));
        }
        if (root->toTensor().requires_grad()) {
            const at::Tensor& output = root->toTensor();
            const at::Tensor& tangent = tangents[i];
            roots.push_back(output.sizes() == tangent.sizes() ? output : output.view(tangent.sizes()));
            given.push_back(tangent);
        }
    }
    m_gradients.resize(m_leaves.size());
    if (!roots.empty() && !m_leaves.empty()) {
        m_gradients = ::torch::autograd::grad(roots, m_leaves, given, /*retain_graph=*/false,
                                              /*create_graph=*/false, /*allow_unused=*/true);
    }
}

/// Collects each value of the graph with the eager value for it.
class SideBySide {
public:
    void add(ir::Descriptor descriptor, const IValue& traced, const std::optional<IValue>& eager) {
        m_numbers.descriptors.push_back(std::move(descriptor));
        m_numbers.traced.push_back(dataOf(traced));
        std::optional<aot::TensorData>& expected = m_numbers.eager.emplace_back();
        m_eager.emplace_back();
        if (eager) {
            // A gradient of an unused input is None in eager mode and may be zeros in the graph.
            const bool isNone = !isDefined(*eager) && isDefined(traced);
            expected = isNone ? dataOf(at::zeros_like(traced.toTensor())) : dataOf(*eager);
            if (isDefined(*eager)) {
                m_eager.back() = eager->toTensor().detach().clone();
                m_isClose = m_isClose && isClose(traced, m_eager.back());
            }
        }
    }
    /// Whether no value is further from eager's than any two correct runs may be.
    [[nodiscard]] bool isClose() const { return m_isClose; }
    /// Notes how far eager's values are from those of another run.
    void addSpread(const SideBySide& other) {
        m_numbers.spread.resize(m_eager.size());
        for (std::size_t i = 0; i < std::min(m_eager.size(), other.m_eager.size()); ++i) {
            if (!m_eager[i].defined() || !other.m_eager[i].defined() ||
                m_eager[i].sizes() != other.m_eager[i].sizes()) {
                continue;
            }
            const double distance = relativeDistance(other.m_eager[i], m_eager[i]).value_or(0);
            if (std::isfinite(distance)) {
                m_numbers.spread[i] = std::max(m_numbers.spread[i], distance);
            }
        }
    }
    [[nodiscard]] aot::EagerNumbers take() { return std::move(m_numbers); }

private:
    static bool isDefined(const IValue& value) { return value.isTensor() && value.toTensor().defined(); }
    static aot::TensorData dataOf(const IValue& value) {
        return isDefined(value) ? tensorData(value.toTensor().detach()) : valueData(value);
    }

    static bool isClose(const IValue& traced, const at::Tensor& eager) {
        if (!isDefined(traced) || traced.toTensor().sizes() != eager.sizes()) {
            return true;
        }
        return relativeDistance(traced.toTensor(), eager).value_or(0) <= closeDistance(eager.scalar_type());
    }

    aot::EagerNumbers m_numbers;
    /// Eager's values; undefined for what is no tensor.
    std::vector<at::Tensor> m_eager;
    bool m_isClose = true;
};

/// How many tokens the graph takes and returns before everything else: eager has none.
std::size_t countTokens(const ir::Graph& graph) {
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    return static_cast<std::size_t>(
        std::count_if(placeholders.begin(), placeholders.end(), [&](ir::NodeId id) {
            const ir::AOTInput* input = ir::inputDescriptor(graph.node(id));
            return input != nullptr && input->as<ir::ForwardTokenAOTInput>() != nullptr;
        }));
}

std::vector<IValue> makeNumbers(const EagerSource& source, RunContext& context) {
    session::RunOptions options;
    options.seed = numbersSeed;
    options.symbols = source.symbols;
    context = runContextOf(*source.function.graph, options, source.progress);
    context.constants = &source.constants;
    std::vector<IValue> inputs = graphInputs(*source.function.graph, options, context);
    const std::size_t tokens = countTokens(*source.function.graph);
    for (std::size_t i = 0; i < source.inputs.size(); ++i) {
        if (source.inputs[i].requiresGrad && inputs.at(tokens + i).isTensor()) {
            shrinkWeight(inputs[tokens + i].toTensor());
        }
    }
    return inputs;
}

/// Runs the graph and returns its values; mutates the inputs that it writes to.
std::vector<IValue> runTraced(const ir::Graph& graph, const std::vector<IValue>& inputs,
                              RunContext& context) {
    const c10::AutoGradMode noGrad(false);
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    seedGenerator(context.seed);
    return Executor(context).run(graph, inputs);
}

/// Both calls, on inputs of their own.
SideBySide sideBySide(const EagerSource& source, OperatorWatch* watchEager) {
    RunContext context;
    const std::vector<IValue> inputs = makeNumbers(source, context);
    const ir::Graph& graph = *source.function.graph;
    const std::size_t tokens = countTokens(graph);
    EagerCall eager(source, c10::ArrayRef<IValue>(inputs).slice(tokens));
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    std::vector<at::Tensor> tangents;
    for (std::size_t i = tokens + source.inputs.size(); i < placeholders.size(); ++i) {
        tangents.push_back(copyWithStorage(inputs[i].toTensor()));
    }
    const std::vector<IValue> traced = runTraced(graph, inputs, context);
    seedGenerator(context.seed);
    {
        const WatchScope watch(watchEager);
        eager.run();
        eager.differentiate(tangents);
    }
    SideBySide both;
    const auto output = graph.output();
    const std::vector<ir::Descriptor> descriptors =
        output ? graph.node(*output).descriptors : std::vector<ir::Descriptor>();
    for (std::size_t i = tokens; i < traced.size(); ++i) {
        both.add(i < descriptors.size() ? descriptors[i] : ir::Descriptor(), traced[i],
                 eager.result(i - tokens));
    }
    for (std::size_t i = 0; i < source.inputs.size(); ++i) {
        if (source.function.metadata.inputInfo[i].mutationType() == ir::MutationType::MutatedInGraph) {
            both.add({source.inputs[i].descriptor}, inputs[tokens + i], eager.argument(i));
        }
    }
    return both;
}

aot::EagerNumbers runBoth(const EagerSource& source) {
    constexpr std::uint64_t noisyRuns = 4;
    const MemoryLimit limit(availableMemory() / 10 * 9);
    SideBySide both = sideBySide(source, nullptr);
    if (!both.isClose()) {
        for (std::uint64_t run = 0; run < noisyRuns; ++run) {
            RoundingNoise noise(run);
            both.addSpread(sideBySide(source, &noise));
        }
    }
    return both.take();
}

} // namespace

aot::EagerNumbers runForEagerNumbers(const EagerSource& source) {
    aot::EagerNumbers numbers;
    if (const auto error = failureOf(
            "run.operator_failed", [&] { numbers = runBoth(source); }, handledError)) {
        numbers.skipped = firstLine(error->message);
    }
    return numbers;
}

} // namespace aotscope::torch
