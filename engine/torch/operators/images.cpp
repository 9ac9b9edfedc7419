#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"
#include "dispatch/release_rules.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

#include <ATen/Context.h>
#include <ATen/native/Pool.h>

#include <algorithm>

/// Convolutions, pooling, padding, resampling, columns and shuffled channels of images.
namespace aotscope::torch {

namespace {

ShapeResults gridSampler(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor grid = call.tensor("grid");
    TORCH_CHECK(input.size(0) == grid.size(0) && grid.size(-1) == input.dim() - 2,
                "grid_sampler(): input of sizes ", input.sizes(), " and grid of sizes ", grid.sizes(),
                " do not fit together");
    Sizes sizes = {input.size(0), input.size(1)};
    const auto spatial = grid.sizes().slice(1, static_cast<std::size_t>(grid.dim()) - 2);
    sizes.insert(sizes.end(), spatial.begin(), spatial.end());
    return {newEmpty(input, sizes)};
}

ShapeResults gridSamplerBackward(const ShapeCall& call) {
    const bool wantsInput = call.flags("output_mask")[0];
    return {wantsInput ? emptyContiguous(call.tensor("input")) : at::Tensor(),
            emptyContiguous(call.tensor("grid"))};
}

/// The result has the memory format of the input.
ShapeResults upsample(const ShapeCall& call) {
    const at::Tensor input = call.firstTensor();
    Sizes sizes = {input.size(0), input.size(1)};
    const Sizes spatial = call.integers("output_size");
    sizes.insert(sizes.end(), spatial.begin(), spatial.end());
    TORCH_CHECK(static_cast<std::int64_t>(sizes.size()) == input.dim(),
                "It is expected input_size equals to ", sizes.size(), ", but got size ", input.dim());
    return {newEmpty(input, sizes, input.suggest_memory_format())};
}

/// The sizes of `input` with the last ones replaced.
Sizes withSpatial(const at::Tensor& input, const Sizes& spatial) {
    Sizes sizes = sizesOf(input);
    TORCH_CHECK(sizes.size() > spatial.size(), "Expected at least ", spatial.size() + 1, "D tensor, but got ",
                input.sizes());
    std::copy(spatial.begin(), spatial.end(), sizes.end() - static_cast<std::ptrdiff_t>(spatial.size()));
    return sizes;
}

struct Window {
    Sizes kernel;
    Sizes stride;
    Sizes padding;
    Sizes dilation;
    bool ceil = false;
};

Window windowOf(const ShapeCall& call, std::size_t dims) {
    Window window;
    window.kernel = repeated(call.integers("kernel_size"), dims);
    window.stride = repeated(call.integers("stride"), dims, window.kernel);
    window.padding = repeated(call.integers("padding"), dims);
    window.dilation = repeated(call.integers("dilation"), dims);
    window.ceil = call.flag("ceil_mode");
    return window;
}

Sizes pooledSizes(const at::Tensor& input, const Window& window) {
    const std::size_t dims = window.kernel.size();
    Sizes spatial;
    for (std::size_t i = 0; i < dims; ++i) {
        const std::int64_t length =
            input.size(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(dims));
        spatial.push_back(at::native::pooling_output_shape<std::int64_t>(
            length, window.kernel[i], window.padding[i], window.stride[i], window.dilation[i], window.ceil));
        TORCH_CHECK(spatial.back() >= 1, "Given input size: ", input.sizes(), ". Output size is too small");
    }
    return withSpatial(input, spatial);
}

/// `padding` lists two numbers per dimension, from the last dimension to the first.
Sizes paddedSizes(const at::Tensor& self, const Sizes& padding) {
    Sizes sizes = sizesOf(self);
    for (std::size_t i = 0; i < padding.size() / 2; ++i) {
        std::int64_t& size = sizes[sizes.size() - 1 - i];
        size += padding[2 * i] + padding[2 * i + 1];
        TORCH_CHECK(size >= 1, "input of size ", self.sizes(), " is too small to be padded by ",
                    at::IntArrayRef(padding));
    }
    return sizes;
}

ShapeResults maxPool3dShape(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes sizes = pooledSizes(self, windowOf(call, 3));
    const c10::MemoryFormat format = self.suggest_memory_format();
    return {newEmpty(self, sizes, format), newEmpty(self, sizes, format, c10::kLong)};
}

ShapeResults adaptivePool2d(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, withSpatial(self, call.integers("output_size")), self.suggest_memory_format())};
}

ShapeResults withOutputSize(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, withSpatial(self, call.integers("output_size")))};
}

ShapeResults unpooled(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes size = call.integers("output_size");
    const bool keepsFormat = traceRules().decompositions.maxUnpoolKeepsMemoryFormat && size.size() == 2 &&
                             self.dim() == 4 && !self.is_cuda();
    return {newEmpty(self, withSpatial(self, size),
                     keepsFormat ? self.suggest_memory_format() : c10::MemoryFormat::Contiguous)};
}

