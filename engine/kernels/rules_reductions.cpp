#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include <algorithm>
#include <cmath>

/// Reductions and softmax. They add up in the type of ATen's accumulators on CUDA: float for small floats.
namespace aotscope::kernels {

namespace {

std::string refuseRowUnknown(const OpCall& call) {
    return call.layout("self") == nullptr ? "its size is unknown before the run" : refuseUnknown(call);
}

/// Marks the dimensions of the argument "dim"; all of them if there is none.
std::vector<bool> dimensionsOf(const OpCall& call, std::string_view operand, Sizes& sizes) {
    const TensorLayout* layout = call.layout(operand);
    sizes = layout == nullptr ? Sizes() : layout->sizes;
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const auto dims = call.integers("dim");
    std::vector<bool> reduced(sizes.size(), !dims || dims->empty());
    for (const std::int64_t dim : dims.value_or(std::vector<std::int64_t>())) {
        const std::int64_t wrapped = dim < 0 ? dim + rank : dim;
        if (wrapped >= 0 && wrapped < rank) {
            reduced[static_cast<std::size_t>(wrapped)] = true;
        }
    }
    return reduced;
}
std::vector<bool> reducedSelf(const OpCall& call, Sizes& sizes) {
    return dimensionsOf(call, "self", sizes);
}
std::vector<bool> reducedOutput(const OpCall& call, Sizes& sizes) {
    return dimensionsOf(call, "output", sizes);
}

/// The coordinates of the dimensions that are not reduced, of coordinates that have all, or only those.
Coordinates keptOf(const Coordinates& at, const std::vector<bool>& reduced) {
    if (at.size() != reduced.size()) {
        return at;
    }
    Coordinates kept;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (!reduced[i]) {
            kept.push_back(at[i]);
        }
    }
    return kept;
}

struct Reduced {
    Lowering& lowering;
    const OpCall& call;
    Sizes sizes;
    std::vector<bool> dimensions;
    Coordinates kept;

    [[nodiscard]] double count() const { return static_cast<double>(countOf(sizes, dimensions)); }
    template<typename ElementAt>
    [[nodiscard]] ValueId over(std::string_view name, std::string_view operation,
                               ElementAt&& elementAt) const {
        return lowering.once(call, name, kept,
                             [&] { return lowering.reduce(operation, sizes, dimensions, kept, elementAt); });
    }
    /// The operand's element as `dtype`.
    [[nodiscard]] ValueId operandAt(std::string_view name, const Coordinates& all, ir::DType dtype) const {
        return lowering.operand(*call.tensor(name), sizes, all, dtype);
    }
};

/// The dimensions that `dimensionsIn` marks, at coordinates that have all dimensions, or only those kept.
Reduced reducedAt(Lowering& lowering, const OpCall& call, const Coordinates& at,
                  std::vector<bool> (*dimensionsIn)(const OpCall&, Sizes&)) {
    Reduced reduced{lowering, call, {}, {}, {}};
    reduced.dimensions = dimensionsIn(call, reduced.sizes);
    reduced.kept = keptOf(at, reduced.dimensions);
    return reduced;
}
/// The same for a reduction's result, whose dimensions of size 1 may be kept ones.
Reduced ofResult(Lowering& lowering, const OpCall& call, const Coordinates& at) {
    Reduced reduced = reducedAt(lowering, call, at, reducedSelf);
    reduced.kept = call.flag("keepdim", false) ? reduced.kept : at;
    return reduced;
}

/// What a plain reduction does before, in, and after adding up.
struct Steps {
    std::string_view before = {};
    std::string_view operation;
    std::string_view after = {};
};
ValueId lowerRowSteps(Lowering& lowering, const OpCall& call, const Coordinates& at, const Steps& steps) {
    const Reduced reduced = ofResult(lowering, call, at);
    const ir::DType dtype = call.facts().layout({call.id(), 0})->dtype;
    const ir::DType wide = opmathType(dtype);
    const ValueId value = reduced.over(steps.operation, steps.operation, [&](const Coordinates& all) {
        const ValueId x = lowering.convert(reduced.operandAt("self", all, dtype), wide);
        return steps.before.empty() ? x : lowering.compute(wide, steps.before, {x});
    });
    if (steps.after.empty()) {
        return lowering.rounded(value, dtype);
    }
    const ValueId count = lowering.literalValue(reduced.count(), wide);
    return lowering.rounded(lowering.compute(wide, steps.after, {value, count}), dtype);
}

template<const Steps& steps>
ValueId lowerRow(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    return lowerRowSteps(lowering, call, at, steps);
}
constexpr Steps rowSum{{}, "sum_of", {}};
constexpr Steps rowMean{{}, "sum_of", "$0 / $1"};
constexpr Steps rowProduct{{}, "product_of", {}};
constexpr Steps rowLargest{{}, "largest_of", {}};
constexpr Steps rowSmallest{{}, "smallest_of", {}};
std::string refuseRowOneResult(const OpCall& call) {
    return call.node().target.ends_with(".other") ? "is another name of the larger or smaller of two"
                                                  : refuseRowUnknown(call);
}

/// The index of the first of the largest or smallest elements, counted over the reduced dimensions.
ValueId lowerRowPosition(Lowering& lowering, const OpCall& call, const Coordinates& at, bool largest) {
    const Reduced reduced = ofResult(lowering, call, at);
    const ir::DType dtype = call.layout("self")->dtype;
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all, dtype); };
    const ValueId best = reduced.over("best", largest ? "largest_of" : "smallest_of", x);
    return reduced.over("position", "smallest_of", [&](const Coordinates& all) {
        Coordinates inner;
        Sizes sizes;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (reduced.dimensions[i]) {
                inner.push_back(all[i]);
                sizes.push_back(reduced.sizes[i]);
            }
        }
        return lowering.compute(ir::DType::Int64,
                                "$0 == $1 || (is_nan($0) && is_nan($1)) ? (int64)#0 : 9223372036854775807ll",
                                {x(all), best}, {addressOf(inner, contiguousStrides(sizes))});
    });
}
/// max and min with a dimension give values and positions, else the value alone.
template<bool largest>
ValueId lowerRowExtreme(Lowering& lowering, const OpCall& call, std::size_t result, const Coordinates& at) {
    return result == 1 ? lowerRowPosition(lowering, call, at, largest)
                       : lowerRowSteps(lowering, call, at, largest ? rowLargest : rowSmallest);
}
template<bool largest>
ValueId lowerRowArgument(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    return lowerRowPosition(lowering, call, at, largest);
}

