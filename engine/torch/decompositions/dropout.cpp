#include "decompositions/all_decompositions.h"

#include "decompositions/python_arithmetic.h"

#include <ATen/ops/native_dropout.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/real.h>
#include <ATen/ops/zeros_like.h>

namespace aotscope::torch::decomposed {

Decomposed dropout(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const double p = call.number("p");
    const bool drops = call.flag("train") && p != 0;
    if (drops && input.is_complex() && call.rules().decompositions.complexDropoutIsWritten) {
        if (p == 1) {
            return at::zeros_like(input, at::TensorOptions().pinned_memory(false));
        }
        const at::Tensor mask =
            at::rand_like(at::real(input), at::TensorOptions().pinned_memory(false)).gt(p);
        return mask * input * (1.0 / (1.0 - p));
    }
    if (drops) {
        return std::get<0>(at::native_dropout(input, p, true));
    }
    return call.rules().dropoutMayReturnItsInput ? input : input.clone();
}

} // namespace aotscope::torch::decomposed
