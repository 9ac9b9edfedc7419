#pragma once

#include "ops/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Which ATen overload a call through Python's bindings selects. PyTorch generates one argument parser per
/// function and method from the operators' schemas. The same rules are applied here to the dispatcher's
/// schemas: which overloads a name has, in which order they are tried, and what each parameter accepts.
/// Follows torch 2.11, tools/autograd/gen_python_functions.py and torch/csrc/utils/python_arg_parser.h:
/// PythonArgParser.
namespace aotscope::torch::ops {

/// torch.NAME and torch._C._nn.NAME against Tensor.NAME.
enum class BindingKind : std::uint8_t { Function, Method };

/// A parameter of a signature as Python sees it.
struct Parameter {
    enum class Type : std::uint8_t {
        Tensor,
        Scalar,
        Int,
        Float,
        Bool,
        Complex,
        String,
        DType,
        Layout,
        MemoryFormat,
        Device,
        Generator,
        IntList,
        FloatList,
        ScalarList,
        BoolList,
        TensorList,
        Other
    };
    std::string name;
    Type type = Type::Other;
    /// The list size to which a single number is repeated (`int[2]`); 0: a list is required.
    std::int32_t listSize = 0;
    bool hasDefault = false;
    bool allowsNone = false;
    bool keywordOnly = false;
    /// Position in the operator's schema; -1: a parameter of the binding alone (requires_grad).
    int schemaIndex = -1;
};

/// One signature of a binding, and the operator it calls.
struct Signature {
    c10::OperatorHandle op;
    std::vector<Parameter> parameters = {};
    std::size_t maxPositional = 0;
    bool deprecated = false;
    bool numbersAsTensors = false;
    /// Bindings of factories pass device and pin_memory explicitly where the call leaves them out.
    bool fillsDevice = false;
    bool fillsPinMemory = false;
    /// The operator that writes to `out`; nullopt: the signature has no `out`.
    std::optional<c10::OperatorHandle> outOp = std::nullopt;
    /// For error messages: "add(Tensor input, Tensor other, *, Scalar alpha=1)".
    std::string text = {};
};

/// A function of torch or a method of Tensor, with its signatures in the order in which they are tried.
struct Binding {
    std::string name;
    BindingKind kind = BindingKind::Function;
    std::vector<Signature> signatures;
};

/// A call ready for the dispatcher: the operator and its stack.
struct ResolvedCall {
    c10::OperatorHandle op;
    c10::Stack stack;
    bool requiresGrad = false;
};

/// The binding of an ATen name ("add", "linear", "fft_rfft"); null when the dispatcher has no such operator.
/// Built by the first call that needs it, for all threads, and valid until the program ends.
[[nodiscard]] const Binding* findBinding(std::string_view name, BindingKind kind);

/// The signatures of an ATen name, in the order in which Python's argument parser tries them. Follows torch
/// 2.11, tools/autograd/gen_python_functions.py: sort_overloads.
[[nodiscard]] std::vector<Signature> signaturesOf(std::string_view name, BindingKind kind);

/// Chooses the first signature that accepts the arguments; the first argument of a method is `self`. Throws
/// RunFailure (ops.no_overload) with the argument types and the signatures tried.
[[nodiscard]] ResolvedCall resolve(const Binding& binding, std::span<const Value> args,
                                   const Keywords& kwargs);

/// Matches the arguments to the schema of one operator, as torch.ops does. Throws RunFailure (ops.arguments).
[[nodiscard]] ResolvedCall matchOperator(const c10::OperatorHandle& op, std::span<const Value> args,
                                         const Keywords& kwargs);

/// Whether the bindings of an operator accept Python numbers as tensors (add, mul, …).
[[nodiscard]] bool takesNumbersAsTensors(std::string_view name);

/// All operators of the namespace aten, grouped by name without the overload.
[[nodiscard]] const std::unordered_map<std::string, std::vector<c10::OperatorHandle>>& atenOperators();

} // namespace aotscope::torch::ops
