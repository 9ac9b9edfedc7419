#pragma once

#include "ir/aot_metadata.h"
#include "ir/graph_builder.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The role of each input and output of an exported graph in its module. Follows torch 2.11,
/// torch/export/graph_signature.py, names included.
namespace aotscope::aot {

/// What most classes of arguments hold: the name of a node.
struct NamedArgument {
    std::string name;
    friend bool operator==(const NamedArgument&, const NamedArgument&) = default;
};
struct TensorArgument : NamedArgument {};
struct TokenArgument : NamedArgument {};
struct SymIntArgument : NamedArgument {};
struct SymFloatArgument : NamedArgument {};
struct SymBoolArgument : NamedArgument {};
struct CustomObjArgument {
    std::string name;
    std::string classFqn;
    friend bool operator==(const CustomObjArgument&, const CustomObjArgument&) = default;
};
/// None, or a plain value.
using ConstantValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
/// `name` is empty when no node stands for the value.
struct ConstantArgument {
    std::string name;
    ConstantValue value;
    friend bool operator==(const ConstantArgument&, const ConstantArgument&) = default;
};
using ArgumentSpec = std::variant<TensorArgument, SymIntArgument, SymFloatArgument, SymBoolArgument,
                                  ConstantArgument, CustomObjArgument, TokenArgument>;

/// The node name of the argument.
[[nodiscard]] const std::string& argumentName(const ArgumentSpec& argument);

enum class InputKind : std::uint8_t { UserInput, Parameter, Buffer, ConstantTensor, CustomObj, Token };
AOTSCOPE_WORDS(InputKind, "USER_INPUT", "PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ", "TOKEN")
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
AOTSCOPE_WORDS(OutputKind, "USER_OUTPUT", "LOSS_OUTPUT", "BUFFER_MUTATION", "PARAMETER_MUTATION",
               "GRADIENT_TO_PARAMETER", "GRADIENT_TO_USER_INPUT", "USER_INPUT_MUTATION", "TOKEN")

struct InputSpec {
    InputKind kind = InputKind::UserInput;
    ArgumentSpec arg;
    /// Fully qualified name of the parameter, buffer, constant or custom object in the module.
    std::optional<std::string> target = {};
    /// For a buffer: whether it is in the module's state_dict.
    std::optional<bool> persistent = {};
    friend bool operator==(const InputSpec&, const InputSpec&) = default;
};
AOTSCOPE_MEMBERS(InputSpec, kind, arg, target, persistent)

struct OutputSpec {
    OutputKind kind = OutputKind::UserOutput;
    ArgumentSpec arg;
    /// For a mutation or a gradient, what it belongs to: a fully qualified name, or the node name of a user
    /// input.
    std::optional<std::string> target = {};
    friend bool operator==(const OutputSpec&, const OutputSpec&) = default;
};
AOTSCOPE_MEMBERS(OutputSpec, kind, arg, target)

/// ExportGraphSignature. Inputs are ordered as tokens, parameters, buffers, constants, user inputs; outputs
/// as tokens, mutations, user outputs, gradients.
struct GraphSignature {
    std::vector<InputSpec> inputSpecs;
    std::vector<OutputSpec> outputSpecs;

    /// Renames a node wherever the specs name it.
    void replaceAllUses(std::string_view old, const std::string& name);
    /// For GraphBuilder::addReplaceHook: keeps the outputs of this signature true while its graph is edited,
    /// with `replaceInputs` the inputs as well. The signature must outlive the hook.
    [[nodiscard]] ir::ReplaceHook replaceHook(bool replaceInputs = false);

    friend bool operator==(const GraphSignature&, const GraphSignature&) = default;
};
AOTSCOPE_MEMBERS(GraphSignature, inputSpecs, outputSpecs)

/// What the graph alone does not show.
struct SignatureOptions {
    std::set<std::string, std::less<>> nonPersistentBuffers = {};
    /// Index of the loss among the function's outputs.
    std::optional<std::size_t> lossOutput = {};
};

/// The signature of a traced graph, from its descriptors. Outputs without descriptors are read by
/// AOTAutograd's calling convention (GraphSignature.from_tracing_metadata in
/// torch/_functorch/_aot_autograd/schemas.py): inputs mutated outside of the graph, outputs, one gradient for
/// each input that requires grad. Tangents get no spec: they are not inputs of the function, and an exported
/// graph has none. `metadata` may be null when all outputs have descriptors.
///
/// `lossOutput` counts the function's outputs, as ExportGraphSignature does. PyTorch's aot_export_module
/// counts the graph's outputs, mutated buffers first.
///
/// Errors: aot.signature when an input or output has no place in a signature, or graph and metadata
/// contradict.
[[nodiscard]] base::Result<GraphSignature> makeSignature(const ir::Graph& graph,
                                                         const ir::ViewAndMutationMeta* metadata,
                                                         const SignatureOptions& options = {});

/// As PyTorch prints it, one spec a line: `fc1_weight: PARAMETER target='fc1.weight'`.
[[nodiscard]] std::string signatureText(const GraphSignature& signature);

/// {"input_specs": [{"kind": "PARAMETER", "arg": {"class": "TensorArgument", "name": "p"}, "target": "w",
/// "persistent": null}], "output_specs": […]}. signatureFromJson reads it back unchanged.
[[nodiscard]] std::string signatureToJson(const GraphSignature& signature);
/// Errors: ir.json_syntax; aot.signature with the position of a spec that PyTorch would refuse.
[[nodiscard]] base::Result<GraphSignature> signatureFromJson(std::string_view text);

} // namespace aotscope::aot
