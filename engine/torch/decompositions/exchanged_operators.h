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
    /// The composite group norm, and its derivative.
    GroupNorm,
};

/// Exchanges the operators that LibTorch's code calls in one trace.
class ExchangedOperators {
public:
    explicit ExchangedOperators(const aot::TraceRules& rules) : m_rules(rules) {}

    /// From now on the LibTorch code of this name runs: an operator with a composite kernel ("aten::linear"),
    /// or a class of autograd nodes ("ClampBackward1"); empty: none runs.
    void enter(std::string_view name);
    /// Calls what takes the operator's place in the running code: pops its arguments and pushes the results.
    /// False, with the stack as it was, where nothing does.
    [[nodiscard]] bool exchange(const c10::OperatorHandle& op, c10::Stack& stack);
    /// To be called with the results of each operator that the running code called.
    void noteResults(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> results);

private:
    friend class LibTorchCode;

    [[nodiscard]] Decomposition find(const c10::OperatorHandle& op, const c10::Stack& stack) const;

    const aot::TraceRules& m_rules;
    ExchangingCode m_running = ExchangingCode::None;
    /// The result of linear's addmm; null: there is none yet.
    const c10::TensorImpl* m_linearProduct = nullptr;
    /// The operator that takes another one's place is being called: it is not exchanged again.
    bool m_isExchanging = false;
};

/// While it lives, the LibTorch code of this name runs, as with ExchangedOperators::enter.
class LibTorchCode {
public:
    LibTorchCode(ExchangedOperators& exchanged, std::string_view name);
    LibTorchCode(const LibTorchCode&) = delete;
    LibTorchCode& operator=(const LibTorchCode&) = delete;
    ~LibTorchCode();

private:
    ExchangedOperators& m_exchanged;
    ExchangingCode m_before;
};

/// Whether an operator's composite kernel has operators that are exchanged.
[[nodiscard]] bool hasExchangedOperators(const c10::OperatorHandle& composite);

} // namespace aotscope::torch