/// Images alone keep channels last.
ShapeResults paddedImage(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const bool keepsFormat = traceRules().decompositions.paddingTakesFormatOfInput && !self.is_cuda();
    return {newEmpty(self, paddedSizes(self, call.integers("padding")),
                     keepsFormat ? self.suggest_memory_format() : c10::MemoryFormat::Contiguous)};
}

ShapeResults im2col(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes kernel = repeated(call.integers("kernel_size"), 2);
    const Sizes dilation = repeated(call.integers("dilation"), 2);
    const Sizes padding = repeated(call.integers("padding"), 2);
    const Sizes stride = repeated(call.integers("stride"), 2);
    std::int64_t blocks = 1;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t length = self.size(static_cast<std::int64_t>(i) - 2);
        blocks *= (length + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
    }
    const std::int64_t channels = self.size(-3) * kernel[0] * kernel[1];
    return {self.dim() == 4 ? newEmpty(self, {self.size(0), channels, blocks})
                            : newEmpty(self, {channels, blocks})};
}

ShapeResults col2im(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes output = repeated(call.integers("output_size"), 2);
    const Sizes kernel = repeated(call.integers("kernel_size"), 2);
    const Sizes padding = repeated(call.integers("padding"), 2);
    Sizes sizes = {self.size(-2) / (kernel[0] * kernel[1]), output[0], output[1]};
    if (self.dim() == 3) {
        sizes.insert(sizes.begin(), self.size(0));
    }
    if (self.numel() != 0) {
        return {newEmpty(self, sizes)};
    }
    // An empty result is not copied: it stays a view that leaves out the padding.
    Sizes padded = sizes;
    padded[padded.size() - 2] += 2 * padding[0];
    padded[padded.size() - 1] += 2 * padding[1];
    return {newEmpty(self, padded).as_strided(sizes, contiguousStrides(padded))};
}

/// The sizes of an image with other channels, height and width.
Sizes shuffledSizes(const at::Tensor& self, std::int64_t channels, std::int64_t height, std::int64_t width) {
    TORCH_CHECK(self.dim() >= 3, "expected at least 3 dimensions, but got ", self.dim());
    Sizes sizes = sizesOf(self);
    sizes[sizes.size() - 3] = channels;
    sizes[sizes.size() - 2] = height;
    sizes[sizes.size() - 1] = width;
    return sizes;
}

ShapeResults pixelShuffle(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t factor = call.integer("upscale_factor");
    TORCH_CHECK(self.size(-3) % (factor * factor) == 0,
                "Invalid input shape for pixel_shuffle: ", self.sizes(), " with upscale_factor = ", factor);
    const Sizes sizes = shuffledSizes(self, self.size(-3) / (factor * factor), self.size(-2) * factor,
                                      self.size(-1) * factor);
    const bool channelsLast = self.suggest_memory_format() == c10::MemoryFormat::ChannelsLast;
    return {newEmpty(self, sizes,
                     channelsLast && !fakingCuda() ? c10::MemoryFormat::ChannelsLast
                                                   : c10::MemoryFormat::Contiguous)};
}

ShapeResults pixelUnshuffle(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t factor = call.integer("downscale_factor");
    const Sizes sizes =
        shuffledSizes(self, self.size(-3) * factor * factor, self.size(-2) / factor, self.size(-1) / factor);
    return {newEmpty(self, sizes, self.suggest_memory_format())};
}

/// Applies if offsets within a window fit in eight bits.
template<std::size_t dims>
Decomposed maxPool(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::vector<c10::SymInt> kernel = repeated(call.symInts("kernel_size"), dims);
    const std::vector<c10::SymInt> stride = repeated(call.symInts("stride"), dims, kernel);
    const std::vector<c10::SymInt> padding = repeated(call.symInts("padding"), dims);
    const std::vector<c10::SymInt> dilation = repeated(call.symInts("dilation"), dims);
    if (python::product(kernel).guard_int(__FILE__, __LINE__) > 25) {
        return Decomposed::notApplicable();
    }
    const auto [values, offsets] =
        prims::maxPoolWithOffsets(self, kernel, stride, padding, dilation, call.flag("ceil_mode"));
    const std::vector<c10::SymInt> input = python::sizes(self, self.dim() - static_cast<std::int64_t>(dims));
    return {values, prims::maxPoolIndices(offsets, kernel, input, stride, padding, dilation)};
}

