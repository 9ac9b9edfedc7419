#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/known_contiguity.h"
#include "fake/shape_environment.h"

#include <array>
#include <cmath>

/// Upsampling as gathers and weighted sums. Follows torch 2.11, torch/_decomp/decompositions.py:
/// _upsample_nearest, _upsample_linear, upsample_bicubic2d_default, upsample_bilinear2d_aa_vec.
namespace aotscope::torch::decomposed {

namespace {

std::int64_t concrete(const c10::SymInt& size) {
    return size.guard_int(__FILE__, __LINE__);
}

/// `result` in the input's memory format; contiguous on CUDA with fewer than `fewChannels` channels.
at::Tensor formattedLike(const at::Tensor& result, const at::Tensor& input, std::int64_t fewChannels) {
    c10::MemoryFormat format = python::suggestMemoryFormat(input);
    if (input.is_cuda() && fewChannels > 0 && concrete(input.sym_size(1)) < fewChannels) {
        format = c10::MemoryFormat::Contiguous;
    }
    return contiguousMemory(result, format);
}

/// One factor per spatial dimension; nothing where it follows from the sizes.
using Scales = std::vector<std::optional<double>>;

Scales vecScales(const DecompositionCall& call, std::size_t count) {
    const std::vector<double> factors = call.numbers("scale_factors");
    return factors.empty() ? Scales(count) : Scales(factors.begin(), factors.end());
}

/// The scale arguments of an overload with one per dimension, whatever their names.
Scales sizedScales(const DecompositionCall& call) {
    Scales scales;
    for (const c10::Argument& argument : call.schema().arguments()) {
        if (argument.name().starts_with("scales")) {
            scales.push_back(call.optionalNumber(argument.name()));
        }
    }
    return scales;
}

bool isPositive(const std::optional<double>& scale) {
    return scale && *scale > 0;
}

/// `math.trunc`
c10::SymInt truncated(const c10::SymFloat& number) {
    if (!number.is_symbolic()) {
        return static_cast<std::int64_t>(number.as_float_unchecked());
    }
    auto* const node = dynamic_cast<SymbolicNode*>(number.toSymNodeImplUnowned());
    TORCH_CHECK(node != nullptr, "a symbolic number of another trace");
    return node->truncated();
}

std::vector<c10::SymInt> outputSize(const DecompositionCall& call, const at::Tensor& input) {
    std::vector<c10::SymInt> given = call.symInts("output_size");
    const std::vector<double> factors = call.numbers("scale_factors");
    TORCH_CHECK(call.has("output_size") != call.has("scale_factors"),
                "Must specify exactly one of output_size and scale_factors");
    if (call.has("output_size")) {
        return given;
    }
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const c10::SymInt& size = input.sym_sizes()[i + 2];
        if (std::trunc(factors[i]) == factors[i]) {
            given.push_back(size * static_cast<std::int64_t>(factors[i]));
        } else {
            given.push_back(truncated(python::realNumber(size) * factors[i]));
        }
    }
    return given;
}

/// What a call asks for: `input` is [batch, channels, spatial dimensions…], `size` lists the spatial sizes of
/// the result.
struct Upsampling {
    explicit Upsampling(const DecompositionCall& call)
        : isVec(call.schema().overload_name() == "vec"),
          input(call.tensor(isVec ? "input" : "self")),
          size(isVec ? outputSize(call, input) : call.symInts("output_size")),
          scales(isVec ? vecScales(call, size.size()) : sizedScales(call)) {}

