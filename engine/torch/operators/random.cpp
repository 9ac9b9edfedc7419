#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"
#include "dispatch/release_rules.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/reference_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

/// Random numbers and dropout.
namespace aotscope::torch {

namespace {

ShapeResults normalOfTensors(const ShapeCall& call) {
    const std::vector<at::Tensor> operands = call.allTensors();
    return {traceRules().decompositions.normalHasDtypeOfFirst
                ? elementwise(operands, operands.front().scalar_type())
                : elementwise(operands)};
}

ShapeResults multinomial(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 1 || self.dim() == 2,
                "The probability distributions dimensions must be 1 or 2, but got ", self.dim());
    Sizes sizes = sizesOf(self);
    sizes.back() = call.integer("num_samples");
    return {newEmpty(self, sizes, c10::kLong)};
}

ShapeResults binomial(const ShapeCall& call) {
    const std::array operands = {call.tensor("count"), call.tensor("prob")};
    return {elementwise(operands, operands[0].scalar_type())};
}

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
    return at::rand_like(tensor, python::options());
}

/// An argument of the call; PyTorch drops a default, and the Python function's own default is an integer.
c10::Scalar givenOrWhole(const DecompositionCall& call, const char* name, std::int64_t whole) {
    return call.isDefault(name) ? c10::Scalar(whole) : call.scalar(name);
}

/// Draws with the dimensions in memory order, then permutes.
template<typename Draw>
Decomposed drawnLike(const DecompositionCall& call, Draw&& draw) {
    const at::Tensor self = call.tensor("self");
    at::TensorOptions options = call.options();
    options = options.dtype(call.dtype().value_or(self.scalar_type()));
    options = options.device(call.device().value_or(self.device()));
    const auto format = call.memoryFormat().value_or(c10::MemoryFormat::Preserve);
    if (format != c10::MemoryFormat::Preserve) {
        return draw(self.sym_sizes(), options).to(at::TensorOptions(), false, false, format);
    }
    return python::inMemoryOrder(
        self.sym_sizes(), reference::memoryOrder({reference::Layout(self)}),
        [&](c10::SymIntArrayRef sizes) { return draw(sizes, options); }, /*copies=*/true);
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
        return {at::leaky_relu(self, (lower + upper) / 2), at::empty({0})};
    }
    const at::Tensor notPositive = self.le(0);
    const at::Tensor slope = at::uniform(self, lower, upper);
    const at::Tensor output = at::where(notPositive, self * slope, self);
    return {output, at::where(notPositive, slope, 1)};
}

/// `median + sigma * tan(pi * (uniform - 0.5))`
Decomposed cauchy(const DecompositionCall& call) {
    const at::Tensor angle = std::numbers::pi * (uniformLike(call.tensor("self")) - 0.5);
    return givenOrWhole(call, "median", 0) + givenOrWhole(call, "sigma", 1) * at::tan(angle);
}

/// Standard normal numbers of these sizes.
at::Tensor drawnNormal(const DecompositionCall& call, const std::vector<c10::SymInt>& sizes,
                       c10::ScalarType dtype, c10::Device device) {
    if (!call.rules().decompositions.inductorDecomposesDraws) {
        return prims::normal(sizes, dtype, device);
    }
    const auto options = python::options(dtype, device);
    // The primitive's mean and deviation.
    return at::randn_symint(sizes, options) * 1.0 + 0.0;
}

/// Draws for the whole memory of the result, which is a view of them.
Decomposed uniform(const DecompositionCall& call) {
    if (!call.rules().decompositions.inductorDecomposesDraws) {
        return Decomposed::notApplicable();
    }
    const at::Tensor self = call.tensor("self");
    c10::SymInt length = 1;
    for (std::int64_t dim = 0; dim < self.dim(); ++dim) {
        length += (self.sym_size(dim) - 1) * self.sym_stride(dim);
    }
    if (self.sym_numel() == 0) {
        length = 0;
    }
    const auto options = python::optionsOf(self);
    const double low = call.number("from");
    const at::Tensor drawn = at::rand_symint({length}, options) * (call.number("to") - low) + low;
    return drawn.as_strided_symint(self.sym_sizes(), self.sym_strides());
}

