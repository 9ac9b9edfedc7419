#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <c10/core/SymBool.h>
#include <c10/core/SymFloat.h>
#include <c10/core/SymInt.h>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The Python values that occur in a Dynamo graph.
namespace aotscope::torch::ops {

class Value;
using Values = std::vector<Value>;
/// Keyword arguments in the call's order.
using Keywords = std::vector<std::pair<std::string, Value>>;

struct None {
    friend bool operator==(const None&, const None&) = default;
};
struct Ellipsis {
    friend bool operator==(const Ellipsis&, const Ellipsis&) = default;
};
/// slice(start, stop, step)
struct Slice {
    std::shared_ptr<const Values> parts;
};
/// A Python list: copies share the items.
struct List {
    std::shared_ptr<Values> items;
};
/// A Python tuple. Results of torch.return_types have the names of their fields, a torch.Size has a type
/// name.
struct Tuple {
    struct Data {
        Values items;
        std::vector<std::string> fields;
        std::string typeName;
    };
    std::shared_ptr<const Data> data;
};
/// A dictionary in insertion order.
struct Dict {
    std::shared_ptr<std::vector<std::pair<Value, Value>>> items;
};
/// A function or operator passed as a value, by its FX target.
struct FunctionReference {
    std::string target;
};
/// A nested graph module, as get_attr finds it.
struct GraphReference {
    std::string name;
    ir::GraphPtr graph;
};
/// A Python object that means nothing to the engine. `payload` belongs to the owner of the run; it is null
/// for an expression that the log only prints (`typeName` is then its text).
struct Object {
    std::string typeName;
    std::shared_ptr<void> payload;
};

/// Whether a type is one of these.
template<typename T, typename... Types>
concept OneOf = (std::same_as<T, Types> || ...);

/// One Python value. Integers, floats and bools may be symbolic; a plain integer is a c10::SymInt without a
/// node. Reading a value as another type throws RunFailure (ops.type).
class Value {
public:
    using Variant =
        std::variant<None, at::Tensor, bool, c10::SymInt, c10::SymFloat, c10::SymBool, c10::complex<double>,
                     std::string, c10::ScalarType, c10::Device, c10::Layout, c10::MemoryFormat, Ellipsis,
                     Slice, List, Tuple, Dict, FunctionReference, GraphReference, Object>;

    // Defined in value.cpp, so that not every file that holds values compiles them.
    Value(const Value& other);
    Value(Value&& other) noexcept;
    Value& operator=(const Value& other);
    Value& operator=(Value&& other) noexcept;
    ~Value();

    Value() = default;
    Value(None) {}                                          // NOLINT: implicit by intent
    Value(at::Tensor tensor);                               // NOLINT: undefined becomes None
    Value(c10::SymBool value);                              // NOLINT: a known one becomes bool
    Value(const char* text) : m_value(std::string(text)) {} // NOLINT
    template<OneOf<c10::SymInt, c10::SymFloat, c10::complex<double>, std::string, c10::ScalarType,
                   c10::Device, c10::Layout, c10::MemoryFormat, Ellipsis, Slice, List, Tuple, Dict,
                   FunctionReference, GraphReference, Object, bool>
                 T>
    Value(T value) : m_value(std::move(value)) {} // NOLINT
    template<std::floating_point T>
    Value(T value) : m_value(c10::SymFloat(static_cast<double>(value))) {} // NOLINT
    template<std::integral T>
    requires(!std::same_as<T, bool>) Value(T value) // NOLINT
        : m_value(c10::SymInt(static_cast<std::int64_t>(value))) {}

    [[nodiscard]] static Value list(Values items);
    [[nodiscard]] static Value tuple(Values items, std::vector<std::string> fields = {},
                                     std::string typeName = {});
    /// torch.Size
    [[nodiscard]] static Value size(c10::SymIntArrayRef sizes);
    [[nodiscard]] static Value ints(c10::IntArrayRef items);
    [[nodiscard]] static Value slice(Value start, Value stop, Value step);

    [[nodiscard]] const Variant& variant() const { return m_value; }
    template<typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&m_value);
    }
    template<typename T>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<T>(m_value);
    }

    [[nodiscard]] bool isNone() const { return is<None>(); }
    [[nodiscard]] bool isTensor() const { return is<at::Tensor>(); }
    [[nodiscard]] bool isBool() const { return is<bool>() || is<c10::SymBool>(); }
    /// An integer, not a bool.
    [[nodiscard]] bool isInt() const { return is<c10::SymInt>(); }
    [[nodiscard]] bool isFloat() const { return is<c10::SymFloat>(); }
    [[nodiscard]] bool isString() const { return is<std::string>(); }
    /// Bool, integer, float or complex.
    [[nodiscard]] bool isNumber() const {
        return isBool() || isInt() || isFloat() || is<c10::complex<double>>();
    }
    [[nodiscard]] bool isSequence() const { return is<List>() || is<Tuple>(); }

    [[nodiscard]] const at::Tensor& tensor() const;
    /// An integer or bool.
    [[nodiscard]] c10::SymInt symInt() const;
    /// The same as a plain integer; a symbolic one is guarded.
    [[nodiscard]] std::int64_t integer() const;
    /// A float, integer or bool.
    [[nodiscard]] c10::SymFloat symFloat() const;
    [[nodiscard]] double real() const;
    /// A number as ATen's Scalar.
    [[nodiscard]] c10::Scalar scalar() const;
    [[nodiscard]] const std::string& string() const;
    [[nodiscard]] c10::ScalarType dtype() const;
    /// Elements of a list or tuple.
    [[nodiscard]] std::span<const Value> items() const;
    /// Elements of a list or tuple as integers; any other value is one element.
    [[nodiscard]] std::vector<c10::SymInt> symInts() const;
    /// Python's bool(value). A symbolic number is guarded; a tensor throws.
    [[nodiscard]] bool truth() const;

    /// Python's name of the type ("Tensor", "int", "tuple of (Tensor, int)"), for messages.
    [[nodiscard]] std::string typeName() const;

private:
    Variant m_value;
};

/// "(Tensor, int, dim=int)", for messages.
[[nodiscard]] std::string argumentTypes(std::span<const Value> args, const Keywords& kwargs);

/// Calls `visit(const at::Tensor&)` for every tensor in a value, in order.
template<typename Visit>
void forEachTensor(const Value& value, Visit&& visit) {
    if (const auto* tensor = value.as<at::Tensor>()) {
        visit(*tensor);
    } else if (value.isSequence()) {
        for (const Value& item : value.items()) {
            forEachTensor(item, visit);
        }
    } else if (const auto* dict = value.as<Dict>()) {
        for (const auto& [key, item] : *dict->items) {
            forEachTensor(item, visit);
        }
    }
}

/// The value as a schema's type requires it: integers widen to floats and Scalars, a single number is
/// repeated to a list of the fixed size `count`, None fills optionals, and with `numbersAsTensors` numbers
/// become zero-dimensional wrapped tensors. Throws RunFailure (ops.type).
[[nodiscard]] c10::IValue toIValue(const Value& value, const c10::TypePtr& type,
                                   std::optional<std::int32_t> count, bool numbersAsTensors);

/// A result of the dispatcher as a Python value. Tensor lists become tuples with `listsAsTuples`: torch's
/// bindings return tuples, torch.ops returns lists.
[[nodiscard]] Value fromIValue(const c10::IValue& value, bool listsAsTuples);

/// A zero-dimensional tensor that type promotion treats as the Python number it holds.
[[nodiscard]] at::Tensor wrappedNumber(const Value& number);

} // namespace aotscope::torch::ops
