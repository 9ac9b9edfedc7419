#pragma once

#include "decompositions/decomposition_set.h"

#include <cstdint>
#include <string_view>

/// LibTorch has the composite kernels and the derivative formulas of one release. Where one of them differs
/// from release to release by a single operator, that operator is exchanged while the kernel or formula runs,
/// so that the rules of the trace decide (aot/versions).
namespace aotscope::torch {

/// Code of LibTorch by the operators that are exchanged in it.
enum class ExchangingCode : std::uint8_t {
    None,
    Linear,
    /// The derivatives of clamp.
    Clamps,
    /// The derivatives of operators that select values (max, sort, topk, …).
    Selections,
};

/// While it lives, the LibTorch code of this name runs on this thread: an operator with a composite kernel
/// ("aten::linear"), or a class of autograd nodes ("ClampBackward1").
class LibTorchCode {
public:
    explicit LibTorchCode(std::string_view name);
    LibTorchCode(const LibTorchCode&) = delete;
    LibTorchCode& operator=(const LibTorchCode&) = delete;
    ~LibTorchCode();

private:
    ExchangingCode m_before;
};

/// The same without a scope, for hooks before and after an autograd node; empty: none runs.
void enterLibTorchCode(std::string_view name);

/// Whether an operator's composite kernel has operators that are exchanged.
[[nodiscard]] bool hasExchangedOperators(const c10::OperatorHandle& composite);

/// What takes the operator's place in the running code; null: nothing does.
[[nodiscard]] Decomposition findExchanged(const c10::OperatorHandle& op);

/// To be called with the results of each operator that the running code called.
void noteResults(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> results);

} // namespace aotscope::torch