Decomposed normalFunctional(const DecompositionCall& call) {
    if (!call.rules().decompositions.inductorDecomposesDraws) {
        return Decomposed::notApplicable();
    }
    const at::Tensor self = call.tensor("self");
    const at::Tensor drawn = drawnNormal(call, python::sizes(self), self.scalar_type(), self.device());
    const at::Tensor result = drawn * givenOrWhole(call, "std", 1) + givenOrWhole(call, "mean", 0);
    const std::vector<c10::SymInt> strides = self.sym_strides().vec();
    return reference::sameShape(strides, result.sym_strides().vec())
               ? result
               : result.as_strided_symint(
                     self.sym_sizes(),
                     reference::elementwise({reference::Layout(self)}, self.itemsize()).strides());
}

/// Standard normal numbers, scaled and shifted by numbers or by tensors.
Decomposed normal(const DecompositionCall& call) {
    const bool tensorMean = call.value("mean").isTensor();
    const bool tensorStd = call.value("std").isTensor();
    at::Tensor mean = tensorMean ? call.tensor("mean") : at::Tensor();
    at::Tensor std = tensorStd ? call.tensor("std") : at::Tensor();
    std::vector<c10::SymInt> sizes;
    c10::ScalarType dtype = call.dtype().value_or(c10::get_default_dtype_as_scalartype());
    c10::Device device = call.device().value_or(c10::kCPU);
    if (tensorMean || tensorStd) {
        dtype = call.rules().decompositions.normalHasDtypeOfFirst ? (tensorMean ? mean : std).scalar_type()
                                                                  : python::promotedType({mean, std});
        for (at::Tensor* const tensor : {&mean, &std}) {
            if (tensor->defined()) {
                *tensor = python::convert(*tensor, dtype);
            }
        }
        const at::Tensor& first = tensorMean ? mean : std;
        device = first.device();
        sizes = tensorMean && tensorStd
                    ? reference::broadcastShapes({python::sizes(mean), python::sizes(std)})
                    : python::sizes(first);
    } else {
        sizes = call.symInts("size");
    }
    const at::Tensor drawn = drawnNormal(call, sizes, dtype, device);
    const at::Tensor stretched = tensorStd ? std * drawn : givenOrWhole(call, "std", 1) * drawn;
    return tensorMean ? stretched + mean : stretched + givenOrWhole(call, "mean", 0);
}

/// The CPU has a separate kernel for masks.
Decomposed bernoulliOfNumber(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    if (self.is_cpu()) {
        return Decomposed::notApplicable();
    }
    return at::rand_like(self, python::options(c10::kFloat)).lt(call.number("p"));
}

Decomposed randintLike(const DecompositionCall& call) {
    const c10::SymInt low = call.has("low") ? call.symInt("low") : c10::SymInt(0);
    return drawnLike(call, [&](c10::SymIntArrayRef sizes, const at::TensorOptions& options) {
        return at::randint_symint(low, call.symInt("high"), sizes, options);
    });
}

Decomposed randint(const DecompositionCall& call) {
    return at::randint_symint(0, call.symInt("high"), call.symInts("size"), call.options());
}

Decomposed nativeDropout(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const double p = call.number("p");
    const auto plain = python::options();
    const bool train = call.has("train") && call.flag("train");
    if (!train || p == 0) {
        return {input, at::ones_like(input, plain.dtype(c10::kBool))};
    }
    if (p == 1) {
        at::Tensor zeros = at::zeros_like(input, plain);
        return {std::move(zeros), at::zeros_like(input, plain.dtype(c10::kBool))};
    }
    TORCH_CHECK(input.is_floating_point(), "result type Float can't be cast to the desired output type Long");
    const at::Tensor mask = at::rand_like(input, plain).gt(p);
    return {mask * input * (1.0 / (1.0 - p)), mask};
}

