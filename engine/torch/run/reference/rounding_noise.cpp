#include "run/reference/rounding_noise.h"

#include "dispatch/dtypes.h"
#include "run/state/tensor_copy.h"

#include "aot/tensor_elements.h"
#include "ir/operators/operator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace aotscope::torch {

namespace {

double typeRoundoff(c10::ScalarType type) {
    return aot::unitRoundoff(dtypeOf(type));
}

/// Which dtypes have arithmetic of their own on the CPU.
bool canBeNoisy(const at::Tensor& tensor) {
    const c10::ScalarType type =
        tensor.defined() ? c10::toRealValueType(tensor.scalar_type()) : c10::ScalarType::Undefined;
    return (type == c10::kFloat || type == c10::kDouble || type == c10::kHalf || type == c10::kBFloat16) &&
           tensor.layout() == c10::kStrided && tensor.has_storage() && tensor.numel() > 0 &&
           !tensor._is_zerotensor() && !tensor.is_conj() && !tensor.is_neg();
}

/// To which dtype an operator copies its first tensor, or with `copy_` its second; Undefined: it does not.
c10::ScalarType copiesTo(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    const std::string_view name = plainName(op);
    if (name == "copy_" && arguments[0].isTensor()) {
        return arguments[0].toTensor().scalar_type();
    }
    if (ir::operatorNamed(name).is(ir::Trait::Converts)) {
        const auto index = op.schema().argumentIndexWithName("dtype");
        const c10::IValue none;
        const c10::IValue& dtype = index ? arguments[static_cast<std::size_t>(*index)] : none;
        return dtype.isInt() ? static_cast<c10::ScalarType>(dtype.toInt()) : c10::ScalarType::Undefined;
    }
    return c10::ScalarType::Undefined;
}

bool narrows(c10::ScalarType to, const at::Tensor& from) {
    return to != c10::ScalarType::Undefined && to != c10::kBool && !c10::isComplexType(to) &&
           (!c10::isFloatingType(to) || typeRoundoff(to) > typeRoundoff(from.scalar_type()));
}

/// Results of these are whole numbers or quantized ones.
bool jumps(std::string_view name) {
    constexpr std::string_view names[] = {"round",
                                          "floor",
                                          "ceil",
                                          "trunc",
                                          "quantize_per_tensor",
                                          "quantize_per_channel",
                                          "fake_quantize_per_tensor_affine_cachemask",
                                          "fake_quantize_per_channel_affine_cachemask"};
    return std::ranges::find(names, name) != std::end(names);
}

/// Arguments that kernels write to although the schema does not say so, or whose exact value matters.
bool isLeftAlone(const c10::OperatorHandle& op, std::size_t argument) {
    const std::string& name = op.schema().arguments()[argument].name();
    return writesTo(op, argument) || name == "running_mean" || name == "running_var" || name == "out";
}

} // namespace

RoundingNoise::RoundingNoise(std::uint64_t run)
    : m_isUp(run % 2 == 0), m_generator(at::make_generator<at::CPUGeneratorImpl>(run + 1)) {}

at::Tensor RoundingNoise::rounded(const at::Tensor& tensor) {
    const double roundoff = typeRoundoff(tensor.scalar_type());
    const auto noisy = [&](const at::Tensor& numbers) {
        const c10::ScalarType real = c10::toRealValueType(numbers.scalar_type());
        const at::Tensor signs = at::empty_like(numbers, at::TensorOptions(real).device(c10::kCPU));
        signs.bernoulli_(0.5, m_generator).mul_(4 * roundoff).add_(1 - 2 * roundoff);
        return numbers.mul(numbers.is_cpu() ? signs : signs.to(numbers.device()));
    };
    const at::Tensor all = wholeStorage(tensor);
    if (tensor.is_non_overlapping_and_dense() && tensor.numel() * 2 < all.numel()) {
        return noisy(tensor);
    }
    return noisy(all).as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

at::Tensor RoundingNoise::shifted(const at::Tensor& tensor) const {
    const at::Tensor magnitudes = tensor.abs();
    const at::Tensor largest = magnitudes.max();
    if (!(largest.item().toDouble() < std::numeric_limits<double>::infinity())) {
        return tensor;
    }
    const double far = 16 * typeRoundoff(tensor.scalar_type()) * (m_isUp ? 1 : -1);
    return tensor.add(magnitudes.gt(0).to(tensor.scalar_type()).mul(largest).mul(far));
}

void RoundingNoise::call(const c10::OperatorHandle& op, c10::Stack& stack) {
    const std::size_t count = op.schema().arguments().size();
    const std::size_t first = stack.size() - count;
    const std::string_view name = plainName(op);
    const c10::ScalarType target = copiesTo(op, argumentsOn(op, stack));
    if (!makesView(op) &&
        (target != c10::ScalarType::Undefined || !ir::operatorNamed(name).is(ir::Trait::MovesValues))) {
        const c10::AutoGradMode noGrad(false);
        const at::AutoDispatchBelowADInplaceOrView belowAutograd;
        for (std::size_t i = 0; i < count; ++i) {
            c10::IValue& argument = stack[first + i];
            if (!argument.isTensor() || !canBeNoisy(argument.toTensor()) || isLeftAlone(op, i)) {
                continue;
            }
            const at::Tensor& tensor = argument.toTensor();
            if (target != c10::ScalarType::Undefined || jumps(name)) {
                argument = jumps(name) || narrows(target, tensor) ? shifted(tensor) : tensor;
            } else {
                argument = rounded(tensor);
            }
        }
    }
    carryOut(op, stack);
}

} // namespace aotscope::torch
