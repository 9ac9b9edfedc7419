#include "aot/graph_signature.h"

#include "base/overloaded.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>

namespace aotscope::aot {
namespace {

struct Failure {
    base::Error error;
};

[[noreturn]] void fail(std::string message, std::string node = {}) {
    throw Failure{
        {.code = "aot.signature", .message = std::move(message), .place = {.node = std::move(node)}}};
}

ConstantValue constantOf(const ir::Argument& argument) {
    return std::visit(
        base::Overloaded{
            [](bool value) -> ConstantValue { return value; },
            [](std::int64_t value) -> ConstantValue { return value; },
            [](double value) -> ConstantValue { return value; },
            [](const std::string& value) -> ConstantValue { return value; },
            [](ir::NoneArgument) -> ConstantValue { return std::monostate(); },
            [](const auto& /*other*/) -> ConstantValue {
                fail("A returned value is neither a node nor a number, a text, True, False or None.");
            }},
        argument.value);
}

/// _make_argument_spec of torch/export/graph_signature.py
ArgumentSpec argumentOf(const ir::Node& node) {
    if (ir::asTensor(node.value) != nullptr) {
        return TensorArgument{node.name};
    }
    if (const auto* symbolic = std::get_if<ir::SymbolicMeta>(&node.value)) {
        switch (symbolic->kind) {
        case ir::SymbolicMeta::Kind::Int:
            return SymIntArgument{node.name};
        case ir::SymbolicMeta::Kind::Float:
            return SymFloatArgument{node.name};
        case ir::SymbolicMeta::Kind::Bool:
            return SymBoolArgument{node.name};
        }
    }
    if (const auto* object = std::get_if<ir::OtherMeta>(&node.value)) {
        return CustomObjArgument{node.name, object->text};
    }
    return ConstantArgument{node.name, std::monostate()};
}

class SignatureMaker {
public:
    SignatureMaker(const ir::Graph& graph, const ir::ViewAndMutationMeta* metadata,
                   const SignatureOptions& options)
        : m_graph(graph), m_metadata(metadata), m_options(options) {}

    GraphSignature make() {
        for (const ir::NodeId id : m_graph.placeholders()) {
            addInput(m_graph.node(id));
        }
        const auto output = m_graph.output();
        if (!output) {
            fail("The graph returns nothing.");
        }
        std::vector<const ir::Argument*> returned;
        for (const ir::Argument& argument : m_graph.returned()) {
            ir::forEachLeaf(argument, [&](const ir::Argument& leaf) { returned.push_back(&leaf); });
        }
        const std::vector<ir::Descriptor>& stated = m_graph.node(*output).descriptors;
        const bool described =
            stated.size() == returned.size() && std::ranges::none_of(stated, &ir::Descriptor::derived);
        const auto descriptors = described ? stated : describedByPlace(returned.size());
        for (std::size_t i = 0; i < returned.size(); ++i) {
            addOutput(*returned[i], descriptors[i]);
        }
        check();
        return std::move(m_signature);
    }

private:
    struct Input {
        ir::AOTInput descriptor;
        std::string name;
    };

    void addInput(const ir::Node& node) {
        const ir::AOTInput* input = ir::inputDescriptor(node);
        if (input == nullptr) {
            fail("The input " + node.name + " has no descriptor, so its role in the function is unknown.",
                 node.name);
        }
        if (ir::isTangentOrBackwardToken(*input)) {
            return;
        }
        m_inputs.push_back({*input, node.name});
        InputSpec spec{InputKind::UserInput, argumentOf(node)};
        if (input->as<ir::ForwardTokenAOTInput>() != nullptr) {
            spec = {InputKind::Token, TokenArgument{node.name}};
        } else if (const auto* parameter = input->as<ir::ParamAOTInput>()) {
            spec.kind = InputKind::Parameter;
            spec.target = parameter->target;
        } else if (const auto* buffer = input->as<ir::BufferAOTInput>()) {
            spec.kind = InputKind::Buffer;
            spec.target = buffer->target;
            spec.persistent = !m_options.nonPersistentBuffers.contains(buffer->target);
        } else if (input->as<ir::PlainAOTInput>() == nullptr) {
            fail("The input " + node.name + " is " + ir::descriptorText(*input) +
                     ", which an exported graph cannot have.",
                 node.name);
        }
        m_signature.inputSpecs.push_back(std::move(spec));
    }

