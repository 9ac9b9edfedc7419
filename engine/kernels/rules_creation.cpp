#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"
#include "kernels/philox.h"

/// Operators that make tensors of constants.
namespace aotscope::kernels {

namespace {

ValueId constant(const Formula& formula, const Number& number) {
    return formula.rounded(formula.number(number));
}
ValueId lowerSame(const Formula& formula) {
    return constant(formula, std::int64_t{formula.call.op()->kernel.text == "1"});
}
std::optional<Number> fillOf(const OpCall& call) {
    return call.number(call.hasArgument("fill_value") ? "fill_value" : "s");
}
ValueId lowerFull(const Formula& formula) {
    return constant(formula, *fillOf(formula.call));
}
std::string refuseFull(const OpCall& call) {
    return fillOf(call) ? refuseUnknown(call) : "reads a number that only the run knows";
}

ValueId lowerRange(const Formula& formula) {
    Lowering& lowering = formula.lowering;
    const ir::DType wide = isFloating(formula.dtype) ? formula.wide : ir::DType::Int64;
    const auto bound = [&](std::string_view name, std::int64_t otherwise) {
        return lowering.literalValue(formula.call.number(name).value_or(Number(otherwise)), wide);
    };
    const ValueId value =
        lowering.compute(wide, "$0 + $1 * {T}(#0)", {bound("start", 0), bound("step", 1)}, {formula.at[0]});
    return lowering.convert(value, formula.dtype);
}
std::string refuseRange(const OpCall& call) {
    for (const std::string_view name : {"start", "step"}) {
        if (call.tryArgument(name) != nullptr && !call.number(name)) {
            return "reads a number that only the run knows";
        }
    }
    return refuseUnknown(call);
}

ValueId lowerPhilox(const Formula& formula) {
    Lowering& lowering = formula.lowering;
    const TensorLayout& layout = *formula.call.facts().layout({formula.call.id(), 0});
    if (formula.result == 1) {
        return lowering.literalValue(philoxOffsetStep(layout.elements()), ir::DType::Int64);
    }
    const std::string threads = std::to_string(philoxThreads(layout.elements()));
    const auto number = [&](std::string_view name) {
        return lowering.operand(*formula.call.tensor(name), {}, {}, ir::DType::Int64);
    };
    return lowering.compute(ir::DType::Float32, "philox_uniform($0, $1, (int64)#0, " + threads + "ll)",
                            {number("seed"), number("offset")},
                            {addressOf(formula.at, contiguousStrides(layout.sizes))});
}
std::string refusePhilox(const OpCall& call) {
    const TensorLayout* layout = call.facts().layout({call.id(), 0});
    return layout == nullptr                     ? "its size is unknown before the run"
           : layout->dtype != ir::DType::Float32 ? "draws random numbers of another dtype than float32"
           : !call.tensor("seed") || !call.tensor("offset") ? "its seed is no tensor"
                                                            : "";
}

constexpr KindRule creationRuleTable[] = {
    {ir::KernelRule::Philox, {lowerPhilox, refusePhilox}},
    {ir::KernelRule::Same, {lowerSame, refuseUnknown}},
    {ir::KernelRule::Filled, {lowerFull, refuseFull}},
    {ir::KernelRule::Range, {lowerRange, refuseRange}},
};

} // namespace

const RuleFamily creationRules = creationRuleTable;

} // namespace aotscope::kernels
