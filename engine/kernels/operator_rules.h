#pragma once

#include "kernels/lowering.h"

#include <optional>
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

/// How many threads fill a tensor of random numbers on an H100, which decides which number an element gets.
/// Devices with fewer multiprocessors give other numbers from where all of theirs are busy (on an A100 from
/// 221 184 elements on).
[[nodiscard]] std::int64_t philoxThreads(std::int64_t elements);

/// Rules of one family, by operator; null: not in the family.
[[nodiscard]] const OperatorRule* tableRule(const OpCall& call);
[[nodiscard]] const OperatorRule* pointwiseRule(std::string_view packet);
[[nodiscard]] const OperatorRule* creationRule(std::string_view packet);
[[nodiscard]] const OperatorRule* reductionRule(std::string_view packet);
[[nodiscard]] const OperatorRule* normalizationRule(std::string_view packet);

} // namespace aotscope::kernels