ValueId lowerRowTruth(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const Reduced reduced = ofResult(lowering, call, at);
    const std::string_view operation = call.packet() == "aten.any" ? "largest_of" : "smallest_of";
    const ValueId value = reduced.over("truth", operation, [&](const Coordinates& all) {
        return reduced.operandAt("self", all, ir::DType::Bool);
    });
    return lowering.convert(value, call.facts().layout({call.id()})->dtype);
}

ValueId lowerRowNorm(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const double order = call.real("ord", 2);
    if (order == 1) {
        return lowerRowSteps(lowering, call, at, {"fabs{f}($0)", "sum_of", {}});
    }
    if (std::isinf(order)) {
        return lowerRowSteps(lowering, call, at,
                             {"fabs{f}($0)", order > 0 ? "largest_of" : "smallest_of", {}});
    }
    return lowerRowSteps(lowering, call, at, {"$0 * $0", "sum_of", "sqrt{f}($0)"});
}
std::string refuseRowNorm(const OpCall& call) {
    const double order = call.real("ord", 2);
    return order == 1 || order == 2 || std::isinf(order) ? refuseRowUnknown(call)
                                                         : "no rule for a norm of this order";
}

/// Variance (result 0) and mean (result 1), in two passes over the row.
ValueId lowerRowVariance(Lowering& lowering, const OpCall& call, std::size_t result, const Coordinates& at) {
    const Reduced reduced = ofResult(lowering, call, at);
    const ir::DType dtype = call.facts().layout({call.id(), result})->dtype;
    const ir::DType wide = opmathType(dtype);
    const ValueId count = lowering.literalValue(reduced.count(), wide);
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all, wide); };
    const ValueId mean = lowering.once(call, "mean", reduced.kept, [&] {
        return lowering.compute(wide, "$0 / $1", {reduced.over("sum", "sum_of", x), count});
    });
    if (result == 1) {
        return lowering.rounded(mean, dtype);
    }
    const ValueId squares = reduced.over("squares", "sum_of", [&](const Coordinates& all) {
        const ValueId distance = lowering.compute(wide, "$0 - $1", {x(all), mean});
        return lowering.compute(wide, "$0 * $0", {distance});
    });
    const double correction = call.tryArgument("correction") != nullptr
                                  ? call.real("correction", 1)
                                  : (call.flag("unbiased", true) ? 1 : 0);
    const ValueId divisor = lowering.literalValue(std::max(reduced.count() - correction, 0.0), wide);
    const ValueId variance = lowering.compute(wide, "$0 / $1", {squares, divisor});
    const bool isDeviation = call.packet().starts_with("aten.std");
    return lowering.rounded(isDeviation ? lowering.compute(wide, "sqrt{f}($0)", {variance}) : variance,
                            dtype);
}

