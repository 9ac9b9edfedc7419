#pragma once

#include "decompositions/decomposition_set.h"
#include "decompositions/exchanged_operators.h"
#include "dispatch/kernel_context.h"
#include "fake/shape_environment.h"

#include <functional>

/// Operators for which PyTorch's Python dispatcher runs Python kernels (`py_impl`) while AOTAutograd traces,
/// so that C++ alone would dispatch differently. Follows torch 2.11, torch/_ops.py: OperatorBase.py_impl, and
/// the kernels that torch/_decomp/decompositions.py registers with it.
namespace aotscope::torch {

/// Python kernels for the Autograd keys. They replace the operator's autograd formula, so that the operators
/// they call are differentiated.
[[nodiscard]] const DecompositionSet& autogradKernels();

/// Python kernels for CompositeImplicitAutograd. They run wherever a C++ composite kernel would, above and
/// below autograd (torch/_ops.py: OpOverload.decompose).
[[nodiscard]] const DecompositionSet& compositeKernels();

class ObserveProgram;
class PreAutogradHandler;

/// Takes the operators of one trace ahead of autocast and autograd.
class BeforeAutograd final : public OperatorTaker {
public:
    explicit BeforeAutograd(ShapeEnvironment& environment)
        : m_environment(environment), m_exchanged(environment.rules()) {}

    void take(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack) override;
    [[nodiscard]] ExchangedOperators& exchanged() { return m_exchanged; }

private:
    friend class ObserveProgram;
    friend class PreAutogradHandler;

    void noteChanged(const c10::OperatorHandle& op, const c10::Stack& stack);
    void carryOut(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack);

    ShapeEnvironment& m_environment;
    ExchangedOperators m_exchanged;
    /// Null: there is no observer, or an operator of the program is running.
    ObserveProgram* m_observer = nullptr;
    /// Null: operators run as usual.
    PreAutogradHandler* m_instead = nullptr;
};

/// While it lives, observes every operator that the program calls: `before` gets its arguments, ahead of
/// autocast and autograd, and `after` its results. Operators called by that operator are not observed. One
/// per trace.
class ObserveProgram {
public:
    using Observer = std::function<void(const c10::OperatorHandle&, c10::ArrayRef<c10::IValue>)>;
    ObserveProgram(BeforeAutograd& trace, Observer before, Observer after);
    ObserveProgram(const ObserveProgram&) = delete;
    ObserveProgram& operator=(const ObserveProgram&) = delete;
    ~ObserveProgram();

    Observer before;
    Observer after;

private:
    BeforeAutograd& m_trace;
};

/// While it lives and a trace runs, carries out operators itself, ahead of autocast and autograd. Operators
/// that the handler calls come to it again. One per thread.
class PreAutogradHandler {
public:
    using Handler = std::function<void(const c10::OperatorHandle&, c10::Stack&)>;
    PreAutogradHandler(BeforeAutograd& trace, Handler handler);
    PreAutogradHandler(const PreAutogradHandler&) = delete;
    PreAutogradHandler& operator=(const PreAutogradHandler&) = delete;
    ~PreAutogradHandler();

    Handler handler;

private:
    BeforeAutograd& m_trace;
};

} // namespace aotscope::torch
