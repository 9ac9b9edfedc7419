#pragma once

#include "kernels/dtype_rules.h"
#include "kernels/lowering.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How kernels compute operators: the rules that ir::KernelFormula names, in tables by family.
namespace aotscope::kernels {

/// One result of a call at one place: what a rule's formula reads there, and how it computes.
struct Formula {
    Formula(Lowering& ofKernel, const OpCall& ofNode, std::size_t index, const Coordinates& coordinates)
        : lowering(ofKernel), call(ofNode), result(index), at(coordinates) {}

    Lowering& lowering;
    const OpCall& call;
    std::size_t result;
    /// Coordinates of that result.
    const Coordinates& at;
    /// Null: its size is unknown.
    const TensorLayout* layout = call.facts().layout({call.id(), result});
    ir::DType dtype = layout == nullptr ? ir::DType::Unknown : layout->dtype;
    /// What `compute` computes in.
    ir::DType wide = opmathType(dtype);

    /// The element of an operand that is broadcast to the result, as the result's dtype or another.
    [[nodiscard]] ValueId operand(std::string_view name) const { return operand(name, dtype); }
    [[nodiscard]] ValueId operand(std::string_view name, ir::DType as) const {
        return lowering.operand(*call.tensor(name), layout->sizes, at, as);
    }
    /// Lowering::argument as the result's dtype.
    [[nodiscard]] ValueId argument(std::string_view name, bool isRounded = false) const {
        return lowering.argument(call, name, layout->sizes, at, dtype, isRounded);
    }
    [[nodiscard]] ValueId number(const Number& value) const { return lowering.literalValue(value, wide); }
    [[nodiscard]] ValueId compute(std::string_view text, std::vector<ValueId> operands) const {
        return lowering.compute(wide, text, std::move(operands));
    }
    /// The same in the result's dtype, where nothing is to be rounded.
    [[nodiscard]] ValueId exactly(std::string_view text, std::vector<ValueId> operands,
                                  std::vector<IndexExpression> indices = {}) const {
        return lowering.compute(dtype, text, std::move(operands), std::move(indices));
    }
    [[nodiscard]] ValueId rounded(ValueId value) const { return lowering.rounded(value, dtype); }
    [[nodiscard]] ValueId rounded(std::string_view text, std::vector<ValueId> operands) const {
        return rounded(compute(text, std::move(operands)));
    }
};

/// How a node's value is computed.
struct OperatorRule {
    /// The value of the formula's result, which has the result's dtype.
    ValueId (*lower)(const Formula& formula) = nullptr;
    /// Why this call cannot be computed, although others of the operator can; empty: it can.
    std::string (*refuse)(const OpCall& call) = nullptr;
    /// The dimensions that it reduces; null: none.
    std::vector<bool> (*reduced)(const OpCall& call, Sizes& sizes) = nullptr;
    /// Whether the kernel computes this result; null: all.
    bool (*computes)(const OpCall& call, std::size_t result) = nullptr;
};

/// A row of a family's table.
struct KindRule {
    ir::KernelRule kind;
    OperatorRule rule;
};

/// Null: no rule.
[[nodiscard]] const OperatorRule* operatorRule(const OpCall& call);

/// For OperatorRule::computes: of several results the first alone.
[[nodiscard]] inline bool isFirstResult(const OpCall&, std::size_t result) {
    return result == 0;
}

/// What a rule refuses a call with whose result has no size before the run; empty: it has one.
[[nodiscard]] std::string refuseUnknown(const OpCall& call);

/// Null: not among the operators that one expression describes.
[[nodiscard]] const OperatorRule* tableRule(const OpCall& call);
/// The rules of the other families.
using RuleFamily = std::span<const KindRule>;
extern const RuleFamily pointwiseRules, creationRules, reductionRules, normalizationRules;

} // namespace aotscope::kernels
