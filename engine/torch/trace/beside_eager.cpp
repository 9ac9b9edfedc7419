#include "trace/beside_eager.h"

#include "run/executor.h"
#include "run/failure.h"
#include "run/handled_error.h"
#include "run/generator_seed.h"
#include "run/graph_inputs.h"
#include "run/memory_limit.h"
#include "run/symbols.h"
#include "run/tensor_data.h"

#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr std::uint64_t numbersSeed = 1;

/// "PlainAOTOutput(idx=0)" of "TangentAOTInput(output=PlainAOTOutput(idx=0))"; nothing of other descriptors.
std::optional<std::string_view> insideDescriptor(std::string_view text, std::string_view front) {
    if (!text.starts_with(front) || !text.ends_with(')')) {
        return std::nullopt;
    }
    return text.substr(front.size(), text.size() - front.size() - 1);
}

/// A tensor's memory as one row.
at::Tensor wholeStorage(const at::Tensor& tensor) {
    const auto elements = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size());
    return tensor.as_strided({elements}, {1}, 0);
}

/// The same numbers in the same strides, in memory of their own.
at::Tensor copyWithStorage(const at::Tensor& tensor) {
    return wholeStorage(tensor).clone().as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

/// Weights as layers begin with them: sums over what comes in stay as large as that, however deep the model.
void shrinkWeight(const at::Tensor& weight) {
    if (weight.dim() >= 2 && weight.is_floating_point() && weight.size(0) > 0) {
        const double summands = static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
        wholeStorage(weight).div_(std::sqrt(std::max(summands, 1.0)));
    }
}

/// The program called once as eager calls it, and what its results are by descriptor.
class EagerCall {
public:
    EagerCall(const EagerSource& source, const std::vector<IValue>& inputs) : m_source(source) {
        for (std::size_t i = 0; i < source.inputs.size(); ++i) {
            m_arguments.push_back(argument(inputs.at(i), i));
        }
    }

    void run() { m_outputs = m_source.program(m_arguments); }
    void differentiate(const std::vector<std::pair<std::string, at::Tensor>>& tangents);

    /// What a descriptor of the graph's outputs names; None too.
    [[nodiscard]] std::optional<IValue> value(std::string_view descriptor) const;
    [[nodiscard]] const IValue& argument(std::size_t index) const { return m_arguments.at(index); }

private:
    [[nodiscard]] IValue argument(const IValue& input, std::size_t index);
    [[nodiscard]] std::optional<std::size_t> inputIndex(std::string_view descriptor) const;

    const EagerSource& m_source;
    std::vector<IValue> m_arguments;
    /// Those that require grad, with their positions among the inputs.
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
    const ir::InputAliasInfo& info = m_source.metadata.inputInfo.at(index);
    if (!info.mutatesData && !info.mutatesMetadata) {
        return tensor;
    }
    // A leaf must not be written to; what the caller handed in was none, or is written to under no_grad.
    const c10::AutoGradMode grad(true);
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().requires_grad(false))
        .copy_(tensor);
}

std::optional<std::size_t> EagerCall::inputIndex(std::string_view descriptor) const {
    for (std::size_t i = 0; i < m_source.inputs.size(); ++i) {
        if (m_source.inputs[i].descriptor == descriptor) {
            return i;
        }
    }
    return std::nullopt;
}

std::optional<IValue> EagerCall::value(std::string_view descriptor) const {
    if (const auto mutated = insideDescriptor(descriptor, "InputMutationAOTOutput(mutated_input=")) {
        const auto index = inputIndex(*mutated);
        return index ? std::optional(m_arguments[*index]) : std::nullopt;
    }
    if (const auto differentiated = insideDescriptor(descriptor, "GradAOTOutput(grad_of=")) {
        const auto index = inputIndex(*differentiated);
        const auto leaf = std::find(m_leafInputs.begin(), m_leafInputs.end(), index.value_or(SIZE_MAX));
        return leaf == m_leafInputs.end() ? std::nullopt
                                          : std::optional<IValue>(m_gradients.at(
                                                static_cast<std::size_t>(leaf - m_leafInputs.begin())));
    }
    if (const auto of = insideDescriptor(descriptor, "IntermediateBaseAOTOutput(base_of=")) {
        const auto view = value(*of);
        return view && view->isTensor() && view->toTensor().is_view()
                   ? std::optional<IValue>(at::Tensor(view->toTensor()._base()))
                   : std::nullopt;
    }
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        if (descriptor == "PlainAOTOutput(idx=" + std::to_string(i) + ")") {
            return m_outputs[i];
        }
    }
    return std::nullopt;
}

