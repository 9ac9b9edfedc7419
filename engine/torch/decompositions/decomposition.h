#pragma once

#include "fake/meta/shape_call.h"

#include <initializer_list>
#include <optional>
#include <vector>

/// Operators written as calls of other operators, as PyTorch's Python code does it.
namespace aotscope::torch {

/// One call that may be decomposed: arguments by the schema's names, sizes as symbols where they are.
class DecompositionCall : public ShapeCall {
public:
    using ShapeCall::ShapeCall;

    [[nodiscard]] std::optional<at::Tensor> optionalTensor(std::string_view name) const;
    /// `Tensor?[]`: nothing for an index that is None.
    [[nodiscard]] c10::List<std::optional<at::Tensor>> indices(std::string_view name) const;
    [[nodiscard]] c10::SymInt symInt(std::string_view name) const;
    /// Whether a number is the one that the schema gives by itself, of the same type: PyTorch does not hand
    /// such an argument on to a function in Python, unless one behind it is given.
    [[nodiscard]] bool isDefault(std::string_view name) const;
    /// Empty for None.
    [[nodiscard]] std::vector<c10::SymInt> symInts(std::string_view name) const;
    /// Numbers of Python keep their type: 1 stays an integer.
    [[nodiscard]] c10::Scalar scalar(std::string_view name) const;
    [[nodiscard]] std::optional<c10::Scalar> optionalScalar(std::string_view name) const;
    [[nodiscard]] std::optional<double> optionalNumber(std::string_view name) const;
    /// `float[]?`; empty for None.
    [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
    /// dtype, layout, device and pin_memory as they were given, for a factory that is called in turn.
    [[nodiscard]] at::TensorOptions options() const;
};

/// What a decomposition returns: the operator's results in the schema's order, or that it does not apply
/// (Python's NotImplemented), in which case the operator stays what it is. An undefined tensor is None.
class Decomposed {
public:
    Decomposed(at::Tensor result) { m_values.emplace_back(std::move(result)); } // NOLINT: reads as a return
    Decomposed(std::initializer_list<c10::IValue> results) : m_values(results) {}
    /// One result that is a list.
    [[nodiscard]] static Decomposed list(std::vector<at::Tensor> tensors) {
        return Decomposed{c10::IValue(std::move(tensors))};
    }
    [[nodiscard]] static Decomposed notApplicable() {
        Decomposed none{};
        none.m_applies = false;
        return none;
    }

    [[nodiscard]] bool applies() const { return m_applies; }
    [[nodiscard]] std::vector<c10::IValue>& values() { return m_values; }

private:
    std::vector<c10::IValue> m_values;
    bool m_applies = true;
};

/// Makes the calls. Touches no data; may throw c10::Error where the operator itself would.
using Decomposition = Decomposed (*)(const DecompositionCall& call);

} // namespace aotscope::torch
