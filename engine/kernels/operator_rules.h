#pragma once

#include "kernels/lowering.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The operators that kernels compute: one rule for each, in tables by family.
namespace aotscope::kernels {

/// How a node's value is computed.
struct OperatorRule {
    /// The value of result `result` at coordinates of that result. The value has the result's dtype.
    ValueId (*lower)(Lowering& lowering, const OpCall& call, std::size_t result,
                     const Coordinates& at) = nullptr;
    /// Why this call cannot be computed, although others of the operator can; empty: it can.
    std::string (*refuse)(const OpCall& call) = nullptr;
    /// The dimensions that it reduces; null: none.
    std::vector<bool> (*reduced)(const OpCall& call, Sizes& sizes) = nullptr;
    /// Whether the kernel computes this result; null: all.
    bool (*computes)(const OpCall& call, std::size_t result) = nullptr;
};

/// A row of a family's table.
struct NamedRule {
    std::string_view packet;
    OperatorRule rule;
};

/// Null: no rule.
[[nodiscard]] const OperatorRule* operatorRule(const OpCall& call);

/// What a rule refuses a call with whose result has no size before the run; empty: it has one.
[[nodiscard]] std::string refuseUnknown(const OpCall& call);

/// Null: not among the operators that one expression describes.
[[nodiscard]] const OperatorRule* tableRule(const OpCall& call);
/// The rules of the other families.
[[nodiscard]] std::span<const NamedRule> pointwiseRules();
[[nodiscard]] std::span<const NamedRule> creationRules();
[[nodiscard]] std::span<const NamedRule> reductionRules();
[[nodiscard]] std::span<const NamedRule> normalizationRules();

} // namespace aotscope::kernels