void EagerCall::differentiate(const std::vector<std::pair<std::string, at::Tensor>>& tangents) {
    std::vector<at::Tensor> roots;
    std::vector<at::Tensor> given;
    for (const auto& [descriptor, tangent] : tangents) {
        const auto root = value(descriptor);
        if (!root || !root->isTensor()) {
            fail("trace.numbers", "nothing that eager returns is " + descriptor);
        }
        if (root->toTensor().requires_grad()) {
            const at::Tensor& output = root->toTensor();
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

/// The values of one side by side with the other's.
class SideBySide {
public:
    void add(std::string name, const IValue& traced, const std::optional<IValue>& eager) {
        m_numbers.names.push_back(std::move(name));
        m_numbers.traced.push_back(dataOf(traced));
        std::optional<aot::TensorData>& expected = m_numbers.eager.emplace_back();
        if (eager) {
            // A gradient that nothing reaches is none to eager and may be zeros in a graph.
            const bool isNone = !isDefined(*eager) && isDefined(traced);
            expected = isNone ? dataOf(at::zeros_like(traced.toTensor())) : dataOf(*eager);
        }
    }
    [[nodiscard]] aot::EagerNumbers take() { return std::move(m_numbers); }

private:
    static bool isDefined(const IValue& value) { return value.isTensor() && value.toTensor().defined(); }
    static aot::TensorData dataOf(const IValue& value) {
        return isDefined(value) ? tensorData(value.toTensor().detach()) : valueData(value);
    }

    aot::EagerNumbers m_numbers;
};

std::vector<IValue> makeNumbers(const EagerSource& source, RunContext& context) {
    session::RunOptions options;
    options.seed = context.seed;
    options.symbols = source.symbols;
    context.symbols = bindSymbols(source.graph, options);
    std::vector<IValue> inputs = graphInputs(source.graph, options, context);
    for (std::size_t i = 0; i < source.inputs.size(); ++i) {
        if (source.inputs[i].requiresGrad && inputs.at(i).isTensor()) {
            shrinkWeight(inputs[i].toTensor());
        }
    }
    return inputs;
}

/// The graph's returned values; inputs that it writes to are changed.
std::vector<IValue> runTraced(const ir::Graph& graph, const std::vector<IValue>& inputs,
                              RunContext& context) {
    const c10::AutoGradMode noGrad(false);
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    seedGenerator(context.seed);
    return Executor(context).run(graph, inputs);
}

aot::EagerNumbers runBoth(const EagerSource& source) {
    const MemoryLimit limit(availableMemory() / 10 * 9);
    RunContext context;
    context.seed = numbersSeed;
    context.progress = source.progress;
    context.constants = &source.constants;
    const std::vector<IValue> inputs = makeNumbers(source, context);
    EagerCall eager(source, inputs);
    const std::vector<ir::NodeId> placeholders = source.graph.placeholders();
    std::vector<std::pair<std::string, at::Tensor>> tangents;
    for (std::size_t i = source.inputs.size(); i < placeholders.size(); ++i) {
        const ir::Node& node = source.graph.node(placeholders[i]);
        const auto output = node.descriptors.empty()
                                ? std::nullopt
                                : insideDescriptor(node.descriptors.front(), "TangentAOTInput(output=");
        if (!output || !inputs[i].isTensor()) {
            fail("trace.numbers", "the input " + node.name + " is no gradient of an output");
        }
        tangents.emplace_back(*output, copyWithStorage(inputs[i].toTensor()));
    }
    const std::vector<IValue> traced = runTraced(source.graph, inputs, context);
    seedGenerator(context.seed);
    eager.run();
    eager.differentiate(tangents);

    SideBySide both;
    const auto output = source.graph.output();
    const std::vector<std::string> descriptors =
        output ? source.graph.node(*output).descriptors : std::vector<std::string>();
    for (std::size_t i = 0; i < traced.size(); ++i) {
        const std::string descriptor = i < descriptors.size() ? descriptors[i] : std::string();
        both.add(descriptor, traced[i], eager.value(descriptor));
    }
    for (std::size_t i = 0; i < source.inputs.size(); ++i) {
        if (source.metadata.inputInfo[i].mutationType() == ir::MutationType::MutatedInGraph) {
            both.add(source.inputs[i].descriptor, inputs[i], eager.argument(i));
        }
    }
    return both.take();
}

} // namespace

aot::EagerNumbers runBesideEager(const EagerSource& source) {
    try {
        return runBoth(source);
    } catch (const Canceled&) {
        throw;
    } catch (const std::exception&) {
        aot::EagerNumbers numbers;
        numbers.skipped = firstLine(handledError("run.operator_failed").message);
        return numbers;
    }
}

} // namespace aotscope::torch