    bool isVec;
    at::Tensor input;
    std::vector<c10::SymInt> size;
    Scales scales;
};

/// Computes in the opmath type and casts back (`pw_cast_for_opmath`).
template<typename Compute>
Decomposed upsampled(const DecompositionCall& call, Compute&& compute) {
    Upsampling asked(call);
    const c10::ScalarType type = asked.input.scalar_type();
    asked.input = asked.input.to(python::computationType(type));
    return compute(asked).to(type);
}

/// The distance in the source between neighboring elements of the result.
c10::Scalar sourceScale(const c10::SymInt& inSize, const c10::SymInt& outSize, bool alignCorners,
                        const std::optional<double>& scale) {
    if (alignCorners) {
        if (!outSize.sym_gt(1).guard_bool(__FILE__, __LINE__)) {
            return 0;
        }
        const c10::SymFloat steps = python::realNumber(inSize) - 1.0;
        return steps / (python::realNumber(outSize) - 1.0);
    }
    return isPositive(scale) ? c10::Scalar(1.0 / *scale) : c10::Scalar(python::quotient(inSize, outSize));
}

/// The same as the kernels for nearest neighbors compute it.
c10::Scalar nearestScale(const c10::SymInt& inSize, const c10::SymInt& outSize,
                         const std::optional<double>& scale) {
    if (!isPositive(scale)) {
        return python::quotient(inSize, outSize);
    }
    const c10::SymFloat scaled = python::realNumber(inSize) * *scale;
    return python::realNumber(inSize) / scaled;
}

at::Tensor sourceIndex(const c10::Scalar& scale, const at::Tensor& index, bool alignCorners) {
    if (alignCorners) {
        return scale * index;
    }
    return scale * (index + 0.5) - 0.5;
}

struct LinearAxis {
    at::Tensor position;
    at::Tensor lower;
    at::Tensor upper;
};

LinearAxis linearAxis(const at::Tensor& input, const c10::SymInt& inSize, const c10::SymInt& outSize,
                      bool alignCorners, const std::optional<double>& scale, c10::ScalarType dtype,
                      std::size_t dimsBehind) {
    const c10::Scalar factor = sourceScale(inSize, outSize, alignCorners, scale);
    const at::Tensor index = python::arange(outSize, input).to(dtype);
    at::Tensor position = sourceIndex(factor, index, alignCorners).clamp(0.0);
    std::vector<c10::SymInt> shape{position.sym_size(0)};
    shape.resize(1 + dimsBehind, 1);
    position = position.reshape_symint(shape);
    const at::Tensor lower = position.to(c10::kLong);
    const at::Tensor upper = (lower + 1).clamp(std::nullopt, c10::Scalar(inSize - 1));
    return {position, lower, upper};
}

at::Tensor linearResult(const Upsampling& asked, bool alignCorners) {
    const at::Tensor& input = asked.input;
    const std::size_t dims = static_cast<std::size_t>(input.dim()) - 2;
    const c10::ScalarType dtype = python::floatType(input.scalar_type());
    std::vector<LinearAxis> axes;
    for (std::size_t i = 0; i < dims; ++i) {
        axes.push_back(linearAxis(input, input.sym_size(static_cast<std::int64_t>(i) + 2), asked.size[i],
                                  alignCorners, asked.scales[i], dtype, dims - 1 - i));
    }
    std::vector<at::Tensor> corners;
    for (std::size_t corner = 0; corner < (std::size_t{1} << dims); ++corner) {
        std::vector<at::Tensor> spatial;
        for (std::size_t i = 0; i < dims; ++i) {
            const bool upper = ((corner >> (dims - 1 - i)) & 1U) != 0;
            spatial.push_back(upper ? axes[i].upper : axes[i].lower);
        }
        corners.push_back(at::_unsafe_index(input, python::indexAt(2, spatial)).to(dtype));
    }
    for (std::size_t i = dims; i-- > 0;) {
        const at::Tensor weight = at::clamp(axes[i].position - axes[i].lower, 0.0, 1.0).to(dtype);
        std::vector<at::Tensor> blended;
        for (std::size_t k = 0; k + 1 < corners.size(); k += 2) {
            blended.push_back(corners[k] + (corners[k + 1] - corners[k]) * weight);
        }
        corners = std::move(blended);
    }
    const at::Tensor result = formattedLike(corners.front(), input, 16);
    return input.is_floating_point() ? result : result.round();
}

/// Cubic convolution with a = -0.75.
constexpr double cubicA = -0.75;

/// The weight of a point at most one step away.
at::Tensor cubicInner(const at::Tensor& x) {
    return ((cubicA + 2) * x - (cubicA + 3)) * x * x + 1;
}

/// The weight of a point between one and two steps away.
at::Tensor cubicOuter(const at::Tensor& x) {
    const at::Tensor linear = cubicA * x - 5 * cubicA;
    return (linear * x + 8 * cubicA) * x - 4 * cubicA;
}

using FourTensors = std::array<at::Tensor, 4>;

FourTensors cubicWeights(const at::Tensor& t) {
    if (t.is_cpu()) {
        const at::Tensor inner = at::stack({t, 1.0 - t}, 0);
        const at::Tensor outer = at::stack({t + 1.0, 2.0 - t}, 0);
        const at::Tensor outerWeights = cubicOuter(outer);
        const at::Tensor innerWeights = cubicInner(inner);
        const std::vector<at::Tensor> outside = at::unbind(outerWeights, 0);
        const std::vector<at::Tensor> inside = at::unbind(innerWeights, 0);
        return {outside[0], inside[0], inside[1], outside[1]};
    }
    at::Tensor first = cubicOuter(t + 1.0);
    at::Tensor second = cubicInner(t);
    at::Tensor third = cubicInner(1.0 - t);
    return {std::move(first), std::move(second), std::move(third), cubicOuter(2.0 - t)};
}

at::Tensor weightedSum(const FourTensors& values, const FourTensors& weights) {
    at::Tensor sum = values[0] * weights[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
        sum = at::add(sum, values[i] * weights[i]);
    }
    return sum;
}

FourTensors neighbours(const at::Tensor& index) {
    at::Tensor before = index - 1;
    at::Tensor after = index + 1;
    return {std::move(before), index, std::move(after), index + 2};
}

at::Tensor bicubicResult(const Upsampling& asked, bool alignCorners, const aot::DecompositionRules& rules) {
    const at::Tensor& input = asked.input;
    TORCH_CHECK(input.scalar_type() != c10::kByte,
                "upsample_bicubic2d of uint8 has no decomposition here; convert the input to a floating "
                "point type first");
    const c10::SymInt inHeight = input.sym_size(2);
    const c10::SymInt inWidth = input.sym_size(3);
    const c10::Scalar heightScale = sourceScale(inHeight, asked.size[0], alignCorners, asked.scales[0]);
    const c10::Scalar widthScale = sourceScale(inWidth, asked.size[1], alignCorners, asked.scales[1]);
    const c10::ScalarType dtype = python::floatType(input.scalar_type());
    const at::Tensor i = python::arange(asked.size[0], input).to(dtype);
    const at::Tensor j = python::arange(asked.size[1], input).to(dtype);
    const at::Tensor xPosition = sourceIndex(widthScale, j, alignCorners);
    const at::Tensor yPosition = sourceIndex(heightScale, i, alignCorners).unsqueeze(-1);
    at::Tensor x = xPosition.floor();
    at::Tensor y = yPosition.floor();
    const at::Tensor yFraction = at::clamp(yPosition - y, 0.0, 1.0);
    const at::Tensor xFraction = at::clamp(xPosition - x, 0.0, 1.0);
    x = x.to(c10::kLong);
    y = y.to(c10::kLong);
    const FourTensors rows = neighbours(y);
    const FourTensors columns = neighbours(x);
    const FourTensors xWeights = cubicWeights(xFraction);
    const FourTensors yWeights = cubicWeights(yFraction);
    FourTensors rowValues;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        FourTensors values;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            const at::Tensor rowIndex = at::clamp(rows[row], 0, c10::Scalar(inHeight - 1));
            const at::Tensor columnIndex = at::clamp(columns[column], 0, c10::Scalar(inWidth - 1));
            values[column] = at::_unsafe_index(input, python::indexAt(2, {rowIndex, columnIndex}));
        }
        rowValues[row] = weightedSum(values, xWeights);
    }
    const at::Tensor result = weightedSum(rowValues, yWeights);
    if (rules.bicubicTakesFormatOfInput && input.is_cuda()) {
        return contiguousMemory(result, c10::MemoryFormat::Contiguous);
    }
    return formattedLike(result, input, 0);
}

