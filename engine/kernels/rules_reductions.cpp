#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include <algorithm>
#include <cmath>

/// Reductions and softmax. They add up in the type of ATen's accumulators on CUDA: float for small floats.
namespace aotscope::kernels {

namespace {

constexpr std::string_view ofSelf = "self";
constexpr std::string_view ofOutput = "output";

template<const auto& operand>
std::string refuseRowUnknown(const OpCall& call) {
    return call.layout(operand) == nullptr ? "its size is unknown before the run" : refuseUnknown(call);
}

/// Marks the dimensions of the argument "dim"; all of them if there is none.
template<const auto& operand>
std::vector<bool> reducedOf(const OpCall& call, Sizes& sizes) {
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

/// A formula with reductions.
struct Reduced : Formula {
    Sizes sizes;
    std::vector<bool> dimensions;
    Coordinates kept;

    /// Over the dimensions that `dimensionsIn` marks, at coordinates that have all dimensions, or only those
    /// kept.
    Reduced(const Formula& formula, std::vector<bool> (*dimensionsIn)(const OpCall&, Sizes&))
        : Formula(formula), dimensions(dimensionsIn(call, sizes)), kept(keptOf(at, dimensions)) {}
    /// The same for a reduction's result, whose dimensions of size 1 may be kept ones.
    explicit Reduced(const Formula& formula) : Reduced(formula, reducedOf<ofSelf>) {
        kept = call.flag("keepdim", false) ? kept : at;
    }

    [[nodiscard]] double count() const { return static_cast<double>(countOf(sizes, dimensions)); }
    template<typename ElementAt>
    [[nodiscard]] ValueId over(std::string_view name, std::string_view operation,
                               ElementAt&& elementAt) const {
        return lowering.once(call, name, kept,
                             [&] { return lowering.reduce(operation, sizes, dimensions, kept, elementAt); });
    }
    /// The operand's element as `as`.
    [[nodiscard]] ValueId operandAt(std::string_view name, const Coordinates& all, ir::DType as) const {
        return lowering.operand(*call.tensor(name), sizes, all, as);
    }
    [[nodiscard]] ValueId operandAt(std::string_view name, const Coordinates& all) const {
        return operandAt(name, all, wide);
    }
};

/// A plain reduction of what `before` makes of the elements.
ValueId lowerRowSteps(const Formula& formula, std::string_view operation, std::string_view result,
                      std::string_view before = {}) {
    const Reduced reduced(formula);
    const ValueId value = reduced.over(operation, operation, [&](const Coordinates& all) {
        const ValueId x =
            reduced.lowering.convert(reduced.operandAt("self", all, reduced.dtype), reduced.wide);
        return before.empty() ? x : reduced.compute(before, {x});
    });
    return result.empty() ? reduced.rounded(value)
                          : reduced.rounded(result, {value, reduced.number(reduced.count())});
}

std::string refuseRowOneResult(const OpCall& call) {
    return call.node().target.ends_with(".other") ? "is another name of the larger or smaller of two"
                                                  : refuseRowUnknown<ofSelf>(call);
}

/// The index of the first of the largest or smallest elements, counted over the reduced dimensions.
ValueId lowerRowPosition(const Formula& formula) {
    const Reduced reduced(formula);
    const ir::DType dtype = reduced.call.layout("self")->dtype;
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all, dtype); };
    const ValueId best = reduced.over("best", reduced.call.op()->kernel.text, x);
    return reduced.over("position", "smallest_of", [&](const Coordinates& all) {
        Coordinates inner;
        Sizes sizes;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (reduced.dimensions[i]) {
                inner.push_back(all[i]);
                sizes.push_back(reduced.sizes[i]);
            }
        }
        return reduced.lowering.compute(
            ir::DType::Int64, "$0 == $1 || (is_nan($0) && is_nan($1)) ? (int64)#0 : 9223372036854775807ll",
            {x(all), best}, {addressOf(inner, contiguousStrides(sizes))});
    });
}
/// The second result, of max and min, is the position.
ValueId lowerRow(const Formula& formula) {
    const ir::KernelFormula& kernel = formula.call.op()->kernel;
    return formula.result == 1 ? lowerRowPosition(formula)
                               : lowerRowSteps(formula, kernel.text, kernel.result);
}