/// Applies if all windows have the same size.
Decomposed adaptiveMaxPool2d(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const std::vector<std::int64_t> out = call.integers("output_size");
    const c10::SymInt height = x.sym_size(-2);
    const c10::SymInt width = x.sym_size(-1);
    const auto divides = [](const c10::SymInt& size, std::int64_t count) {
        return python::remainder(size, count).sym_eq(0).guard_bool(__FILE__, __LINE__);
    };
    if (call.rules().decompositions.adaptiveMaxPoolMayTakeAmax && out[0] == 1 && out[1] == 1) {
        const at::Tensor values = at::amax(x, {-2, -1}, true);
        return {values, at::argmax(x.flatten(-2), -1).unsqueeze(-1).unsqueeze(-1)};
    }
    if (out[0] == 0 || out[1] == 0 || !divides(height, out[0]) || !divides(width, out[1])) {
        return Decomposed::notApplicable();
    }
    // max_pool2d_with_indices takes plain numbers here.
    const std::int64_t rows = (height / out[0]).guard_int(__FILE__, __LINE__);
    const std::int64_t columns = (width / out[1]).guard_int(__FILE__, __LINE__);
    const auto [values, indices] = at::max_pool2d_with_indices(x, {rows, columns}, {}, {0, 0}, {1, 1});
    return {values, indices};
}

/// The same for volumes, with the strides of a contiguous result.
Decomposed adaptiveMaxPool3d(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const std::vector<std::int64_t> out = call.integers("output_size");
    const auto forced = [](const at::Tensor& tensor) {
        return prims::forceStrideOrder(tensor, contiguousStrides(tensor.sym_sizes().vec()));
    };
    if (!call.rules().decompositions.adaptiveMaxPool3dIsDecomposed) {
        return Decomposed::notApplicable();
    }
    if (out == std::vector<std::int64_t>{1, 1, 1}) {
        const at::Tensor values = at::amax(x, {-3, -2, -1}, true);
        const at::Tensor indices = at::argmax(x.flatten(-3), -1).unsqueeze(-1).unsqueeze(-1).unsqueeze(-1);
        const at::Tensor first = forced(values);
        return {first, forced(indices)};
    }
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const c10::SymInt size = x.sym_size(static_cast<std::int64_t>(i) - 3);
        if (out[i] == 0 || !python::remainder(size, out[i]).sym_eq(0).guard_bool(__FILE__, __LINE__)) {
            return Decomposed::notApplicable();
        }
        kernel.push_back((size / out[i]).guard_int(__FILE__, __LINE__));
    }
    const auto [values, indices] = at::max_pool3d_with_indices(x, kernel);
    const at::Tensor first = forced(values);
    return {first, forced(indices)};
}

/// Adds each gradient at the place that the forward took its value from.
Decomposed maxPool2dBackward(const DecompositionCall& call) {
    at::Tensor grad = call.tensor("grad_output");
    if (!call.rules().decompositions.maxPoolBackwardScatters ||
        at::globalContext().deterministicAlgorithms() || grad.is_mps() || grad.is_xpu()) {
        return Decomposed::notApplicable();
    }
    at::Tensor self = call.tensor("self");
    at::Tensor indices = call.tensor("indices");
    const bool isBatched = self.dim() == 4;
    const c10::SymInt inputs = self.sym_size(-2) * self.sym_size(-1);
    const c10::SymInt outputs = grad.sym_size(-2) * grad.sym_size(-1);
    if (!isBatched) {
        self = self.unsqueeze(0);
        grad = grad.unsqueeze(0);
        indices = indices.unsqueeze(0);
    }
    const c10::ScalarType result = grad.scalar_type();
    const bool widens = result == c10::kHalf || result == c10::kBFloat16;
    const c10::SymInt planes = self.sym_size(0) * self.sym_size(1);
    at::Tensor input =
        at::zeros_symint({planes, inputs}, python::options(widens ? c10::kFloat : result, grad.device()));
    at::Tensor flat = grad.reshape_symint({planes, outputs});
    const at::Tensor places = indices.reshape_symint({planes, outputs});
    flat = widens ? python::convert(flat, c10::kFloat) : flat;
    input = at::scatter_add(input, 1, places, flat).reshape_symint(self.sym_sizes());
    input = widens ? python::convert(input, result) : input;
    input = input.contiguous(python::suggestMemoryFormat(self));
    return isBatched ? input : input.squeeze(0);
}

} // namespace

