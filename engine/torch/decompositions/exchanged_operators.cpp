#include "decompositions/exchanged_operators.h"

#include <ATen/ops/_unsafe_view.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace aotscope::torch {

namespace {

thread_local ExchangingCode runningCode = ExchangingCode::None;
/// The result of linear's addmm; null: there is none yet.
thread_local const c10::TensorImpl* linearProduct = nullptr;
/// The operator that takes another one's place is being called: it is not exchanged again.
thread_local bool exchanging = false;

class Exchanging {
public:
    Exchanging() { exchanging = true; }
    Exchanging(const Exchanging&) = delete;
    Exchanging& operator=(const Exchanging&) = delete;
    ~Exchanging() { exchanging = false; }
};

constexpr std::string_view linearName = "aten::linear";
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
    return name == linearName                     ? ExchangingCode::Linear
           : isVariantOfAny(clampNodes, name)     ? ExchangingCode::Clamps
           : isVariantOfAny(selectionNodes, name) ? ExchangingCode::Selections
                                                  : ExchangingCode::None;
}

Decomposed atLeast(const DecompositionCall& call) {
    const Exchanging now;
    const at::Tensor self = call.tensor("self");
    return call.rules().clampsHaveNoGradientAtBounds ? at::gt(self, call.scalar("other"))
                                                     : at::ge(self, call.scalar("other"));
}

Decomposed atMost(const DecompositionCall& call) {
    const Exchanging now;
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
    const Exchanging now;
    return at::zeros_symint(call.symInts("size"), call.tensor("self").options());
}

Decomposed shapeOfProduct(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    if (self.unsafeGetTensorImpl() != linearProduct) {
        return Decomposed::notApplicable();
    }
    const Exchanging now;
    const std::vector<c10::SymInt> size = call.symInts("size");
    return call.rules().linearEndsInUnsafeView ? at::_unsafe_view_symint(self, size) : self.view_symint(size);
}

struct Exchanges {
    Exchanges() {
        inClamps.add({"aten::ge.Scalar", "aten::gt.Scalar"}, atLeast);
        inClamps.add({"aten::le.Scalar", "aten::lt.Scalar"}, atMost);
        inSelections.add({"aten::new_zeros"}, gradientZeros);
        inLinear.add({"aten::view", "aten::_unsafe_view"}, shapeOfProduct);
    }
    DecompositionSet inClamps;
    DecompositionSet inSelections;
    DecompositionSet inLinear;
};

const Exchanges& exchanges() {
    static const Exchanges all;
    return all;
}

} // namespace

LibTorchCode::LibTorchCode(std::string_view name) : m_before(std::exchange(runningCode, codeOf(name))) {
    linearProduct = nullptr;
}

LibTorchCode::~LibTorchCode() {
    runningCode = m_before;
    linearProduct = nullptr;
}

void enterLibTorchCode(std::string_view name) {
    runningCode = codeOf(name);
}

bool hasExchangedOperators(const c10::OperatorHandle& composite) {
    return composite.operator_name().name == linearName;
}

Decomposition findExchanged(const c10::OperatorHandle& op) {
    if (exchanging) {
        return nullptr;
    }
    switch (runningCode) {
    case ExchangingCode::Linear:
        return exchanges().inLinear.find(op);
    case ExchangingCode::Clamps:
        return exchanges().inClamps.find(op);
    case ExchangingCode::Selections:
        return exchanges().inSelections.find(op);
    case ExchangingCode::None:
        break;
    }
    return nullptr;
}

void noteResults(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> results) {
    if (runningCode == ExchangingCode::Linear && op.operator_name().name == "aten::addmm") {
        linearProduct = results[0].toTensor().unsafeGetTensorImpl();
    }
}

} // namespace aotscope::torch