    /// Descriptors in AOTAutograd's order: tokens, mutations, user outputs, gradients.
    [[nodiscard]] std::vector<ir::Descriptor> describedByPlace(std::size_t count) const {
        if (m_metadata == nullptr) {
            fail("The graph's outputs have no descriptors and there is no metadata, so their roles are "
                 "unknown.");
        }
        std::vector<ir::Descriptor> descriptors;
        std::vector<const Input*> inputs;
        for (const Input& input : m_inputs) {
            if (const auto* token = input.descriptor.as<ir::ForwardTokenAOTInput>()) {
                descriptors.push_back({ir::AOTOutput(ir::ForwardTokenAOTOutput{token->idx})});
            } else {
                inputs.push_back(&input);
            }
        }
        if (inputs.size() != m_metadata->inputInfo.size()) {
            fail("The graph takes " + std::to_string(inputs.size()) + " inputs, but its metadata describes " +
                 std::to_string(m_metadata->inputInfo.size()) + ".");
        }
        for (const std::size_t index : m_metadata->mutatedInputRuntimeIndices()) {
            descriptors.push_back({ir::AOTOutput(ir::InputMutationAOTOutput{inputs[index]->descriptor})});
        }
        for (std::size_t i = 0; i < m_metadata->outputInfo.size(); ++i) {
            descriptors.push_back({ir::AOTOutput(ir::PlainAOTOutput{static_cast<std::int64_t>(i)})});
        }
        for (std::size_t i = 0; i < inputs.size() && descriptors.size() < count; ++i) {
            if (m_metadata->inputInfo[i].requiresGrad) {
                descriptors.push_back({ir::AOTOutput(ir::GradAOTOutput{inputs[i]->descriptor})});
            }
        }
        if (descriptors.size() != count) {
            fail("The graph returns " + std::to_string(count) + " values, but its metadata describes " +
                 std::to_string(descriptors.size()) + ".");
        }
        return descriptors;
    }

    void addOutput(const ir::Argument& argument, const ir::Descriptor& descriptor) {
        const ir::AOTOutput* output = descriptor.output();
        if (output == nullptr) {
            // An input without a gradient: the graph returns None.
            if (argument.as<ir::NoneArgument>() == nullptr) {
                fail("A returned value has no descriptor, so its role in the function is unknown.");
            }
            return;
        }
        const ir::NodeId* id = argument.as<ir::NodeId>();
        OutputSpec spec{OutputKind::UserOutput, id == nullptr ? ConstantArgument{{}, constantOf(argument)}
                                                              : argumentOf(m_graph.node(*id))};
        const bool isTensor = std::holds_alternative<TensorArgument>(spec.arg);
        if (const auto* mutation = output->as<ir::InputMutationAOTOutput>()) {
            ++m_mutations;
            setTarget(
                spec, *mutation->mutatedInput,
                {OutputKind::ParameterMutation, OutputKind::BufferMutation, OutputKind::UserInputMutation});
        } else if (const auto* gradient = output->as<ir::GradAOTOutput>()) {
            setTarget(spec, *gradient->gradOf,
                      {OutputKind::GradientToParameter, OutputKind::GradientToParameter,
                       OutputKind::GradientToUserInput});
        } else if (output->as<ir::ForwardTokenAOTOutput>() != nullptr && id != nullptr) {
            spec = {OutputKind::Token, TokenArgument{m_graph.node(*id).name}};
        } else if (const auto* plain = output->as<ir::PlainAOTOutput>()) {
            const bool isLoss =
                m_options.lossOutput && static_cast<std::int64_t>(*m_options.lossOutput) == plain->idx;
            m_hasLoss = m_hasLoss || isLoss;
            spec.kind = isLoss && isTensor ? OutputKind::LossOutput : OutputKind::UserOutput;
        } else if (output->as<ir::IntermediateBaseAOTOutput>() == nullptr) {
            fail("An output is " + ir::descriptorText(*output) +
                 ", which an exported graph does not return.");
        }
        m_signature.outputSpecs.push_back(std::move(spec));
    }

    struct Kinds {
        OutputKind parameter;
        OutputKind buffer;
        OutputKind userInput;
    };

    void setTarget(OutputSpec& spec, const ir::AOTInput& input, const Kinds& kinds) const {
        if (const auto* parameter = input.as<ir::ParamAOTInput>()) {
            spec.kind = kinds.parameter;
            spec.target = parameter->target;
        } else if (const auto* buffer = input.as<ir::BufferAOTInput>()) {
            spec.kind = kinds.buffer;
            spec.target = buffer->target;
        } else {
            const auto found = std::ranges::find(m_inputs, input, &Input::descriptor);
            if (found == m_inputs.end()) {
                fail("An output belongs to " + ir::descriptorText(input) +
                     ", which is not an input of the graph.");
            }
            spec.kind = kinds.userInput;
            spec.target = found->name;
        }
    }

    void check() const {
        const std::size_t known =
            m_metadata == nullptr ? m_mutations : m_metadata->mutatedInputRuntimeIndices().size();
        if (m_mutations != known) {
            fail("The graph returns " + std::to_string(m_mutations) +
                 " mutated inputs, but its metadata describes " + std::to_string(known) + ".");
        }
        if (m_options.lossOutput && !m_hasLoss) {
            fail("There is no output " + std::to_string(*m_options.lossOutput) + " to be the loss.");
        }
    }

    const ir::Graph& m_graph;
    const ir::ViewAndMutationMeta* m_metadata;
    const SignatureOptions& m_options;
    std::vector<Input> m_inputs;
    std::size_t m_mutations = 0;
    bool m_hasLoss = false;
    GraphSignature m_signature;
};

} // namespace

base::Result<GraphSignature> makeSignature(const ir::Graph& graph, const ir::ViewAndMutationMeta* metadata,
                                           const SignatureOptions& options) {
    try {
        return SignatureMaker(graph, metadata, options).make();
    } catch (const Failure& failure) {
        return failure.error;
    }
}

} // namespace aotscope::aot
