#include "decompositions/exchanged_operators.h"

#include "decompositions/aten_operators.h"

#include "dispatch/operators.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace aotscope::torch {

namespace {

constexpr std::string_view linearName = "aten::linear";
constexpr std::string_view groupNormName = "aten::group_norm";
constexpr std::string_view groupNormNode = "NativeGroupNormBackward0";
/// FunctionsManual.cpp: clamp_backward.
constexpr std::array<std::string_view, 3> clampNodes = {"ClampBackward", "ClampMinBackward",
                                                        "ClampMaxBackward"};
/// FunctionsManual.cpp: value_selecting_reduction_backward, cummaxmin_backward and their likes.
constexpr std::array<std::string_view, 10> selectionNodes = {
    "MaxBackward",    "MinBackward",       "SortBackward", "TopkBackward",   "KthvalueBackward",
    "MedianBackward", "NanmedianBackward", "ModeBackward", "CummaxBackward", "CumminBackward"};

/// Autograd numbers the variants of a class: "ClampBackward0", "ClampBackward1".
bool isVariantOfAny(std::span<const std::string_view> nodeClasses, std::string_view name) {
    return std::ranges::any_of(nodeClasses, [&](std::string_view nodeClass) {
        return name.size() > nodeClass.size() && name.starts_with(nodeClass) &&
               name[nodeClass.size()] >= '0' && name[nodeClass.size()] <= '9';
    });
}

ExchangingCode codeOf(std::string_view name) {
    return name == linearName                               ? ExchangingCode::Linear
           : name == groupNormName || name == groupNormNode ? ExchangingCode::GroupNorm
           : isVariantOfAny(clampNodes, name)               ? ExchangingCode::Clamps
           : isVariantOfAny(selectionNodes, name)           ? ExchangingCode::Selections
                                                            : ExchangingCode::None;
}

Decomposed atLeast(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return call.rules().clampsHaveNoGradientAtBounds ? at::gt(self, call.scalar("other"))
                                                     : at::ge(self, call.scalar("other"));
}

Decomposed atMost(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return call.rules().clampsHaveNoGradientAtBounds ? at::lt(self, call.scalar("other"))
                                                     : at::le(self, call.scalar("other"));
}

/// The zeros that a gradient is scattered into. A LibTorch that makes them without the gradient is left to
/// it.
Decomposed gradientZeros(const DecompositionCall& call) {
    if (call.rules().zerosAreMadeFromTheGradient) {
        return Decomposed::notApplicable();
    }
    return at::zeros_symint(call.symInts("size"), call.tensor("self").options());
}

Decomposed shapeOfProduct(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::vector<c10::SymInt> size = call.symInts("size");
    return call.rules().linearEndsInUnsafeView ? at::_unsafe_view_symint(self, size) : self.view_symint(size);
}

/// Group norm is called with tensors in the memory format of its input (derivatives.yaml, group_norm.cpp).
at::Tensor inFormatOf(const at::Tensor& input, const at::Tensor& tensor) {
    return tensor.contiguous(input.is_cpu() ? input.suggest_memory_format() : c10::MemoryFormat::Contiguous);
}

Decomposed normOfContiguous(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    if (call.rules().groupNormMakesItsInputContiguous) {
        return Decomposed::notApplicable();
    }
    const auto contiguous = [&](std::string_view name) {
        std::optional<at::Tensor> tensor = call.optionalTensor(name);
        return tensor ? std::optional(tensor->contiguous()) : tensor;
    };
    const at::Tensor own = inFormatOf(input, input);
    const std::optional<at::Tensor> weight = contiguous("weight");
    const std::optional<at::Tensor> bias = contiguous("bias");
    auto [output, mean, rstd] = at::native_group_norm_symint(
        own, weight, bias, call.symInt("N"), call.symInt("C"), call.symInt("HxW"), call.integer("group"),
        call.scalar("eps").toDouble());
    return {std::move(output), std::move(mean), std::move(rstd)};
}

Decomposed normGradientOfContiguous(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    if (call.rules().groupNormMakesItsInputContiguous) {
        return Decomposed::notApplicable();
    }
    const std::vector<bool> mask = call.flags("output_mask");
    const at::Tensor gradient = inFormatOf(input, call.tensor("grad_out"));
    auto [ofInput, ofWeight, ofBias] = at::native_group_norm_backward_symint(
        gradient, inFormatOf(input, input), call.tensor("mean"), call.tensor("rstd"),
        call.optionalTensor("weight"), call.symInt("N"), call.symInt("C"), call.symInt("HxW"),
        call.integer("group"), {mask[0], mask[1], mask[2]});
    return {std::move(ofInput), std::move(ofWeight), std::move(ofBias)};
}

struct Exchanges {
    Exchanges() {
        inClamps.add("aten::ge.Scalar", atLeast);
        inClamps.add("aten::gt.Scalar", atLeast);
        inClamps.add("aten::le.Scalar", atMost);
        inClamps.add("aten::lt.Scalar", atMost);
        inSelections.add("aten::new_zeros", gradientZeros);
        inLinear.add("aten::view", shapeOfProduct);
        inLinear.add("aten::_unsafe_view", shapeOfProduct);
        inGroupNorm.add("aten::native_group_norm", normOfContiguous);
        inGroupNorm.add("aten::native_group_norm_backward", normGradientOfContiguous);
    }
    DecompositionSet inClamps;
    DecompositionSet inSelections;
    DecompositionSet inLinear;
    DecompositionSet inGroupNorm;
};

const Exchanges& exchanges() {
    static const Exchanges all;
    return all;
}

} // namespace

