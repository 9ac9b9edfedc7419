#pragma once

#include "ir/aot_metadata.h"
#include "ir/graph.h"

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// What the inputs and outputs of an exported graph are to the module it was made from. Names and rules are
/// those of torch/export/graph_signature.py (torch 2.11).
namespace aotscope::aot {

struct TensorArgument {
    std::string name;
    friend bool operator==(const TensorArgument&, const TensorArgument&) = default;
};
struct TokenArgument {
    std::string name;
    friend bool operator==(const TokenArgument&, const TokenArgument&) = default;
};
struct SymIntArgument {
    std::string name;
    friend bool operator==(const SymIntArgument&, const SymIntArgument&) = default;
};
struct SymFloatArgument {
    std::string name;
    friend bool operator==(const SymFloatArgument&, const SymFloatArgument&) = default;
};
struct SymBoolArgument {
    std::string name;
    friend bool operator==(const SymBoolArgument&, const SymBoolArgument&) = default;
};
struct CustomObjArgument {
    std::string name;
    std::string classFqn;
    friend bool operator==(const CustomObjArgument&, const CustomObjArgument&) = default;
};
/// None, or a plain value.
using ConstantValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
/// `name` is empty where no node stands for the value.
struct ConstantArgument {
    std::string name;
    ConstantValue value;
    friend bool operator==(const ConstantArgument&, const ConstantArgument&) = default;
};
using ArgumentSpec = std::variant<TensorArgument, SymIntArgument, SymFloatArgument, SymBoolArgument,
                                  ConstantArgument, CustomObjArgument, TokenArgument>;

/// The node that an argument names.
[[nodiscard]] const std::string& argumentName(const ArgumentSpec& argument);

enum class InputKind : std::uint8_t { UserInput, Parameter, Buffer, ConstantTensor, CustomObj, Token };
enum class OutputKind : std::uint8_t {
    UserOutput,
    LossOutput,
    BufferMutation,
    ParameterMutation,
    GradientToParameter,
    GradientToUserInput,
    UserInputMutation,
    Token
};

/// "USER_INPUT"
[[nodiscard]] std::string_view inputKindName(InputKind kind);
[[nodiscard]] std::string_view outputKindName(OutputKind kind);

struct InputSpec {
    InputKind kind = InputKind::UserInput;
    ArgumentSpec arg;
    /// Fully qualified name in the module of a parameter, buffer, constant or custom object.
    std::optional<std::string> target = {};
    /// Of a buffer: whether the module's state holds it.
    std::optional<bool> persistent = {};
    friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

struct OutputSpec {
    OutputKind kind = OutputKind::UserOutput;
    ArgumentSpec arg;
    /// What is mutated or has this gradient: a fully qualified name, or the input node of a user input.
    std::optional<std::string> target = {};
    friend bool operator==(const OutputSpec&, const OutputSpec&) = default;
};

/// Node names to names, in the order of the graph, as a Python dictionary holds them: one entry a key.
using NameMap = std::vector<std::pair<std::string, std::string>>;

struct ExportBackwardSignature {
    NameMap gradientsToParameters;
    NameMap gradientsToUserInputs;
    std::string lossOutput;
    friend bool operator==(const ExportBackwardSignature&, const ExportBackwardSignature&) = default;
};

/// ExportGraphSignature: a value. Inputs come as tokens, parameters, buffers, constants, user inputs; outputs
/// as tokens, what is mutated, user outputs, gradients.
struct GraphSignature {
    std::vector<InputSpec> inputSpecs;
    std::vector<OutputSpec> outputSpecs;

    // The derived properties.
    [[nodiscard]] std::vector<std::string> parameters() const;
    [[nodiscard]] std::vector<std::string> buffers() const;
    [[nodiscard]] std::vector<std::string> nonPersistentBuffers() const;
    [[nodiscard]] std::vector<std::string> liftedTensorConstants() const;
    [[nodiscard]] std::vector<std::string> liftedCustomObjs() const;
    /// Node names, or the values of constants.
    [[nodiscard]] std::vector<ConstantValue> userInputs() const;
    [[nodiscard]] std::vector<ConstantValue> userOutputs() const;
    [[nodiscard]] NameMap inputsToParameters() const;
    [[nodiscard]] NameMap inputsToBuffers() const;
    [[nodiscard]] NameMap inputsToLiftedTensorConstants() const;
    [[nodiscard]] NameMap inputsToLiftedCustomObjs() const;
    [[nodiscard]] NameMap buffersToMutate() const;
    [[nodiscard]] NameMap parametersToMutate() const;
    [[nodiscard]] NameMap userInputsToMutate() const;
    /// Nothing where there is no loss.
    [[nodiscard]] std::optional<ExportBackwardSignature> backwardSignature() const;
    [[nodiscard]] std::vector<std::string> inputTokens() const;
    [[nodiscard]] std::vector<std::string> outputTokens() const;
    /// Output position and name; PyTorch 2.11 keeps the property and always answers None.
    [[nodiscard]] static std::optional<std::pair<std::int64_t, std::string>> assertionDepToken() {
        return {};
    }

    friend bool operator==(const GraphSignature&, const GraphSignature&) = default;
};

/// What the graph alone does not tell.
struct SignatureOptions {
    std::set<std::string, std::less<>> nonPersistentBuffers = {};
    /// Which of the function's outputs is the loss.
    std::optional<std::size_t> lossOutput = {};
};

/// The signature of a graph that AOTAutograd made, from its descriptors. Where its outputs have none, they
/// are read by AOTAutograd's calling convention (GraphSignature.from_tracing_metadata): what is mutated
/// outside of the graph, the outputs, one gradient for each input that requires grad. Tangents are left out:
/// they are no inputs of the function, and an exported graph has none. `metadata` may be null where the
/// descriptors tell everything.
///
/// PyTorch's aot_export_module names output number `lossOutput` of the graph as the loss, which with mutated
/// buffers is one of these; here it is the function's, as in ExportGraphSignature.
///
/// Errors: aot.signature where an input or output has no place in a signature, or graph and metadata
/// contradict.
[[nodiscard]] base::Result<GraphSignature> makeSignature(const ir::Graph& graph,
                                                         const ir::ViewAndMutationMeta* metadata,
                                                         const SignatureOptions& options = {});

/// As PyTorch prints it: `fc1_weight: PARAMETER target='fc1.weight'`, one a line.
[[nodiscard]] std::string signatureText(const GraphSignature& signature);

/// {"input_specs": [{"kind": "PARAMETER", "arg": {"class": "TensorArgument", "name": "p"}, "target": "w",
/// "persistent": null}], "output_specs": […]}. Reading what was written gives the same signature.
[[nodiscard]] std::string signatureToJson(const GraphSignature& signature);
/// Errors: ir.json_syntax; aot.signature where a spec is not as PyTorch allows it, with the position.
[[nodiscard]] base::Result<GraphSignature> signatureFromJson(std::string_view text);

} // namespace aotscope::aot
