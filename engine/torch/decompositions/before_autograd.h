#pragma once

#include "decompositions/decomposition_set.h"

#include <functional>

/// Operators that PyTorch's Python dispatcher handles with Python kernels while AOTAutograd traces
/// (`py_impl`), where C++ alone would take another way.
namespace aotscope::torch {

/// Python's kernels for the Autograd keys: they run in place of the operator's autograd formula, so that what
/// they call is differentiated.
[[nodiscard]] const DecompositionSet& autogradKernels();

/// Python's kernels for CompositeImplicitAutograd: they run wherever a C++ composite kernel would, above
/// autograd as below it (`OpOverload.decompose`).
[[nodiscard]] const DecompositionSet& compositeKernels();

/// While it lives, and a trace runs: told of every operator that the program calls, before autocast and
/// autograd see it, and of what it returns; not of operators that those are made of. One per thread.
class ObserveProgram {
public:
    using Observer = std::function<void(const c10::OperatorHandle&, c10::ArrayRef<c10::IValue>)>;
    ObserveProgram(Observer before, Observer after);
    ObserveProgram(const ObserveProgram&) = delete;
    ObserveProgram& operator=(const ObserveProgram&) = delete;
    ~ObserveProgram();

    Observer before;
    Observer after;
};

/// While it lives, and a trace runs: carries out operators itself, before autocast and autograd see them.
/// What it calls in turn comes to it again. One per thread.
class InsteadOfAutograd {
public:
    using Handler = std::function<void(const c10::OperatorHandle&, c10::Stack&)>;
    explicit InsteadOfAutograd(Handler handler);
    InsteadOfAutograd(const InsteadOfAutograd&) = delete;
    InsteadOfAutograd& operator=(const InsteadOfAutograd&) = delete;
    ~InsteadOfAutograd();

    Handler handler;
};

/// Kernels that the decomposition tables share.
Decomposed cudnnBatchNorm(const DecompositionCall& call);
Decomposed miopenBatchNorm(const DecompositionCall& call);

/// One function per family of operators.
void addMatmulKernels(DecompositionSet& composite);
void addDropoutKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addBatchNormKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addUpsampleKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addRecurrentKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addLossKernels(DecompositionSet& autograd);
void addShrinkKernels(DecompositionSet& autograd);
void addSequenceKernels(DecompositionSet& composite);
void addSpectralKernels(DecompositionSet& composite);

} // namespace aotscope::torch