ValueId lowerRowTruth(const Formula& formula) {
    const Reduced reduced(formula);
    const ValueId value = reduced.over("truth", reduced.call.op()->kernel.text, [&](const Coordinates& all) {
        return reduced.operandAt("self", all, ir::DType::Bool);
    });
    return reduced.lowering.convert(value, reduced.dtype);
}

ValueId lowerRowNorm(const Formula& formula) {
    const double order = formula.call.real("ord", 2);
    if (order == 1) {
        return lowerRowSteps(formula, "sum_of", {}, "fabs{f}($0)");
    }
    if (std::isinf(order)) {
        return lowerRowSteps(formula, order > 0 ? "largest_of" : "smallest_of", {}, "fabs{f}($0)");
    }
    return lowerRowSteps(formula, "sum_of", "sqrt{f}($0)", "$0 * $0");
}
std::string refuseRowNorm(const OpCall& call) {
    const double order = call.real("ord", 2);
    return order == 1 || order == 2 || std::isinf(order) ? refuseRowUnknown<ofSelf>(call)
                                                         : "no rule for a norm of this order";
}

/// Variance (result 0) and mean (result 1), in two passes over the row.
ValueId lowerRowVariance(const Formula& formula) {
    const Reduced reduced(formula);
    const OpCall& call = reduced.call;
    const ValueId count = reduced.number(reduced.count());
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all); };
    const ValueId mean = reduced.lowering.once(call, "mean", reduced.kept, [&] {
        return reduced.compute("$0 / $1", {reduced.over("sum", "sum_of", x), count});
    });
    if (reduced.result == 1) {
        return reduced.rounded(mean);
    }
    const ValueId squares = reduced.over("squares", "sum_of", [&](const Coordinates& all) {
        return reduced.compute("$0 * $0", {reduced.compute("$0 - $1", {x(all), mean})});
    });
    const double correction = call.tryArgument("correction") != nullptr
                                  ? call.real("correction", 1)
                                  : (call.flag("unbiased", true) ? 1 : 0);
    const ValueId divisor = reduced.number(std::max(reduced.count() - correction, 0.0));
    const ValueId variance = reduced.compute("$0 / $1", {squares, divisor});
    const std::string_view result = call.op()->kernel.result;
    return result.empty() ? reduced.rounded(variance) : reduced.rounded(result, {variance});
}

ValueId lowerRowLogSumExp(const Formula& formula) {
    const Reduced reduced(formula);
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all); };
    const ValueId largest = reduced.over("largest", "largest_of", x);
    const ValueId finite = reduced.compute("$0 - $0 == $0 - $0 ? $0 : {T}(0)", {largest});
    const ValueId sum = reduced.over("sum", "sum_of", [&](const Coordinates& all) {
        return reduced.compute("exp{f}($0 - $1)", {x(all), finite});
    });
    return reduced.rounded("log{f}($0) + $1", {sum, finite});
}

