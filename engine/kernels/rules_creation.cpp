#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"
#include "kernels/philox.h"

/// Operators that make tensors of constants.
namespace aotscope::kernels {

namespace {

ValueId constant(Lowering& lowering, const OpCall& call, const Number& number) {
    const ir::DType dtype = call.facts().layout({call.id()})->dtype;
    return lowering.rounded(lowering.literalValue(number, opmathType(dtype)), dtype);
}
ValueId lowerZeros(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates&) {
    return constant(lowering, call, std::int64_t{0});
}
ValueId lowerOnes(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates&) {
    return constant(lowering, call, std::int64_t{1});
}
ValueId lowerFull(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates&) {
    return constant(lowering, call, *call.number(call.hasArgument("fill_value") ? "fill_value" : "s"));
}
std::string refuseFull(const OpCall& call) {
    return call.number(call.hasArgument("fill_value") ? "fill_value" : "s")
               ? refuseUnknown(call)
               : "reads a number that only the run knows";
}

ValueId lowerRange(Lowering& lowering, const OpCall& call, std::size_t, const Coordinates& at) {
    const ir::DType dtype = call.facts().layout({call.id()})->dtype;
    const ir::DType wide = isFloating(dtype) ? opmathType(dtype) : ir::DType::Int64;
    const ValueId start = lowering.literalValue(call.number("start").value_or(Number(std::int64_t{0})), wide);
    const ValueId step = lowering.literalValue(call.number("step").value_or(Number(std::int64_t{1})), wide);
    return lowering.convert(lowering.compute(wide, "$0 + $1 * {T}(#0)", {start, step}, {at[0]}), dtype);
}
std::string refuseRange(const OpCall& call) {
    for (const std::string_view name : {"start", "step"}) {
        if (call.tryArgument(name) != nullptr && !call.number(name)) {
            return "reads a number that only the run knows";
        }
    }
    return refuseUnknown(call);
}

ValueId lowerPhilox(Lowering& lowering, const OpCall& call, std::size_t result, const Coordinates& at) {
    const TensorLayout& layout = *call.facts().layout({call.id(), 0});
    const std::int64_t threads = philoxThreads(layout.elements());
    if (result == 1) {
        return lowering.literalValue(philoxOffsetStep(layout.elements()), ir::DType::Int64);
    }
    const ValueId seed = lowering.operand(*call.tensor("seed"), {}, {}, ir::DType::Int64);
    const ValueId offset = lowering.operand(*call.tensor("offset"), {}, {}, ir::DType::Int64);
    return lowering.compute(ir::DType::Float32,
                            "philox_uniform($0, $1, (int64)#0, " + std::to_string(threads) + "ll)",
                            {seed, offset}, {addressOf(at, contiguousStrides(layout.sizes))});
}
std::string refusePhilox(const OpCall& call) {
    const TensorLayout* layout = call.facts().layout({call.id(), 0});
    return layout == nullptr                     ? "its size is unknown before the run"
           : layout->dtype != ir::DType::Float32 ? "draws random numbers of another dtype than float32"
           : !call.tensor("seed") || !call.tensor("offset") ? "its seed is no tensor"
                                                            : "";
}

constexpr NamedRule creationRuleTable[] = {
    {"rngprims.philox_rand", {lowerPhilox, refusePhilox}},
    {"aten.zeros", {lowerZeros, refuseUnknown}},
    {"aten.zeros_like", {lowerZeros, refuseUnknown}},
    {"aten.new_zeros", {lowerZeros, refuseUnknown}},
    {"aten.zero", {lowerZeros, refuseUnknown}},
    {"aten.ones", {lowerOnes, refuseUnknown}},
    {"aten.ones_like", {lowerOnes, refuseUnknown}},
    {"aten.new_ones", {lowerOnes, refuseUnknown}},
    {"aten.full", {lowerFull, refuseFull}},
    {"aten.full_like", {lowerFull, refuseFull}},
    {"aten.new_full", {lowerFull, refuseFull}},
    {"aten.scalar_tensor", {lowerFull, refuseFull}},
    {"aten.arange", {lowerRange, refuseRange}},
    {"prims.iota", {lowerRange, refuseRange}},
};

} // namespace

std::span<const NamedRule> creationRules() {
    return creationRuleTable;
}

} // namespace aotscope::kernels
