#pragma once

#include "fake/meta/shape_call.h"

#include "aot/versions/trace_rules.h"

#include <initializer_list>
#include <optional>
#include <vector>

/// Decompositions: operators written as calls of other operators, as in PyTorch's Python code. Follows torch
/// 2.11, torch/_decomp/__init__.py: register_decomposition.
namespace aotscope::torch {

/// One call that may be decomposed. Arguments are found by their names in the schema; sizes may be symbolic.
class DecompositionCall : public ShapeCall {
public:
    DecompositionCall(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
                      const aot::TraceRules& rules)
        : ShapeCall(schema, arguments), m_rules(rules) {}

    /// Those of the release whose decomposition it is.
    [[nodiscard]] const aot::TraceRules& rules() const { return m_rules; }

    [[nodiscard]] std::optional<at::Tensor> optionalTensor(std::string_view name) const;
    /// `Tensor?[]`: nothing for an index that is None.
    [[nodiscard]] c10::List<std::optional<at::Tensor>> indices(std::string_view name) const;
    [[nodiscard]] c10::SymInt symInt(std::string_view name) const { return value(name).toSymInt(); }
    /// Whether a number equals the schema's default in value and type. PyTorch drops such an argument before
    /// it calls a Python function, unless a later argument is no default.
    [[nodiscard]] bool isDefault(std::string_view name) const;
    /// Empty for None.
    [[nodiscard]] std::vector<c10::SymInt> symInts(std::string_view name) const;
    /// The type of a Python number is kept: 1 stays an integer.
    [[nodiscard]] c10::Scalar scalar(std::string_view name) const { return value(name).toScalar(); }
    [[nodiscard]] std::optional<c10::Scalar> optionalScalar(std::string_view name) const {
        return has(name) ? std::optional(scalar(name)) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> optionalNumber(std::string_view name) const {
        return has(name) ? std::optional(scalar(name).toDouble()) : std::nullopt;
    }
    [[nodiscard]] std::optional<c10::Device> device() const {
        return has("device") ? std::optional(value("device").toDevice()) : std::nullopt;
    }
    /// `float[]?`; empty for None.
    [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
    /// The call's dtype, layout, device and pin_memory, to be passed on to another factory function.
    [[nodiscard]] at::TensorOptions options() const;

private:
    const aot::TraceRules& m_rules;
};

/// What a decomposition returns: the operator's results in schema order, or that it does not apply (Python's
/// NotImplemented), so that the operator stays. An undefined tensor stands for None.
class Decomposed {
public:
    Decomposed(at::Tensor result) { m_values.emplace_back(std::move(result)); } // NOLINT: reads as a return
    Decomposed(std::initializer_list<c10::IValue> results) : m_values(results) {}
    /// A single result, which is a list.
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

/// Decomposes a call. Reads no data of tensors; may throw c10::Error where the operator would.
using DecompositionFunction = Decomposed(const DecompositionCall& call);
using Decomposition = DecompositionFunction*;

} // namespace aotscope::torch