Decomposed dropout(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const double p = call.number("p");
    const bool drops = call.flag("train") && p != 0;
    if (drops && input.is_complex() && call.rules().decompositions.complexDropoutIsWritten) {
        if (p == 1) {
            return at::zeros_like(input, python::options());
        }
        const at::Tensor mask = at::rand_like(at::real(input), python::options()).gt(p);
        return mask * input * (1.0 / (1.0 - p));
    }
    if (drops) {
        return std::get<0>(at::native_dropout(input, p, true));
    }
    return call.rules().dropoutMayReturnItsInput ? input : input.clone();
}

} // namespace

void addRandomRows(OperatorRows& rows) {
    rows.add({"dropout"}, ForBoth{dropout});
    rows.add({"bernoulli"}, shapes::contiguousLike<0>, decomposed::bernoulli);
    rows.add({"native_dropout_backward"}, shapes::dropoutBackward, decomposed::dropoutBackward);
    rows.add({"cauchy"}, ForFastRandom{cauchy});
    rows.add({"log_normal"}, ForFastRandom{[](const DecompositionCall& call) -> Decomposed {
                 const at::Tensor drawn = at::randn_like(call.tensor("self"), python::options());
                 return at::exp(givenOrWhole(call, "std", 2) * drawn + givenOrWhole(call, "mean", 1));
             }});
    rows.add({"uniform"}, ForFastRandom{uniform});
    rows.add({"normal_functional"}, ForFastRandom{normalFunctional});
    rows.add({"normal.Tensor_float", "normal.float_Tensor", "normal.float_float"}, ForFastRandom{normal});
    rows.add({"normal.Tensor_Tensor"}, normalOfTensors, ForFastRandom{normal});
    rows.add({"bernoulli.p"}, shapes::contiguousLike<0>, ForFastRandom{bernoulliOfNumber});
    rows.add({"rand_like"}, LikeForFastRandom{[](const DecompositionCall& call) -> Decomposed {
                 return drawnLike(call, [](c10::SymIntArrayRef sizes, const at::TensorOptions& options) {
                     return at::rand_symint(sizes, options);
                 });
             }});
    rows.add({"randn_like"}, LikeForFastRandom{[](const DecompositionCall& call) -> Decomposed {
                 return drawnLike(call, [](c10::SymIntArrayRef sizes, const at::TensorOptions& options) {
                     return at::randn_symint(sizes, options);
                 });
             }});
    rows.add({"randint_like", "randint_like.low_dtype"}, LikeForFastRandom{randintLike});
    rows.add({"randint"}, InInductor{randint});
    rows.add({"native_dropout"}, shapes::nativeDropout, ForFastRandom{nativeDropout});
    rows.add({"exponential"}, ForFastRandom{exponential});
    rows.add({"geometric"}, ForFastRandom{geometric});
    rows.add({"rrelu_with_noise_functional"}, shapes::like<0, 1>, LikeForFastRandom{rreluWithNoise});
    rows.add({"_fused_dropout"}, shapes::like<0, 0>);
    rows.add({"_masked_scale"}, shapes::inFormatOfSelf);
    rows.add({"poisson"}, shapes::like<0>);
    rows.add({"multinomial"}, multinomial);
    rows.add({"randperm", "randperm.generator"}, [](const ShapeCall& call) -> ShapeResults {
        return {newEmpty({call.integer("n")}, call.dtype().value_or(c10::kLong))};
    });
    rows.add({"_standard_gamma", "_sample_dirichlet", "_dirichlet_grad"}, shapes::like<0>);
    rows.add({"binomial"}, binomial);
}

} // namespace aotscope::torch
