#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

/// Pointwise operators whose arguments change the expression.
namespace aotscope::kernels {

namespace {

/// Refuses numbers that are unknown before the run among the arguments of these names.
template<const auto& names>
std::string refuseNumbers(const OpCall& call) {
    for (const std::string_view name : names) {
        if (call.tryArgument(name) != nullptr && !call.tensor(name) && !call.number(name)) {
            return "reads a number that only the run knows";
        }
    }
    return refuseUnknown(call);
}
constexpr std::string_view numbersOfSum[] = {"self", "other", "alpha"};
constexpr std::string_view numbersOfPair[] = {"self", "other"};
constexpr std::string_view numbersOfPower[] = {"self", "exponent"};
constexpr std::string_view numbersOfFill[] = {"value"};
constexpr std::string_view numbersOfClamp[] = {"min", "max"};

template<char sign, bool isReversed>
ValueId lowerSum(const Formula& formula) {
    const ValueId left = formula.argument(isReversed ? "other" : "self");
    const ValueId right = formula.argument(isReversed ? "self" : "other");
    const Number alpha = formula.call.number("alpha").value_or(Number(std::int64_t{1}));
    const std::string operation = std::string("$0 ") + sign;
    return asDouble(alpha) == 1
               ? formula.rounded(operation + " $1", {left, right})
               : formula.rounded(operation + " $2 * $1", {left, right, formula.number(alpha)});
}

ValueId lowerDiv(const Formula& formula) {
    const std::string mode = formula.call.string("rounding_mode", "");
    const bool isFloat = isFloating(formula.dtype);
    const std::string_view text =
        mode == "floor"   ? (isFloat ? "divide_floor($0, $1)" : "divide_floor<{T}>($0, $1)")
        : mode == "trunc" ? (isFloat ? "trunc{f}($0 / $1)" : "divide_trunc<{T}>($0, $1)")
                          : "$0 / $1";
    return formula.rounded(text, {formula.argument("self"), formula.argument("other")});
}

/// x ** y with a number y, as ATen chooses its kernels.
std::string_view powerText(double exponent) {
    return exponent == 0.5    ? "sqrt{f}($0)"
           : exponent == 2    ? "$0 * $0"
           : exponent == 3    ? "$0 * $0 * $0"
           : exponent == -0.5 ? "rsqrt{f}($0)"
           : exponent == -1   ? "{T}(1) / $0"
           : exponent == -2   ? "{T}(1) / ($0 * $0)"
           : exponent == 1    ? "$0"
           : exponent == 0    ? "{T}(1)"
                              : "";
}

ValueId lowerPow(const Formula& formula) {
    const ValueId base = formula.argument("self");
    const auto exponent = formula.call.tensor("exponent") ? std::nullopt : formula.call.number("exponent");
    const std::string_view text =
        isFloating(formula.dtype) && exponent ? powerText(asDouble(*exponent)) : std::string_view();
    if (!text.empty()) {
        return formula.rounded(text, {base});
    }
    return formula.rounded(isFloating(formula.wide) ? "pow{f}($0, $1)" : "power_of_integer<{T}>($0, $1)",
                           {base, formula.argument("exponent")});
}

ValueId lowerWhere(const Formula& formula) {
    return formula.exactly("$0 ? $1 : $2", {formula.operand("condition", ir::DType::Bool),
                                            formula.argument("self", true), formula.argument("other", true)});
}
std::string refuseWhere(const OpCall& call) {
    return call.tryArgument("self") == nullptr ? "has a result whose size depends on values"
                                               : refuseNumbers<numbersOfPair>(call);
}

ValueId lowerMaskedFill(const Formula& formula) {
    return formula.exactly("$0 ? $1 : $2", {formula.operand("mask", ir::DType::Bool),
                                            formula.argument("value", true), formula.operand("self")});
}

ValueId lowerClamp(const Formula& formula) {
    const bool isFloat = isFloating(formula.dtype);
    ValueId value = formula.argument("self", true);
    const auto bound = [&](std::string_view name, std::string_view ofFloats, std::string_view ofIntegers) {
        if (formula.call.tryArgument(name) != nullptr) {
            value = formula.exactly(isFloat ? ofFloats : ofIntegers, {value, formula.argument(name, true)});
        }
    };
    bound("min", "is_nan($1) ? $1 : max_nan($0, $1)", "$0 < $1 ? $1 : $0");
    bound("max", "is_nan($1) ? $1 : min_nan($0, $1)", "$0 > $1 ? $1 : $0");
    return value;
}

ValueId lowerNot(const Formula& formula) {
    return formula.exactly(formula.dtype == ir::DType::Bool ? "!$0" : "~$0", {formula.operand("self")});
}

ValueId lowerRound(const Formula& formula) {
    const ValueId self = formula.operand("self");
    return isFloating(formula.dtype) ? formula.exactly("rint{f}($0)", {self}) : self;
}
std::string refuseRound(const OpCall& call) {
    return call.integer("decimals", 0) != 0 ? "rounds to decimals" : refuseUnknown(call);
}

/// What the approximation by tanh takes the tanh of.
constexpr std::string_view geluInner = "{T}(0.79788456080286535588) * ($0 + {T}(0.044715) * ($0 * $0 * $0))";

ValueId lowerGelu(const Formula& formula) {
    const ValueId x = formula.operand("self");
    return formula.call.string("approximate", "none") == "none"
               ? formula.rounded("$0 * {T}(0.5) * ({T}(1) + erf{f}($0 * {T}(0.70710678118654752440)))", {x})
               : formula.rounded("{T}(0.5) * $0 * ({T}(1) + tanh{f}($1))",
                                 {x, formula.compute(geluInner, {x})});
}

ValueId lowerGeluBackward(const Formula& formula) {
    const ValueId gradient = formula.operand("grad_output");
    const ValueId x = formula.operand("self");
    if (formula.call.string("approximate", "none") == "none") {
        const ValueId cdf =
            formula.compute("{T}(0.5) * ({T}(1) + erf{f}($0 * {T}(0.70710678118654752440)))", {x});
        const ValueId pdf = formula.compute("exp{f}($0 * $0 * {T}(-0.5)) * {T}(0.39894228040143267794)", {x});
        return formula.rounded("$0 * ($1 + $2 * $3)", {gradient, cdf, x, pdf});
    }
    const ValueId tanh = formula.compute("tanh{f}($0)", {formula.compute(geluInner, {x})});
    const ValueId slope =
        formula.compute("{T}(0.79788456080286535588) * ({T}(1) + {T}(3) * {T}(0.044715) * ($0 * $0))", {x});
    return formula.rounded("$0 * ({T}(0.5) * ({T}(1) + $1) + {T}(0.5) * $2 * ({T}(1) - $1 * $1) * $3)",
                           {gradient, tanh, x, slope});
}

ValueId lowerNanToNum(const Formula& formula) {
    const ValueId x = formula.operand("self");
    if (!isFloating(formula.dtype)) {
        return x;
    }
    return formula.rounded("is_nan($0) ? $1 : $0 - $0 == $0 - $0 ? $0 : $0 > {T}(0) ? $2 : $3",
                           {x, formula.number(formula.call.real("nan", 0)),
                            formula.number(formula.call.real("posinf", 0)),
                            formula.number(formula.call.real("neginf", 0))});
}
std::string refuseNanToNum(const OpCall& call) {
    return call.tryArgument("posinf") == nullptr || call.tryArgument("neginf") == nullptr
               ? "replaces infinities by its dtype's largest number"
               : refuseUnknown(call);
}

/// The triangle of a matrix on one side of a diagonal.
ValueId lowerTriangle(const Formula& formula) {
    const std::string diagonal = std::to_string(formula.call.integer("diagonal", 0));
    const std::size_t rank = formula.at.size();
    return formula.exactly("#0 - #1 " + std::string(formula.call.packet() == "aten.tril" ? "<= " : ">= ") +
                               diagonal + " ? $0 : {T}(0)",
                           {formula.operand("self")}, {formula.at[rank - 1], formula.at[rank - 2]});
}

/// Copies that take elements from other places.
ValueId lowerMoved(const Formula& formula) {
    const OpCall& call = formula.call;
    const Coordinates& at = formula.at;
    const TensorLayout& from = *call.layout("self");
    const auto rank = static_cast<std::int64_t>(from.sizes.size());
    const std::size_t extra = at.size() - from.sizes.size();
    Coordinates source(at.begin() + static_cast<std::ptrdiff_t>(extra), at.end());
    if (call.packet() == "aten.repeat") {
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = source[i].modulo(from.sizes[i]);
        }
        return formula.lowering.element({*call.tensor("self")}, source);
    }
    const auto dims = *call.integers("dims");
    const auto shifts = call.integers("shifts").value_or(std::vector<std::int64_t>());
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto dim = static_cast<std::size_t>(dims[i] < 0 ? dims[i] + rank : dims[i]);
        const std::int64_t size = from.sizes[dim];
        if (call.packet() == "aten.flip") {
            source[dim] = source[dim] * -1 + (size - 1);
        } else {
            source[dim] = (source[dim] + ((size - shifts[i]) % size + size) % size).modulo(size);
        }
    }
    return formula.lowering.element({*call.tensor("self")}, source);
}
std::string refuseMoved(const OpCall& call) {
    const TensorLayout* from = call.layout("self");
    const auto dims = call.integers("dims");
    const auto shifts = call.integers("shifts");
    if (from == nullptr) {
        return "its size is unknown before the run";
    }
    if (call.packet() == "aten.repeat") {
        return refuseUnknown(call);
    }
    if (!dims || dims->empty() ||
        (call.packet() == "aten.roll" && (!shifts || shifts->size() != dims->size()))) {
        return "moves elements over all dimensions at once";
    }
    return refuseUnknown(call);
}