at::Tensor nearestResult(const Upsampling& asked, bool exact, const aot::DecompositionRules& rules) {
    const std::size_t dims = asked.size.size();
    std::vector<at::Tensor> spatial;
    for (std::size_t d = 0; d < dims; ++d) {
        const c10::SymInt in =
            asked.input.sym_size(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(dims));
        const c10::Scalar scale = nearestScale(in, asked.size[d], asked.scales[d]);
        const at::Tensor index = python::arange(asked.size[d], asked.input, c10::kFloat);
        const at::Tensor source = ((index + (exact ? 0.5 : 0.0)) * scale).to(c10::kLong);
        spatial.push_back(python::unsqueezeToDim(source, static_cast<std::int64_t>(dims - d)));
    }
    const at::Tensor result = at::_unsafe_index(asked.input, python::indexAt(2, spatial));
    if (result.dim() == 5 && rules.nearestKeepsFormatOfVolumes) {
        return formattedLike(result, asked.input, 0);
    }
    return result.dim() == 4 ? formattedLike(result, asked.input, 4) : result;
}

} // namespace

at::Tensor cubicInterpolation(const std::array<at::Tensor, 4>& values, const at::Tensor& fraction) {
    const FourTensors weights = cubicWeights(fraction);
    return weightedSum(values, weights);
}

Decomposed upsampleNearest(const DecompositionCall& call) {
    return upsampled(call, [&](const Upsampling& asked) {
        return nearestResult(asked, false, call.rules().decompositions);
    });
}

Decomposed upsampleNearestExact(const DecompositionCall& call) {
    return upsampled(call, [&](const Upsampling& asked) {
        return nearestResult(asked, true, call.rules().decompositions);
    });
}

Decomposed upsampleLinear(const DecompositionCall& call) {
    return upsampled(
        call, [&](const Upsampling& asked) { return linearResult(asked, call.flag("align_corners")); });
}

Decomposed upsampleBicubic(const DecompositionCall& call) {
    return upsampled(call, [&](const Upsampling& asked) {
        return bicubicResult(asked, call.flag("align_corners"), call.rules().decompositions);
    });
}

Decomposed upsampleBilinearAntialiasVec(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const Scales scales = vecScales(call, 2);
    return at::_upsample_bilinear2d_aa_symint(input, outputSize(call, input), call.flag("align_corners"),
                                              scales[0], scales[1]);
}

Decomposed upsampleBicubicAntialiasVec(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const Scales scales = vecScales(call, 2);
    return at::_upsample_bicubic2d_aa_symint(input, outputSize(call, input), call.flag("align_corners"),
                                             scales[0], scales[1]);
}

} // namespace aotscope::torch::decomposed