ValueId lowerRowLogSumExp(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const Reduced reduced = ofResult(lowering, call, at);
    const ir::DType dtype = call.facts().layout({call.id()})->dtype;
    const ir::DType wide = opmathType(dtype);
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all, wide); };
    const ValueId largest = reduced.over("largest", "largest_of", x);
    const ValueId finite = lowering.compute(wide, "$0 - $0 == $0 - $0 ? $0 : {T}(0)", {largest});
    const ValueId sum = reduced.over("sum", "sum_of", [&](const Coordinates& all) {
        return lowering.compute(wide, "exp{f}($0 - $1)", {x(all), finite});
    });
    return lowering.rounded(lowering.compute(wide, "log{f}($0) + $1", {sum, finite}), dtype);
}

ValueId lowerRowSoftmax(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const ir::DType dtype = call.facts().layout({call.id()})->dtype;
    const ir::DType wide = opmathType(dtype);
    const Reduced reduced = reducedAt(lowering, call, at, reducedSelf);
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all, wide); };
    const ValueId largest = reduced.over("softmax_largest", "largest_of", x);
    const auto power = [&](const Coordinates& all) {
        return lowering.once(call, "softmax_exp", all, [&] {
            return lowering.compute(wide, "exp{f}($0 - $1)", {x(all), largest});
        });
    };
    const ValueId sum = reduced.over("softmax_sum", "sum_of", power);
    if (call.packet() == "aten._log_softmax") {
        return lowering.rounded(lowering.compute(wide, "$0 - $1 - log{f}($2)", {x(at), largest, sum}), dtype);
    }
    const std::string_view text = call.packet() == "aten._safe_softmax"
                                      ? "$2 == {T}(bits_float(0xff800000u)) ? {T}(0) : $0 / $1"
                                      : "$0 / $1";
    return lowering.rounded(lowering.compute(wide, text, {power(at), sum, largest}), dtype);
}
ValueId lowerRowSoftmaxBackward(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const ir::DType dtype = call.facts().layout({call.id()})->dtype;
    const ir::DType wide = opmathType(call.layout("output")->dtype);
    const Reduced reduced = reducedAt(lowering, call, at, reducedOutput);
    const auto gradient = [&](const Coordinates& all) { return reduced.operandAt("grad_output", all, wide); };
    const auto output = [&](const Coordinates& all) { return reduced.operandAt("output", all, wide); };
    if (call.packet() == "aten._log_softmax_backward_data") {
        const ValueId sum = reduced.over("gradient_sum", "sum_of", gradient);
        return lowering.rounded(
            lowering.compute(wide, "$0 - exp{f}($1) * $2", {gradient(at), output(at), sum}), dtype);
    }
    const ValueId sum = reduced.over("gradient_sum", "sum_of", [&](const Coordinates& all) {
        return lowering.compute(wide, "$0 * $1", {gradient(all), output(all)});
    });
    return lowering.rounded(lowering.compute(wide, "($0 - $1) * $2", {gradient(at), sum, output(at)}), dtype);
}
std::string refuseRowBackward(const OpCall& call) {
    return call.layout("output") == nullptr ? "its size is unknown before the run" : refuseUnknown(call);
}

