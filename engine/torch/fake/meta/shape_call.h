#pragma once

#include "torch_headers.h"

#include <c10/core/MemoryFormat.h>

#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// The results of a shape rule in schema order. An undefined tensor stands for a result that was not
/// requested (a masked-out gradient).
using ShapeResults = std::vector<c10::IValue>;

/// One call of an operator on meta tensors. Arguments are found by their names in the schema, so that one
/// rule serves every overload that has them. References the arguments; valid only during the call.
class ShapeCall {
public:
    ShapeCall(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments)
        : m_schema(schema), m_arguments(arguments) {}

    [[nodiscard]] const c10::FunctionSchema& schema() const { return m_schema; }
    [[nodiscard]] c10::ArrayRef<c10::IValue> arguments() const { return m_arguments; }

    /// Whether the schema has the argument and it is not None.
    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] const c10::IValue& value(std::string_view name) const;

    /// Undefined for None.
    [[nodiscard]] at::Tensor tensor(std::string_view name) const;
    /// Undefined tensors for the elements that are None.
    [[nodiscard]] std::vector<at::Tensor> tensors(std::string_view name) const;
    [[nodiscard]] std::int64_t integer(std::string_view name) const { return value(name).toInt(); }
    /// Empty for None.
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const { return value(name).toBool(); }
    [[nodiscard]] std::vector<bool> flags(std::string_view name) const {
        return value(name).toBoolList().vec();
    }
    [[nodiscard]] double number(std::string_view name) const { return value(name).toScalar().toDouble(); }
    [[nodiscard]] std::string text(std::string_view name) const { return value(name).toStringRef(); }
    /// Nothing for None, and where the schema has no such argument.
    [[nodiscard]] std::optional<c10::ScalarType> dtype(std::string_view name = "dtype") const;
    [[nodiscard]] std::optional<c10::MemoryFormat> memoryFormat() const;

    /// The first tensor among the arguments.
    [[nodiscard]] at::Tensor firstTensor() const;
    /// Every defined tensor among the arguments, those in lists included.
    [[nodiscard]] std::vector<at::Tensor> allTensors() const;

private:
    const c10::FunctionSchema& m_schema;
    c10::ArrayRef<c10::IValue> m_arguments;
};

/// Computes the metadata of a call's results. Makes the checks of PyTorch's own shape function and throws
/// c10::Error like it.
using ShapeFunction = ShapeResults(const ShapeCall& call);
using ShapeRule = ShapeFunction*;

} // namespace aotscope::torch
