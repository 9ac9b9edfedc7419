#include "operators/operator_rows.h"

#include "dispatch/failure.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "run/replacements/replacements.h"
#include "run/state/value_access.h"

#include <ATen/ops/aminmax.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <limits>
#include <string>
#include <vector>

/// Fake quantization, and quantization by operators of Python.
namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

/// A number, or a tensor of one element.
c10::Scalar numberArgument(const IValue& value) {
    return value.isTensor() ? value.toTensor().item() : value.toScalar();
}

c10::ScalarType dtypeOr(const IValue& value, c10::ScalarType standard) {
    return value.isNone() ? standard : dtypeArgument(value);
}

/// Half precision is rounded in float32.
at::Tensor toRound(const IValue& value) {
    const at::Tensor tensor = tensorArgument(value);
    return c10::isReducedFloatingType(tensor.scalar_type()) ? tensor.to(c10::kFloat) : tensor;
}

/// A vector with one number per index of dimension `axis`, shaped to broadcast over a tensor.
at::Tensor alongAxis(const IValue& value, const at::Tensor& tensor, const IValue& axis) {
    const std::int64_t dim = intArgument(axis);
    if (dim < 0 || dim >= tensor.dim()) {
        fail("run.arguments", "A tensor of " + std::to_string(tensor.dim()) +
                                  " dimensions has no channels in dimension " + std::to_string(dim) + ".");
    }
    std::vector<std::int64_t> shape(static_cast<std::size_t>(tensor.dim()), 1);
    shape[static_cast<std::size_t>(dim)] = -1;
    return tensorArgument(value).view(shape);
}

IValue quantizeTensor(const Args& args, RunContext&) {
    const double inverse = 1.0 / numberArgument(args[1]).toDouble();
    return toRound(args[0])
        .mul(inverse)
        .round()
        .add(numberArgument(args[2]))
        .clamp(numberArgument(args[3]), numberArgument(args[4]))
        .to(dtypeArgument(args[5]));
}

IValue dequantizeTensor(const Args& args, RunContext&) {
    return tensorArgument(args[0])
        .to(dtypeOr(args[6], c10::kFloat))
        .sub(numberArgument(args[2]))
        .mul(numberArgument(args[1]));
}

IValue quantizeChannels(const Args& args, RunContext&) {
    const at::Tensor input = toRound(args[0]);
    return input.mul(alongAxis(args[1], input, args[3]).reciprocal())
        .round()
        .add(alongAxis(args[2], input, args[3]))
        .clamp(numberArgument(args[4]), numberArgument(args[5]))
        .to(dtypeArgument(args[6]));
}

IValue dequantizeChannels(const Args& args, RunContext&) {
    at::Tensor input = tensorArgument(args[0]);
    const at::Tensor scales = alongAxis(args[1], input, args[3]);
    if (!args[2].isNone()) {
        input = input.sub(alongAxis(args[2], input, args[3]));
    }
    return input.mul(scales).to(dtypeOr(args[7], c10::kFloat));
}

/// Adds the zero point before rounding, unlike the two functions above.
at::Tensor quantized(const at::Tensor& input, const at::Tensor& scales, const at::Tensor& zeroPoints,
                     const IValue& least, const IValue& most, const IValue& dtype) {
    return input.mul(scales.reciprocal())
        .add(zeroPoints)
        .round()
        .clamp(numberArgument(least), numberArgument(most))
        .to(dtypeArgument(dtype));
}

IValue quantizeTokens(const Args& args, RunContext&) {
    return quantized(tensorArgument(args[0]), tensorArgument(args[1]), tensorArgument(args[2]), args[3],
                     args[4], args[5]);
}

IValue dequantizeTokens(const Args& args, RunContext&) {
    return tensorArgument(args[0])
        .sub(tensorArgument(args[2]))
        .mul(tensorArgument(args[1]))
        .to(dtypeOr(args[6], c10::kFloat));
}