void ExchangedOperators::enter(std::string_view name) {
    m_running = codeOf(name);
}

Decomposition ExchangedOperators::find(const c10::OperatorHandle& op, const c10::Stack& stack) const {
    if (m_isExchanging) {
        return nullptr;
    }
    switch (m_running) {
    case ExchangingCode::Linear: {
        const Decomposition found = exchanges().inLinear.find(op);
        const auto self = [&] { return argumentsOn(op, stack).front().toTensor().unsafeGetTensorImpl(); };
        return found != nullptr && self() == m_linearProduct ? found : nullptr;
    }
    case ExchangingCode::Clamps:
        return exchanges().inClamps.find(op);
    case ExchangingCode::Selections:
        return exchanges().inSelections.find(op);
    case ExchangingCode::GroupNorm:
        return exchanges().inGroupNorm.find(op);
    case ExchangingCode::None:
        break;
    }
    return nullptr;
}

bool ExchangedOperators::exchange(const c10::OperatorHandle& op, c10::Stack& stack) {
    const Decomposition found = find(op, stack);
    if (found == nullptr) {
        return false;
    }
    const auto done = c10::make_scope_exit([&] { m_isExchanging = false; });
    m_isExchanging = true;
    return decompose(found, op, stack, m_rules);
}

void ExchangedOperators::noteResults(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> results) {
    if (m_running == ExchangingCode::Linear && op.operator_name().name == "aten::addmm") {
        m_linearProduct = results[0].toTensor().unsafeGetTensorImpl();
    }
}

LibTorchCode::LibTorchCode(ExchangedOperators& exchanged, std::string_view name)
    : m_exchanged(exchanged), m_before(std::exchange(exchanged.m_running, codeOf(name))) {
    m_exchanged.m_linearProduct = nullptr;
}

LibTorchCode::~LibTorchCode() {
    m_exchanged.m_running = m_before;
    m_exchanged.m_linearProduct = nullptr;
}

bool hasExchangedOperators(const c10::OperatorHandle& composite) {
    const std::string& name = composite.operator_name().name;
    return name == linearName || name == groupNormName;
}

} // namespace aotscope::torch
