#pragma once

#include "ops/value.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Which ATen overload a call through Python's bindings means. PyTorch generates one argument parser per
/// function and method from the operators' schemas; the same rules are applied here to the schemas that the
/// dispatcher knows: which overloads a name has, in which order they are tried, and what each parameter
/// accepts.
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
    /// The fixed size of a list to which a lone number may be repeated; 0: none.
    std::int32_t listSize = 0;
    bool hasDefault = false;
    bool allowsNone = false;
    bool keywordOnly = false;
    /// Position in the operator's schema; -1: known to the binding only (requires_grad).
    int schemaIndex = -1;
};

/// One signature of a binding, and the operator it calls.
struct Signature {
    c10::OperatorHandle op;
    std::vector<Parameter> parameters = {};
    std::size_t maxPositional = 0;
    bool deprecated = false;
    bool numbersAsTensors = false;
    /// A factory's binding fills in device and pin_memory, which the operator leaves open.
    bool fillsDevice = false;
    bool fillsPinMemory = false;
    /// The operator that writes to `out`, and where that goes; none: `out` is not taken.
    std::optional<c10::OperatorHandle> outOp = std::nullopt;
    /// As the error message shows it: "add(Tensor input, Tensor other, *, Scalar alpha=1)".
    std::string text = {};
};

/// A name of torch or of Tensor with its signatures in the order in which they are tried.
struct Binding {
    std::string name;
    BindingKind kind = BindingKind::Function;
    std::vector<Signature> signatures;
};

/// A call made ready: the operator and its stack.
struct ResolvedCall {
    c10::OperatorHandle op;
    c10::Stack stack;
    bool requiresGrad = false;
};

/// The bindings looked up so far; cheap to make, not thread safe.
class Bindings {
public:
    /// The binding of an ATen name ("add", "linear", "fft_rfft"); null when the dispatcher has none such.
    [[nodiscard]] const Binding* find(std::string_view name, BindingKind kind);

private:
    struct Key {
        std::string name;
        BindingKind kind;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return std::hash<std::string>{}(key.name) * 2 + static_cast<std::size_t>(key.kind);
        }
    };
    std::unordered_map<Key, std::unique_ptr<const Binding>, Hash> m_bindings;
};

/// Chooses the signature that the arguments fit; a method's first argument is `self`. Throws RunFailure
/// (ops.no_overload) with the argument types and the signatures tried.
[[nodiscard]] ResolvedCall resolve(const Binding& binding, std::span<const Value> args,
                                   const Keywords& kwargs);

/// Arguments laid out as one operator's own schema wants them, as torch.ops does it. Throws RunFailure
/// (ops.arguments).
[[nodiscard]] ResolvedCall matchOperator(const c10::OperatorHandle& op, std::span<const Value> args,
                                         const Keywords& kwargs);

/// Whether the bindings of an operator take Python numbers for tensors (add, mul, …).
[[nodiscard]] bool takesNumbersAsTensors(std::string_view name);

/// All operators of the namespace aten by name, without overloads.
[[nodiscard]] const std::unordered_map<std::string, std::vector<c10::OperatorHandle>>& atenOperators();

} // namespace aotscope::torch::ops
