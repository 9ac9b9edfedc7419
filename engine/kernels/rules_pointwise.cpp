#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include <algorithm>

/// Pointwise operators whose arguments change the expression.
namespace aotscope::kernels {

namespace {

const TensorLayout& pointwiseResult(const OpCall& call) {
    return *call.facts().layout({call.id()});
}

std::string refuseNumbers(const OpCall& call, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (call.tryArgument(name) != nullptr && !call.tensor(name) && !call.number(name)) {
            return "reads a number that only the run knows";
        }
    }
    return refuseUnknown(call);
}

ValueId lowerSum(Lowering& lowering, const OpCall& call, std::string_view first, std::string_view second,
                 char sign, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const ValueId left = lowering.argument(call, first, result.sizes, at, result.dtype, false);
    const ValueId right = lowering.argument(call, second, result.sizes, at, result.dtype, false);
    const Number alpha = call.number("alpha").value_or(Number(std::int64_t{1}));
    const std::string operation = std::string("$0 ") + sign;
    const ValueId sum = asDouble(alpha) == 1
                            ? lowering.compute(wide, operation + " $1", {left, right})
                            : lowering.compute(wide, operation + " $2 * $1",
                                               {left, right, lowering.literalValue(alpha, wide)});
    return lowering.rounded(sum, result.dtype);
}

ValueId lowerAdd(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    return lowerSum(lowering, call, "self", "other", '+', at);
}
ValueId lowerSub(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    return lowerSum(lowering, call, "self", "other", '-', at);
}
ValueId lowerRsub(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    return lowerSum(lowering, call, "other", "self", '-', at);
}
std::string refuseSum(const OpCall& call) {
    return refuseNumbers(call, {"self", "other", "alpha"});
}

ValueId lowerDiv(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const ValueId left = lowering.argument(call, "self", result.sizes, at, result.dtype, false);
    const ValueId right = lowering.argument(call, "other", result.sizes, at, result.dtype, false);
    const std::string mode = call.string("rounding_mode", "");
    const bool isFloat = isFloating(result.dtype);
    const std::string_view text =
        mode == "floor"   ? (isFloat ? "divide_floor($0, $1)" : "divide_floor<{T}>($0, $1)")
        : mode == "trunc" ? (isFloat ? "trunc{f}($0 / $1)" : "divide_trunc<{T}>($0, $1)")
                          : "$0 / $1";
    return lowering.rounded(lowering.compute(wide, text, {left, right}), result.dtype);
}
std::string refuseDiv(const OpCall& call) {
    return refuseNumbers(call, {"self", "other"});
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

ValueId lowerPow(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const ValueId base = lowering.argument(call, "self", result.sizes, at, result.dtype, false);
    const auto exponent = call.tensor("exponent") ? std::nullopt : call.number("exponent");
    if (isFloating(result.dtype) && exponent && !powerText(asDouble(*exponent)).empty()) {
        return lowering.rounded(lowering.compute(wide, powerText(asDouble(*exponent)), {base}), result.dtype);
    }
    const ValueId power = lowering.argument(call, "exponent", result.sizes, at, result.dtype, false);
    return lowering.rounded(
        lowering.compute(wide, isFloating(wide) ? "pow{f}($0, $1)" : "power_of_integer<{T}>($0, $1)",
                         {base, power}),
        result.dtype);
}
std::string refusePow(const OpCall& call) {
    return refuseNumbers(call, {"self", "exponent"});
}

ValueId lowerWhere(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ValueId condition = lowering.operand(*call.tensor("condition"), result.sizes, at, ir::DType::Bool);
    const ValueId yes = lowering.argument(call, "self", result.sizes, at, result.dtype, true);
    const ValueId no = lowering.argument(call, "other", result.sizes, at, result.dtype, true);
    return lowering.compute(result.dtype, "$0 ? $1 : $2", {condition, yes, no});
}
std::string refuseWhere(const OpCall& call) {
    return call.tryArgument("self") == nullptr ? "has a result whose size depends on values"
                                               : refuseNumbers(call, {"self", "other"});
}

ValueId lowerMaskedFill(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ValueId mask = lowering.operand(*call.tensor("mask"), result.sizes, at, ir::DType::Bool);
    const ValueId filled = lowering.argument(call, "value", result.sizes, at, result.dtype, true);
    const ValueId self = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    return lowering.compute(result.dtype, "$0 ? $1 : $2", {mask, filled, self});
}
std::string refuseMaskedFill(const OpCall& call) {
    return refuseNumbers(call, {"value"});
}

ValueId lowerClamp(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const bool isFloat = isFloating(result.dtype);
    ValueId value = lowering.argument(call, "self", result.sizes, at, result.dtype, true);
    if (call.tryArgument("min") != nullptr) {
        const ValueId low = lowering.argument(call, "min", result.sizes, at, result.dtype, true);
        value = lowering.compute(
            result.dtype, isFloat ? "is_nan($1) ? $1 : max_nan($0, $1)" : "$0 < $1 ? $1 : $0", {value, low});
    }
    if (call.tryArgument("max") != nullptr) {
        const ValueId high = lowering.argument(call, "max", result.sizes, at, result.dtype, true);
        value = lowering.compute(
            result.dtype, isFloat ? "is_nan($1) ? $1 : min_nan($0, $1)" : "$0 > $1 ? $1 : $0", {value, high});
    }
    return value;
}
std::string refuseClamp(const OpCall& call) {
    return refuseNumbers(call, {"min", "max"});
}

ValueId lowerNot(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ValueId self = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    return lowering.compute(result.dtype, result.dtype == ir::DType::Bool ? "!$0" : "~$0", {self});
}

ValueId lowerRound(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ValueId self = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    return isFloating(result.dtype) ? lowering.compute(result.dtype, "rint{f}($0)", {self}) : self;
}
std::string refuseRound(const OpCall& call) {
    return call.integer("decimals", 0) != 0 ? "rounds to decimals" : refuseUnknown(call);
}

ValueId lowerGelu(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const ValueId x = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    if (call.string("approximate", "none") == "none") {
        return lowering.rounded(
            lowering.compute(wide, "$0 * {T}(0.5) * ({T}(1) + erf{f}($0 * {T}(0.70710678118654752440)))",
                             {x}),
            result.dtype);
    }
    const ValueId inner =
        lowering.compute(wide, "{T}(0.79788456080286535588) * ($0 + {T}(0.044715) * ($0 * $0 * $0))", {x});
    return lowering.rounded(lowering.compute(wide, "{T}(0.5) * $0 * ({T}(1) + tanh{f}($1))", {x, inner}),
                            result.dtype);
}

ValueId lowerGeluBackward(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const ValueId gradient = lowering.operand(*call.tensor("grad_output"), result.sizes, at, result.dtype);
    const ValueId x = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    if (call.string("approximate", "none") == "none") {
        const ValueId cdf =
            lowering.compute(wide, "{T}(0.5) * ({T}(1) + erf{f}($0 * {T}(0.70710678118654752440)))", {x});
        const ValueId pdf =
            lowering.compute(wide, "exp{f}($0 * $0 * {T}(-0.5)) * {T}(0.39894228040143267794)", {x});
        return lowering.rounded(lowering.compute(wide, "$0 * ($1 + $2 * $3)", {gradient, cdf, x, pdf}),
                                result.dtype);
    }
    const ValueId inner =
        lowering.compute(wide, "{T}(0.79788456080286535588) * ($0 + {T}(0.044715) * ($0 * $0 * $0))", {x});
    const ValueId tanh = lowering.compute(wide, "tanh{f}($0)", {inner});
    const ValueId slope = lowering.compute(
        wide, "{T}(0.79788456080286535588) * ({T}(1) + {T}(3) * {T}(0.044715) * ($0 * $0))", {x});
    return lowering.rounded(
        lowering.compute(wide, "$0 * ({T}(0.5) * ({T}(1) + $1) + {T}(0.5) * $2 * ({T}(1) - $1 * $1) * $3)",
                         {gradient, tanh, x, slope}),
        result.dtype);
}

ValueId lowerNanToNum(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const ValueId x = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    if (!isFloating(result.dtype)) {
        return x;
    }
    const ValueId nan = lowering.literalValue(call.real("nan", 0), wide);
    const ValueId high = lowering.literalValue(call.real("posinf", 0), wide);
    const ValueId low = lowering.literalValue(call.real("neginf", 0), wide);
    return lowering.rounded(
        lowering.compute(wide, "is_nan($0) ? $1 : $0 - $0 == $0 - $0 ? $0 : $0 > {T}(0) ? $2 : $3",
                         {x, nan, high, low}),
        result.dtype);
}
std::string refuseNanToNum(const OpCall& call) {
    return call.tryArgument("posinf") == nullptr || call.tryArgument("neginf") == nullptr
               ? "replaces infinities by its dtype's largest number"
               : refuseUnknown(call);
}

/// The triangle of a matrix on one side of a diagonal.
ValueId lowerTriangle(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ValueId x = lowering.operand(*call.tensor("self"), result.sizes, at, result.dtype);
    const std::string diagonal = std::to_string(call.integer("diagonal", 0));
    const std::size_t rank = at.size();
    return lowering.compute(result.dtype,
                            "#0 - #1 " + std::string(call.packet() == "aten.tril" ? "<= " : ">= ") +
                                diagonal + " ? $0 : {T}(0)",
                            {x}, {at[rank - 1], at[rank - 2]});
}

/// Copies that take elements from other places.
ValueId lowerMoved(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& from = *call.layout("self");
    const auto rank = static_cast<std::int64_t>(from.sizes.size());
    const std::size_t extra = at.size() - from.sizes.size();
    Coordinates source(at.begin() + static_cast<std::ptrdiff_t>(extra), at.end());
    if (call.packet() == "aten.repeat") {
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = source[i].modulo(from.sizes[i]);
        }
        return lowering.element({*call.tensor("self")}, source);
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
    return lowering.element({*call.tensor("self")}, source);
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

ValueId lowerEvalBatchNorm(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const TensorLayout& result = pointwiseResult(call);
    const ir::DType wide = opmathType(result.dtype);
    const TensorLayout& statistics = *call.layout("running_mean");
    const Coordinates channel = {at[1]};
    const ValueId x = lowering.operand(*call.tensor("input"), result.sizes, at, wide);
    const auto ofChannel = [&](std::string_view name, double otherwise) {
        const auto tensor = call.tensor(name);
        return tensor ? lowering.operand(*tensor, statistics.sizes, channel, wide)
                      : lowering.literalValue(otherwise, wide);
    };
    const ValueId mean = ofChannel("running_mean", 0);
    const ValueId variance = ofChannel("running_var", 1);
    const ValueId scale = lowering.compute(
        wide, "$1 / sqrt{f}($0 + $2)",
        {variance, ofChannel("weight", 1), lowering.literalValue(call.real("eps", 1e-5), wide)});
    return lowering.rounded(
        lowering.compute(wide, "($0 - $1) * $2 + $3", {x, mean, scale, ofChannel("bias", 0)}), result.dtype);
}
std::string refuseEvalBatchNorm(const OpCall& call) {
    if (call.packet() != "aten._native_batch_norm_legit_no_training" && call.flag("training", true)) {
        return "reduces dimensions that are not the innermost";
    }
    return call.layout("running_mean") == nullptr || call.layout("running_var") == nullptr
               ? "its statistics are unknown"
               : refuseUnknown(call);
}
bool onlyNormalized(const OpCall&, std::size_t result) {
    return result == 0;
}

constexpr NamedRule pointwiseRuleTable[] = {
    {"aten.add", {lowerAdd, refuseSum}},
    {"aten.sub", {lowerSub, refuseSum}},
    {"aten.rsub", {lowerRsub, refuseSum}},
    {"aten.div", {lowerDiv, refuseDiv}},
    {"aten.true_divide", {lowerDiv, refuseDiv}},
    {"aten.pow", {lowerPow, refusePow}},
    {"aten.where", {lowerWhere, refuseWhere}},
    {"aten.masked_fill", {lowerMaskedFill, refuseMaskedFill}},
    {"aten.clamp", {lowerClamp, refuseClamp}},
    {"aten.clip", {lowerClamp, refuseClamp}},
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
     {lowerEvalBatchNorm, refuseEvalBatchNorm, nullptr, onlyNormalized}},
};

} // namespace

std::span<const NamedRule> pointwiseRules() {
    return pointwiseRuleTable;
}

} // namespace aotscope::kernels