ValueId lowerEvalBatchNorm(const Formula& formula) {
    const TensorLayout& statistics = *formula.call.layout("running_mean");
    const ValueId x = formula.operand("input", formula.wide);
    const auto ofChannel = [&](std::string_view name, double otherwise) {
        const auto tensor = formula.call.tensor(name);
        return tensor ? formula.lowering.operand(*tensor, statistics.sizes, {formula.at[1]}, formula.wide)
                      : formula.number(otherwise);
    };
    const ValueId mean = ofChannel("running_mean", 0);
    const ValueId variance = ofChannel("running_var", 1);
    const ValueId scale =
        formula.compute("$1 / sqrt{f}($0 + $2)",
                        {variance, ofChannel("weight", 1), formula.number(formula.call.real("eps", 1e-5))});
    return formula.rounded("($0 - $1) * $2 + $3", {x, mean, scale, ofChannel("bias", 0)});
}
std::string refuseEvalBatchNorm(const OpCall& call) {
    if (call.packet() != "aten._native_batch_norm_legit_no_training" && call.flag("training", true)) {
        return "reduces dimensions that are not the innermost";
    }
    return call.layout("running_mean") == nullptr || call.layout("running_var") == nullptr
               ? "its statistics are unknown"
               : refuseUnknown(call);
}

