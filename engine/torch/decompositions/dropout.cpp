#include "decompositions/before_autograd.h"

#include "dispatch/release_rules.h"

#include <ATen/ops/native_dropout.h>

namespace aotscope::torch {

namespace {

Decomposed dropout(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const double p = call.number("p");
    if (call.flag("train") && p != 0) {
        return std::get<0>(at::native_dropout(input, p, true));
    }
    return traceRules().dropoutMayReturnItsInput ? input : input.clone();
}

} // namespace

void addDropoutKernels(DecompositionSet& autograd, DecompositionSet& composite) {
    autograd.add({"aten::dropout"}, dropout);
    composite.add({"aten::dropout"}, dropout);
}

} // namespace aotscope::torch
