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
constexpr std::string_view numbersOfClamp[] = {"min", "max"};

template<bool isReversed>
ValueId lowerSum(const Formula& formula) {
    const ValueId left = formula.argument(isReversed ? "other" : "self");
    const ValueId right = formula.argument(isReversed ? "self" : "other");
    const Number alpha = formula.call.number("alpha").value_or(Number(std::int64_t{1}));
    const std::string operation = "$0 " + std::string(formula.call.op()->kernel.text);
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
    return formula.exactly("#0 - #1 " + std::string(formula.call.op()->kernel.text) + diagonal +
                               " ? $0 : {T}(0)",
                           {formula.operand("self")}, {formula.at[rank - 1], formula.at[rank - 2]});
}

/// Copies that take elements from other places: repeat, roll (with `shifts`) and flip.
bool repeats(const OpCall& call) {
    return call.tryArgument("repeats") != nullptr;
}
ValueId lowerMoved(const Formula& formula) {
    const OpCall& call = formula.call;
    const Coordinates& at = formula.at;
    const TensorLayout& from = *call.layout("self");
    const auto rank = static_cast<std::int64_t>(from.sizes.size());
    const std::size_t extra = at.size() - from.sizes.size();
    Coordinates source(at.begin() + static_cast<std::ptrdiff_t>(extra), at.end());
    if (repeats(call)) {
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
        if (shifts.empty()) {
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
    const bool hasShifts = call.tryArgument("shifts") != nullptr;
    const bool isKnown = repeats(call) || (dims && !dims->empty() &&
                                           (!hasShifts || (shifts && shifts->size() == dims->size())));
    return isKnown ? refuseUnknown(call) : "moves elements over all dimensions at once";
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
    return call.layout("running_mean") == nullptr || call.layout("running_var") == nullptr
               ? "its statistics are unknown"
               : refuseUnknown(call);
}

constexpr KindRule pointwiseRuleTable[] = {
    {ir::KernelRule::Sum, {lowerSum<false>, refuseNumbers<numbersOfSum>}},
    {ir::KernelRule::ReversedDifference, {lowerSum<true>, refuseNumbers<numbersOfSum>}},
    {ir::KernelRule::Quotient, {lowerDiv, refuseNumbers<numbersOfPair>}},
    {ir::KernelRule::Power, {lowerPow, refuseNumbers<numbersOfPower>}},
    {ir::KernelRule::Clamp, {lowerClamp, refuseNumbers<numbersOfClamp>}},
    {ir::KernelRule::BitwiseNot, {lowerNot, refuseUnknown}},
    {ir::KernelRule::Round, {lowerRound, refuseRound}},
    {ir::KernelRule::NanToNum, {lowerNanToNum, refuseNanToNum}},
    {ir::KernelRule::Triangle, {lowerTriangle, refuseUnknown}},
    {ir::KernelRule::Moved, {lowerMoved, refuseMoved}},
    {ir::KernelRule::BatchNormInference, {lowerEvalBatchNorm, refuseEvalBatchNorm, nullptr, isFirstResult}},
};

} // namespace

const RuleFamily pointwiseRules = pointwiseRuleTable;

} // namespace aotscope::kernels