constexpr NamedRule pointwiseRuleTable[] = {
    {"aten.add", {lowerSum<'+', false>, refuseNumbers<numbersOfSum>}},
    {"aten.sub", {lowerSum<'-', false>, refuseNumbers<numbersOfSum>}},
    {"aten.rsub", {lowerSum<'-', true>, refuseNumbers<numbersOfSum>}},
    {"aten.div", {lowerDiv, refuseNumbers<numbersOfPair>}},
    {"aten.true_divide", {lowerDiv, refuseNumbers<numbersOfPair>}},
    {"aten.pow", {lowerPow, refuseNumbers<numbersOfPower>}},
    {"aten.where", {lowerWhere, refuseWhere}},
    {"aten.masked_fill", {lowerMaskedFill, refuseNumbers<numbersOfFill>}},
    {"aten.clamp", {lowerClamp, refuseNumbers<numbersOfClamp>}},
    {"aten.clip", {lowerClamp, refuseNumbers<numbersOfClamp>}},
    {"aten.bitwise_not", {lowerNot, refuseUnknown}},
    {"aten.round", {lowerRound, refuseRound}},
    {"aten.gelu", {lowerGelu, refuseUnknown}},
    {"aten.gelu_backward", {lowerGeluBackward, refuseUnknown}},
    {"aten.nan_to_num", {lowerNanToNum, refuseNanToNum}},
    {"aten.tril", {lowerTriangle, refuseUnknown}},
    {"aten.triu", {lowerTriangle, refuseUnknown}},
    {"aten.flip", {lowerMoved, refuseMoved}},
    {"aten.roll", {lowerMoved, refuseMoved}},
    {"aten.repeat", {lowerMoved, refuseMoved}},
    {"aten._native_batch_norm_legit_no_training",
     {lowerEvalBatchNorm, refuseEvalBatchNorm, nullptr, isFirstResult}},
};

} // namespace

std::span<const NamedRule> pointwiseRules() {
    return pointwiseRuleTable;
}

} // namespace aotscope::kernels
