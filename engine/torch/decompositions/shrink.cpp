#include "decompositions/all_decompositions.h"

#include "decompositions/python_arithmetic.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/where.h>

namespace aotscope::torch::decomposed {

Decomposed hardshrink(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return at::where(at::abs(self).le(call.scalar("lambd")), 0, self);
}

Decomposed softshrink(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::Scalar lambda = call.scalar("lambd");
    TORCH_CHECK(lambda.toDouble() >= 0, "softshrink's lambda must not be negative, but is ", lambda);
    const at::Tensor outside = at::abs(self).gt(lambda);
    const at::Tensor shrunk = self - at::sign(self) * lambda;
    // Times 0 rather than 0: NaN stays NaN.
    return at::where(outside, shrunk, self * 0);
}

} // namespace aotscope::torch::decomposed