/// The matrix reshaped to one row per group; a single column of scales means one group per row.
at::Tensor inGroups(const at::Tensor& matrix, const at::Tensor& scales, const IValue& groupSize) {
    std::int64_t size = groupSize.isNone() ? 128 : intArgument(groupSize);
    const std::int64_t columns = matrix.dim() == 2 ? matrix.size(1) : 0;
    if (size > columns && scales.dim() > 0 && scales.size(-1) == 1) {
        size = columns;
    }
    if (size <= 1 || columns == 0 || columns % size != 0) {
        fail("run.arguments", "The tensor is not a matrix whose rows divide into groups of " +
                                  std::to_string(size) + " elements.");
    }
    return matrix.reshape({-1, size});
}

IValue quantizeGroups(const Args& args, RunContext&) {
    const at::Tensor input = tensorArgument(args[0]);
    const at::Tensor scales = tensorArgument(args[1]);
    return quantized(inGroups(input, scales, args[6]), scales.reshape({-1, 1}),
                     tensorArgument(args[2]).reshape({-1, 1}), args[3], args[4], args[5])
        .reshape_as(input);
}

IValue dequantizeGroups(const Args& args, RunContext&) {
    const at::Tensor input = tensorArgument(args[0]);
    const at::Tensor scales = tensorArgument(args[1]);
    at::Tensor groups = inGroups(input, scales, args[6]);
    if (!args[2].isNone()) {
        groups = groups.sub(tensorArgument(args[2]).reshape({-1, 1}));
    }
    return groups.mul(scales.reshape({-1, 1})).reshape_as(input).to(dtypeOr(args[7], c10::kFloat));
}

struct Range {
    at::Tensor least;
    at::Tensor most;
};

/// The range of the numbers, extended to contain 0.
Range rangeWithZero(const at::Tensor& least, const at::Tensor& most) {
    return {least.clamp_max(0), most.clamp_min(0)};
}

/// The range of a tensor, and the least scale.
std::pair<Range, at::Tensor> chosenFrom(const Args& args) {
    const auto [least, most] = at::aminmax(tensorArgument(args[0]));
    return {rangeWithZero(least, most),
            at::full({1}, args[3].toDouble(), least.options().dtype(c10::kFloat))};
}

IValue scaleAndZeroPoint(const at::Tensor& scale, const at::Tensor& zeroPoint) {
    return c10::ivalue::Tuple::create({scale.to(c10::kDouble), zeroPoint.to(c10::kLong)});
}

IValue chooseAffine(const Args& args, RunContext&) {
    const auto [range, eps] = chosenFrom(args);
    const std::int64_t low = intArgument(args[1]);
    const std::int64_t high = intArgument(args[2]);
    const at::Tensor scale = at::maximum(range.most.sub(range.least).div(double(high - low)), eps);
    const at::Tensor zeroPoint = range.least.div(scale).round().to(c10::kInt).neg().add(low).clamp(low, high);
    return scaleAndZeroPoint(scale, zeroPoint);
}

IValue chooseSymmetric(const Args& args, RunContext&) {
    const auto [range, eps] = chosenFrom(args);
    const double steps = double(intArgument(args[2]) - intArgument(args[1])) / 2;
    const at::Tensor scale = at::maximum(at::maximum(range.least.neg(), range.most).div(steps), eps);
    const std::int64_t middle = dtypeArgument(args[4]) == c10::kByte ? 128 : 0;
    return scaleAndZeroPoint(scale, at::full({1}, middle, eps.options().dtype(c10::kLong)));
}

IValue chooseForTokens(const Args& args, RunContext&) {
    constexpr double most = 127;
    if (dtypeArgument(args[1]) != c10::kChar) {
        fail("run.arguments", "Scales per token can be chosen only for int8.");
    }
    at::Tensor scales = tensorArgument(args[0]).abs().amax({-1}, true);
    if (scales.scalar_type() == c10::kHalf) {
        scales = scales.to(c10::kFloat);
    }
    scales = scales.clamp_min(1e-5).div(most);
    return c10::ivalue::Tuple::create({scales, at::zeros_like(scales)});
}