void addImageRows(OperatorRows& rows) {
    rows.add({"convolution_backward"}, shapes::convolutionBackward, symbolic::convolutionGradient,
             InInductor{decomposed::convolutionBackward});
    rows.add({"max_pool2d_with_indices"}, symbolic::pooled, InInductor{maxPool<2>});
    rows.add({"max_pool3d_with_indices"}, maxPool3dShape, symbolic::pooled, InInductor{maxPool<3>});
    rows.add({"adaptive_max_pool2d"}, InInductor{adaptiveMaxPool2d});
    rows.add({"adaptive_max_pool3d"}, InInductor{adaptiveMaxPool3d});
    rows.add({"max_pool2d_with_indices_backward"}, InInductor{maxPool2dBackward});
    rows.add({"reflection_pad1d_backward", "reflection_pad3d_backward"}, decomposed::reflectionPadBackward);
    rows.add({"reflection_pad2d_backward"}, shapes::contiguousLike<1>, decomposed::reflectionPadBackward);
    rows.add({"im2col"}, im2col, symbolic::imageColumns, decomposed::im2col);
    rows.add({"col2im"}, col2im, symbolic::image, decomposed::col2im);
    rows.add({"grid_sampler_2d"}, gridSampler, InInductor{decomposed::gridSampler2d});
    rows.add({"affine_grid_generator"}, decomposed::affineGridGenerator);
    rows.add({"max_unpool2d", "max_unpool3d"}, unpooled, decomposed::maxUnpool);
    rows.add({"upsample_bilinear2d.vec"}, InInductor{decomposed::upsampleLinear},
             ForBoth{decomposed::upsampleLinear});
    rows.add({"pixel_shuffle"}, pixelShuffle, symbolic::shuffled, decomposed::pixelShuffle);
    rows.add({"pixel_unshuffle"}, pixelUnshuffle, symbolic::unshuffled, decomposed::pixelUnshuffle);
    rows.add({"channel_shuffle"}, shapes::contiguousLike<0>, decomposed::channelShuffle);
    rows.add({"upsample_linear1d"}, decomposed::upsampleLinear);
    rows.add({"reflection_pad1d", "reflection_pad3d"}, symbolic::padded, decomposed::reflectionPad);
    rows.add({"reflection_pad2d"}, paddedImage, symbolic::padded, decomposed::reflectionPad);
    rows.add({"replication_pad2d"}, paddedImage, symbolic::padded, decomposed::replicationPad);
    rows.add({"replication_pad1d", "replication_pad3d"}, symbolic::padded, decomposed::replicationPad);
    rows.add({"upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_nearest1d.vec",
              "upsample_nearest2d.vec", "upsample_nearest3d.vec"},
             ForBoth{decomposed::upsampleNearest});
    rows.add({"_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d",
              "_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec",
              "_upsample_nearest_exact3d.vec"},
             ForBoth{decomposed::upsampleNearestExact});
    rows.add({"upsample_linear1d.vec", "upsample_trilinear3d.vec"}, ForBoth{decomposed::upsampleLinear});
    rows.add({"upsample_bicubic2d.vec"}, ForBoth{decomposed::upsampleBicubic});
    rows.add({"_upsample_bilinear2d_aa.vec"}, ForBoth{decomposed::upsampleBilinearAntialiasVec});
    rows.add({"_upsample_bicubic2d_aa.vec"}, ForBoth{decomposed::upsampleBicubicAntialiasVec});
    rows.add({"upsample_bilinear2d"}, ForAutograd{decomposed::upsampleLinear});
    rows.add({"upsample_bicubic2d"}, ForAutograd{decomposed::upsampleBicubic});
    rows.add({"convolution"}, shapes::convolution, symbolic::convolved);
    rows.add({"convolution_overrideable"}, shapes::convolution);
    rows.add({"convolution_backward_overrideable"}, shapes::convolutionBackward);
    rows.add({"slow_conv3d_forward", "slow_conv_dilated2d", "slow_conv_dilated3d", "slow_conv_transpose3d"},
             shapes::slowConvolution);
    rows.add({"max_pool3d_with_indices_backward", "_adaptive_avg_pool2d_backward"}, shapes::inFormatOfSelf);
    rows.add({"_adaptive_avg_pool2d"}, adaptivePool2d);
    rows.add({"_adaptive_avg_pool3d"}, withOutputSize);
    rows.add({"_adaptive_avg_pool3d_backward", "fractional_max_pool3d_backward", "replication_pad2d_backward",
              "replication_pad3d_backward"},
             shapes::contiguousLike<1>);
    rows.add({"grid_sampler_3d"}, gridSampler);
    rows.add({"grid_sampler_2d_backward", "grid_sampler_3d_backward"}, gridSamplerBackward);
    rows.add({"_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"}, upsample);
    rows.add({"_upsample_bilinear2d_aa_backward"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor gradOutput = call.tensor("grad_output");
        return {newEmpty(gradOutput, call.integers("input_size"), gradOutput.suggest_memory_format())};
    });
    rows.add({"avg_pool2d", "avg_pool3d", "prims::_low_memory_max_pool_with_offsets"}, symbolic::pooled);
    rows.add({"constant_pad_nd"}, symbolic::padded, symbolic::paddedFormat);
    rows.add({"adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward"}, symbolic::asArgument<1>,
             OperatorTrait::AcceptsMoreThanAten);
}

} // namespace aotscope::torch