template<bool isLog>
ValueId lowerRowSoftmax(const Formula& formula) {
    const Reduced reduced(formula, reducedOf<ofSelf>);
    const OpCall& call = reduced.call;
    const auto x = [&](const Coordinates& all) { return reduced.operandAt("self", all); };
    const ValueId largest = reduced.over("softmax_largest", "largest_of", x);
    const auto power = [&](const Coordinates& all) {
        return reduced.lowering.once(call, "softmax_exp", all, [&] {
            return reduced.compute("exp{f}($0 - $1)", {x(all), largest});
        });
    };
    const ValueId sum = reduced.over("softmax_sum", "sum_of", power);
    if (isLog) {
        return reduced.rounded("$0 - $1 - log{f}($2)", {x(reduced.at), largest, sum});
    }
    return reduced.rounded(call.op()->kernel.result, {power(reduced.at), sum, largest});
}
template<bool isLog>
ValueId lowerRowSoftmaxBackward(const Formula& formula) {
    Reduced reduced(formula, reducedOf<ofOutput>);
    reduced.wide = opmathType(reduced.call.layout("output")->dtype);
    const auto gradient = [&](const Coordinates& all) { return reduced.operandAt("grad_output", all); };
    const auto output = [&](const Coordinates& all) { return reduced.operandAt("output", all); };
    if (isLog) {
        const ValueId sum = reduced.over("gradient_sum", "sum_of", gradient);
        return reduced.rounded("$0 - exp{f}($1) * $2", {gradient(reduced.at), output(reduced.at), sum});
    }
    const ValueId sum = reduced.over("gradient_sum", "sum_of", [&](const Coordinates& all) {
        return reduced.compute("$0 * $1", {gradient(all), output(all)});
    });
    return reduced.rounded("($0 - $1) * $2", {gradient(reduced.at), sum, output(reduced.at)});
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
/// By how many elements the sum is divided.
double divisorOf(const OpCall& call, double elements) {
    return call.integer("reduction", 1) == 1 ? elements : 1;
}
ValueId lowerRowSquaredLoss(const Formula& formula) {
    const Reduced reduced(formula, reducedLoss);
    const auto square = [&](const Coordinates& all) {
        const ValueId distance =
            reduced.compute("$0 - $1", {reduced.operandAt("self", all), reduced.operandAt("target", all)});
        return reduced.compute("$0 * $0", {distance});
    };
    if (!reducesLoss(reduced.call)) {
        return reduced.rounded(square(reduced.at));
    }
    const ValueId sum = reduced.over("loss_sum", "sum_of", square);
    return reduced.rounded("$0 / $1", {sum, reduced.number(divisorOf(reduced.call, reduced.count()))});
}
ValueId lowerRowSquaredLossBackward(const Formula& formula) {
    const double count = divisorOf(formula.call, static_cast<double>(product(formula.layout->sizes)));
    const ValueId factor = formula.number(2 / count);
    return formula.rounded("$3 * ($0 - $1) * $2",
                           {formula.operand("self", formula.wide), formula.operand("target", formula.wide),
                            formula.operand("grad_output", formula.wide), factor});
}

constexpr KindRule reductionRuleTable[] = {
    {ir::KernelRule::Reduction, {lowerRow, refuseRowOneResult, reducedOf<ofSelf>}},
    {ir::KernelRule::Position, {lowerRowPosition, refuseRowUnknown<ofSelf>, reducedOf<ofSelf>}},
    {ir::KernelRule::Truth, {lowerRowTruth, refuseRowUnknown<ofSelf>, reducedOf<ofSelf>}},
    {ir::KernelRule::VectorNorm, {lowerRowNorm, refuseRowNorm, reducedOf<ofSelf>}},
    {ir::KernelRule::Variance, {lowerRowVariance, refuseRowUnknown<ofSelf>, reducedOf<ofSelf>}},
    {ir::KernelRule::LogSumExp, {lowerRowLogSumExp, refuseRowUnknown<ofSelf>, reducedOf<ofSelf>}},
    {ir::KernelRule::Softmax, {lowerRowSoftmax<false>, refuseRowUnknown<ofSelf>, reducedOf<ofSelf>}},
    {ir::KernelRule::LogSoftmax, {lowerRowSoftmax<true>, refuseRowUnknown<ofSelf>, reducedOf<ofSelf>}},
    {ir::KernelRule::SoftmaxGradient,
     {lowerRowSoftmaxBackward<false>, refuseRowUnknown<ofOutput>, reducedOf<ofOutput>}},
    {ir::KernelRule::LogSoftmaxGradient,
     {lowerRowSoftmaxBackward<true>, refuseRowUnknown<ofOutput>, reducedOf<ofOutput>}},
    {ir::KernelRule::SquaredLoss, {lowerRowSquaredLoss, refuseRowUnknown<ofSelf>, reducedLoss}},
    {ir::KernelRule::SquaredLossGradient, {lowerRowSquaredLossBackward, refuseRowUnknown<ofSelf>}},
};

} // namespace

const RuleFamily reductionRules = reductionRuleTable;

} // namespace aotscope::kernels