IValue chooseAffineForTokens(const Args& args, RunContext&) {
    constexpr double low = -128;
    constexpr double high = 127;
    const at::Tensor input = tensorArgument(args[0]);
    const Range range = rangeWithZero(input.amin({-1}, true), input.amax({-1}, true));
    const at::Tensor scale =
        range.most.sub(range.least).div(high - low).clamp_min(double(std::numeric_limits<float>::epsilon()));
    const at::Tensor least = range.least.div(scale);
    const at::Tensor most = range.most.div(scale);
    const at::Tensor fromLeast = least.neg().add(low);
    const at::Tensor fromMost = most.neg().add(high);
    const at::Tensor isLeast = least.add(low).add(most.add(high)).gt(0);
    return scaleAndZeroPoint(scale, at::where(isLeast, fromLeast, fromMost).clamp(low, high).round());
}

IValue convert(const Args& args, RunContext&) {
    return tensorArgument(args[0]).to(dtypeArgument(args[1]));
}

constexpr char quantizeParameters[] = "input scale zero_point quant_min quant_max dtype";
constexpr char dequantizeParameters[] = "input scale zero_point quant_min quant_max dtype out_dtype";
constexpr char chooseParameters[] = "input quant_min quant_max eps dtype";

constexpr Replacement quantizedTable[] = {
    {"quantized_decomposed.quantize_per_tensor.default", quantizeParameters, quantizeTensor},
    {"quantized_decomposed.quantize_per_tensor.tensor", quantizeParameters, quantizeTensor},
    {"quantized_decomposed.quantize_per_tensor.tensor2", quantizeParameters, quantizeTensor},
    {"quantized_decomposed.dequantize_per_tensor.default", dequantizeParameters, dequantizeTensor},
    {"quantized_decomposed.dequantize_per_tensor.tensor", dequantizeParameters, dequantizeTensor},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", dequantizeParameters, dequantizeTensor},
    {"quantized_decomposed.quantize_per_channel.default",
     "input scales zero_points axis quant_min quant_max dtype", quantizeChannels},
    {"quantized_decomposed.dequantize_per_channel.default",
     "input scales zero_points axis quant_min quant_max dtype out_dtype", dequantizeChannels},
    {"quantized_decomposed.quantize_per_token.default", "input scales zero_points quant_min quant_max dtype",
     quantizeTokens},
    {"quantized_decomposed.dequantize_per_token.default",
     "input scales zero_points quant_min quant_max dtype output_dtype", dequantizeTokens},
    {"quantized_decomposed.quantize_per_channel_group.default",
     "input scales zero_points quant_min quant_max dtype group_size", quantizeGroups},
    {"quantized_decomposed.dequantize_per_channel_group.default",
     "input scales zero_points quant_min quant_max dtype group_size output_dtype", dequantizeGroups},
    {"quantized_decomposed.choose_qparams.tensor", chooseParameters, chooseAffine},
    {"quantized_decomposed.choose_qparams_symmetric.tensor", chooseParameters, chooseSymmetric},
    {"quantized_decomposed.choose_qparams_per_token.default", "input dtype", chooseForTokens},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric.default", "input dtype",
     chooseAffineForTokens},
    {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default", "input dtype",
     chooseAffineForTokens},
    {"quantized_decomposed.convert_element_type.no_fuse", "input dtype", convert},
};

} // namespace

void addQuantizationRows(OperatorRows& rows) {
    // The fake-quantized tensor, and a mask of the values that were not clipped.
    rows.add({"fake_quantize_per_tensor_affine_cachemask",
              "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
              "fake_quantize_per_channel_affine_cachemask", "_fused_moving_avg_obs_fq_helper"},
             [](const ShapeCall& call) -> ShapeResults {
                 const at::Tensor self = call.tensor("self");
                 return {emptyLike(self), emptyLike(self, c10::kBool)};
             });
    rows.add({"_fake_quantize_learnable_per_tensor_affine", "_fake_quantize_learnable_per_channel_affine"},
             shapes::like<0>);
    rows.add({"_fake_quantize_learnable_per_tensor_affine_backward",
              "_fake_quantize_learnable_per_channel_affine_backward"},
             [](const ShapeCall& call) -> ShapeResults {
                 return {emptyLike(call.tensor("self")), emptyContiguous(call.tensor("scale")),
                         emptyContiguous(call.tensor("zero_point"), call.tensor("scale").scalar_type())};
             });
}

std::span<const Replacement> quantizedReplacements() {
    return quantizedTable;
}

} // namespace aotscope::torch
