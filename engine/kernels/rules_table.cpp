#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include "base/numbers.h"
#include "base/text_search.h"
#include "ir/operator_name.h"

/// Operators whose arithmetic is one or a few expressions (ir::ElementExpression).
namespace aotscope::kernels {

namespace {

struct Operand {
    std::string_view name;
    std::optional<double> otherwise;
    bool isTruth = false;
};

std::vector<Operand> operandsOf(const ir::ElementExpression& row) {
    std::vector<Operand> operands;
    for (std::string_view rest = row.operands; !rest.empty();) {
        std::string_view word = base::takePart(rest, ' ');
        const bool hasNumber = base::contains(word, "=");
        Operand& operand = operands.emplace_back(Operand{base::takePart(word, '='), {}});
        if (operand.name.ends_with('?')) {
            operand.name.remove_suffix(1);
            operand.isTruth = true;
        }
        if (hasNumber) {
            operand.otherwise = base::leadingNumber<double>(word).value_or(0);
        }
    }
    return operands;
}

/// The operands' promoted dtype.
ir::DType promotedType(const OpCall& call, const std::vector<Operand>& operands) {
    std::vector<PromotedOperand> promoted;
    for (const Operand& operand : operands) {
        if (const TensorLayout* layout = call.layout(operand.name)) {
            promoted.push_back(
                {layout->sizes.empty() ? PromotedOperand::Kind::ZeroDim : PromotedOperand::Kind::Tensor,
                 layout->dtype});
        } else if (const auto number = call.number(operand.name)) {
            constexpr ir::DType types[] = {ir::DType::Bool, ir::DType::Int64, ir::DType::Float64};
            promoted.push_back({PromotedOperand::Kind::PythonNumber, types[number->index()]});
        }
    }
    return promote(promoted);
}

std::string_view textFor(const ir::ElementExpression& row, const OpCall& call, ir::DType dtype) {
    const bool isApproximated = !row.byTanh.empty() && call.string("approximate", "none") != "none";
    return !isFloating(dtype) && !row.integers.empty() ? row.integers
           : isApproximated                            ? row.byTanh
                                                       : row.text;
}

/// The dtype that decides which text is meant: what the operands are computed in.
ir::DType computedType(const ir::ElementExpression& row, const OpCall& call, ir::DType result) {
    switch (row.family) {
    case ir::Computes::Arithmetic:
    case ir::Computes::Exact:
        return result;
    case ir::Computes::Compare:
        return promotedType(call, operandsOf(row));
    case ir::Computes::Logical:
        return ir::DType::Bool;
    case ir::Computes::Test: {
        const TensorLayout* layout = call.layout("self");
        return layout == nullptr ? ir::DType::Unknown : layout->dtype;
    }
    }
    return result;
}

/// Computes the steps of a text; {T} and {f} are of `dtype`, the last step's value is of `result`.
ValueId computeSteps(Lowering& lowering, std::string_view text, std::vector<ValueId> values, ir::DType dtype,
                     ir::DType result) {
    const std::size_t operands = values.size();
    for (std::string_view rest = text;;) {
        const std::size_t end = rest.find("; ");
        std::string step(rest.substr(0, end));
        for (std::size_t at = step.find('%'); at != std::string::npos; at = step.find('%', at + 1)) {
            if (at + 1 < step.size() && step[at + 1] >= '0' && step[at + 1] <= '9') {
                step[at] = '$';
                step[at + 1] = static_cast<char>(step[at + 1] + static_cast<int>(operands));
            }
        }
        const bool last = end == std::string_view::npos;
        if (last && result != dtype) {
            // A comparison: bool result of operands that are not bool.
            return lowering.compute(result, typedText(step, dtype), std::move(values));
        }
        values.push_back(lowering.compute(dtype, step, values));
        if (last) {
            return values.back();
        }
        rest = rest.substr(end + 2);
    }
}

ValueId lowerTable(const Formula& formula) {
    Lowering& lowering = formula.lowering;
    const OpCall& call = formula.call;
    const ir::ElementExpression& row = call.op()->expression;
    const ir::DType dtype = computedType(row, call, formula.dtype);
    const ir::DType wide = opmathType(dtype);
    const bool exact = row.family != ir::Computes::Arithmetic;
    std::vector<ValueId> values;
    for (const Operand& operand : operandsOf(row)) {
        values.push_back(call.tryArgument(operand.name) == nullptr && operand.otherwise
                             ? lowering.literalValue(*operand.otherwise, wide)
                         : operand.isTruth ? formula.operand(operand.name, ir::DType::Bool)
                                           : lowering.argument(call, operand.name, formula.layout->sizes,
                                                               formula.at, dtype, exact));
    }
    std::string text(textFor(row, call, dtype));
    if (text.starts_with("{op}")) {
        text.replace(0, 4, ir::functionName(call.node().target));
    }
    if (text == "$0") {
        return lowering.convert(values[0], formula.dtype);
    }
    switch (row.family) {
    case ir::Computes::Arithmetic:
        return lowering.rounded(computeSteps(lowering, text, std::move(values), wide, wide), dtype);
    case ir::Computes::Exact:
        return computeSteps(lowering, text, std::move(values), dtype, dtype);
    default:
        return lowering.convert(computeSteps(lowering, text, std::move(values), wide, ir::DType::Bool),
                                formula.dtype);
    }
}

std::string refuseTable(const OpCall& call) {
    const ir::ElementExpression& row = call.op()->expression;
    const TensorLayout* layout = call.facts().layout({call.id()});
    if (layout == nullptr) {
        return "its size is unknown before the run";
    }
    if (textFor(row, call, computedType(row, call, layout->dtype)) == "-") {
        return "no rule for the operator with " + std::string(ir::dtypeName(layout->dtype));
    }
    for (const Operand& operand : operandsOf(row)) {
        if (!call.tensor(operand.name) && !call.number(operand.name) &&
            !(operand.otherwise && call.tryArgument(operand.name) == nullptr)) {
            return "reads a number that only the run knows";
        }
    }
    return {};
}

constexpr OperatorRule theTableRule = {lowerTable, refuseTable};

} // namespace

const OperatorRule* tableRule(const OpCall& call) {
    return call.op()->expression.text.empty() ? nullptr : &theTableRule;
}

} // namespace aotscope::kernels
