#include "decompositions/python_arithmetic.h"
#include "decompositions/tables.h"

#include <ATen/ops/exp.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/uniform.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

/// Random numbers of distributions that come from uniform ones.
namespace aotscope::torch {

namespace {

double epsilonOf(c10::ScalarType dtype) {
    switch (dtype) {
    case c10::kDouble:
        return std::numeric_limits<double>::epsilon();
    case c10::kHalf:
        return std::ldexp(1.0, -10);
    case c10::kBFloat16:
        return std::ldexp(1.0, -7);
    default:
        return std::numeric_limits<float>::epsilon();
    }
}

at::Tensor uniformLike(const at::Tensor& tensor) {
    return at::rand_like(tensor, at::TensorOptions().pinned_memory(false));
}

Decomposed exponential(const DecompositionCall& call) {
    const at::Tensor drawn = uniformLike(call.tensor("self"));
    // The logarithm of a number next to 1 may underflow.
    const double epsilon = epsilonOf(drawn.scalar_type()) / 2;
    const at::Tensor nextToOne = drawn.ge(1.0 - epsilon);
    const at::Tensor logarithm = at::where(nextToOne, -epsilon, at::log(drawn));
    return c10::Scalar(-1.0 / call.number("lambd")) * logarithm;
}

Decomposed geometric(const DecompositionCall& call) {
    const at::Tensor drawn = uniformLike(call.tensor("self"));
    return at::floor(at::log1p(drawn.neg()) / std::log1p(-call.number("p"))) + 1;
}

Decomposed rreluWithNoise(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const double lower = call.number("lower");
    const double upper = call.number("upper");
    if (!call.flag("training")) {
        return {at::leaky_relu(self, (lower + upper) / 2), at::Tensor()};
    }
    const at::Tensor notPositive = self.le(0);
    const at::Tensor slope = at::uniform(self, lower, upper);
    const at::Tensor output = at::where(notPositive, self * slope, self);
    return {output, at::where(notPositive, slope, 1)};
}

} // namespace

void addRandomTable(TableSets& tables) {
    tables.inductor.add({"aten::exponential"}, exponential);
    tables.inductor.add({"aten::geometric"}, geometric);
    tables.inductor.add({"aten::rrelu_with_noise_functional"}, rreluWithNoise);
}

} // namespace aotscope::torch