/// Losses: all elements, or their sum or mean.
bool reducesLoss(const OpCall& call) {
    return call.integer("reduction", 1) != 0;
}
std::vector<bool> reducedLoss(const OpCall& call, Sizes& sizes) {
    const TensorLayout* layout = call.layout("self");
    sizes = layout == nullptr ? Sizes() : layout->sizes;
    return std::vector<bool>(sizes.size(), reducesLoss(call));
}
ValueId lowerRowSquaredLoss(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const ir::DType dtype = call.facts().layout({call.id()})->dtype;
    const ir::DType wide = opmathType(dtype);
    Reduced reduced{lowering, call, {}, {}, {}};
    reduced.dimensions = reducedLoss(call, reduced.sizes);
    const auto square = [&](const Coordinates& all) {
        const ValueId distance = lowering.compute(
            wide, "$0 - $1", {reduced.operandAt("self", all, wide), reduced.operandAt("target", all, wide)});
        return lowering.compute(wide, "$0 * $0", {distance});
    };
    if (!reducesLoss(call)) {
        return lowering.rounded(square(at), dtype);
    }
    const ValueId sum = reduced.over("loss_sum", "sum_of", square);
    const double count = call.integer("reduction", 1) == 1 ? reduced.count() : 1;
    return lowering.rounded(lowering.compute(wide, "$0 / $1", {sum, lowering.literalValue(count, wide)}),
                            dtype);
}
ValueId lowerRowSquaredLossBackward(Lowering& lowering, const OpCall& call, std::size_t,
                                    const Coordinates& at) {
    const TensorLayout& result = *call.facts().layout({call.id()});
    const ir::DType wide = opmathType(result.dtype);
    const auto operand = [&](std::string_view name) {
        return lowering.operand(*call.tensor(name), result.sizes, at, wide);
    };
    const double count = call.integer("reduction", 1) == 1 ? static_cast<double>(product(result.sizes)) : 1;
    const ValueId factor = lowering.literalValue(2 / count, wide);
    return lowering.rounded(
        lowering.compute(wide, "$3 * ($0 - $1) * $2",
                         {operand("self"), operand("target"), operand("grad_output"), factor}),
        result.dtype);
}

constexpr NamedRule reductionRuleTable[] = {
    {"aten.sum", {lowerRow<rowSum>, refuseRowUnknown, reducedSelf}},
    {"aten.mean", {lowerRow<rowMean>, refuseRowUnknown, reducedSelf}},
    {"aten.prod", {lowerRow<rowProduct>, refuseRowUnknown, reducedSelf}},
    {"aten.amax", {lowerRow<rowLargest>, refuseRowUnknown, reducedSelf}},
    {"aten.amin", {lowerRow<rowSmallest>, refuseRowUnknown, reducedSelf}},
    {"aten.argmax", {lowerRowArgument<true>, refuseRowUnknown, reducedSelf}},
    {"aten.argmin", {lowerRowArgument<false>, refuseRowUnknown, reducedSelf}},
    {"aten.max", {lowerRowExtreme<true>, refuseRowOneResult, reducedSelf}},
    {"aten.min", {lowerRowExtreme<false>, refuseRowOneResult, reducedSelf}},
    {"aten.any", {lowerRowTruth, refuseRowUnknown, reducedSelf}},
    {"aten.all", {lowerRowTruth, refuseRowUnknown, reducedSelf}},
    {"aten.linalg_vector_norm", {lowerRowNorm, refuseRowNorm, reducedSelf}},
    {"aten.var", {lowerRowVariance, refuseRowUnknown, reducedSelf}},
    {"aten.std", {lowerRowVariance, refuseRowUnknown, reducedSelf}},
    {"aten.var_mean", {lowerRowVariance, refuseRowUnknown, reducedSelf}},
    {"aten.logsumexp", {lowerRowLogSumExp, refuseRowUnknown, reducedSelf}},
    {"aten._softmax", {lowerRowSoftmax, refuseRowUnknown, reducedSelf}},
    {"aten._safe_softmax", {lowerRowSoftmax, refuseRowUnknown, reducedSelf}},
    {"aten._log_softmax", {lowerRowSoftmax, refuseRowUnknown, reducedSelf}},
    {"aten._softmax_backward_data", {lowerRowSoftmaxBackward, refuseRowBackward, reducedOutput}},
    {"aten._log_softmax_backward_data", {lowerRowSoftmaxBackward, refuseRowBackward, reducedOutput}},
    {"aten.mse_loss", {lowerRowSquaredLoss, refuseRowUnknown, reducedLoss}},
    {"aten.mse_loss_backward", {lowerRowSquaredLossBackward, refuseRowUnknown}},
};

} // namespace

std::span<const NamedRule> reductionRules() {
    return reductionRuleTable;
}

} // namespace aotscope::kernels
