#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

#include <ATen/native/Pool.h>

#include <algorithm>

/// Convolutions, pooling, padding, resampling, columns and shuffled channels of images.
namespace aotscope::torch {

namespace {

/// The sizes of `input` with the last ones replaced.
Sizes withSpatial(const at::Tensor& input, const Sizes& spatial) {
    Sizes sizes = sizesOf(input);
    TORCH_CHECK(sizes.size() > spatial.size(), "Expected at least ", spatial.size() + 1, "D tensor, but got ",
                input.sizes());
    std::copy(spatial.begin(), spatial.end(), sizes.end() - static_cast<std::ptrdiff_t>(spatial.size()));
    return sizes;
}

Sizes repeated(Sizes values, std::size_t count, const Sizes& otherwise = {}) {
    if (values.empty()) {
        return otherwise;
    }
    if (values.size() == 1) {
        values.resize(count, values.front());
    }
    return values;
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

ShapeResults maxPool3d(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes sizes = pooledSizes(self, windowOf(call, 3));
    const c10::MemoryFormat format = self.suggest_memory_format();
    return {newEmpty(self, sizes, format), newEmpty(self, sizes, format, c10::kLong)};
}

/// The gradient of the input in the input's memory format.
ShapeResults inFormatOfSelf(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, self.sizes(), self.suggest_memory_format())};
}

ShapeResults adaptivePool2d(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, withSpatial(self, call.integers("output_size")), self.suggest_memory_format())};
}

ShapeResults adaptivePool3d(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, withSpatial(self, call.integers("output_size")))};
}

ShapeResults maxUnpool(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, withSpatial(self, call.integers("output_size")))};
}

ShapeResults padded(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, paddedSizes(self, call.integers("padding")))};
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

} // namespace

void addImageRows(OperatorRows& rows) {
    rows.add({"convolution_backward"}, shapes::convolutionBackward, symbolic::convolutionGradient,
             InInductor{decomposed::convolutionBackward});
    rows.add({"max_pool2d_with_indices"}, symbolic::pooled, InInductor{decomposed::maxPool2d});
    rows.add({"max_pool3d_with_indices"}, maxPool3d, symbolic::pooled, InInductor{decomposed::maxPool3d});
    rows.add({"adaptive_max_pool2d"}, InInductor{decomposed::adaptiveMaxPool2d});
    rows.add({"adaptive_max_pool3d"}, InInductor{decomposed::adaptiveMaxPool3d});
    rows.add({"max_pool2d_with_indices_backward"}, InInductor{decomposed::maxPool2dBackward});
    rows.add({"reflection_pad1d_backward", "reflection_pad3d_backward"}, decomposed::reflectionPadBackward);
    rows.add({"reflection_pad2d_backward"}, shapes::contiguousLikeSelf, decomposed::reflectionPadBackward);
    rows.add({"im2col"}, im2col, symbolic::imageColumns, decomposed::im2col);
    rows.add({"col2im"}, col2im, symbolic::image, decomposed::col2im);
    rows.add({"grid_sampler_2d"}, shapes::gridSampler, InInductor{decomposed::gridSampler2d});
    rows.add({"affine_grid_generator"}, decomposed::affineGridGenerator);
    rows.add({"max_unpool2d", "max_unpool3d"}, maxUnpool, decomposed::maxUnpool);
    rows.add({"upsample_bilinear2d.vec"}, InInductor{decomposed::upsampleLinearVec},
             ForBoth{decomposed::upsampleLinearVec});
    rows.add({"pixel_shuffle"}, shapes::pixelShuffle, symbolic::shuffled, decomposed::pixelShuffle);
    rows.add({"pixel_unshuffle"}, shapes::pixelUnshuffle, symbolic::unshuffled, decomposed::pixelUnshuffle);
    rows.add({"channel_shuffle"}, shapes::contiguousLikeSelf, decomposed::channelShuffle);
    rows.add({"upsample_linear1d"}, decomposed::upsampleLinearSized);
    rows.add({"reflection_pad1d", "reflection_pad3d"}, symbolic::padded, decomposed::reflectionPad);
    rows.add({"reflection_pad2d"}, padded, symbolic::padded, decomposed::reflectionPad);
    rows.add({"replication_pad1d", "replication_pad2d", "replication_pad3d"}, symbolic::padded,
             decomposed::replicationPad);
    rows.add({"upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec"},
             ForBoth{decomposed::upsampleNearestVec});
    rows.add(
        {"_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec", "_upsample_nearest_exact3d.vec"},
        ForBoth{decomposed::upsampleNearestExactVec});
    rows.add({"upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"},
             ForBoth{decomposed::upsampleNearestSized});
    rows.add({"_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d"},
             ForBoth{decomposed::upsampleNearestExactSized});
    rows.add({"upsample_linear1d.vec", "upsample_trilinear3d.vec"}, ForBoth{decomposed::upsampleLinearVec});
    rows.add({"upsample_bicubic2d.vec"}, ForBoth{decomposed::upsampleBicubicVec});
    rows.add({"_upsample_bilinear2d_aa.vec"}, ForBoth{decomposed::upsampleBilinearAntialiasVec});
    rows.add({"_upsample_bicubic2d_aa.vec"}, ForBoth{decomposed::upsampleBicubicAntialiasVec});
    rows.add({"upsample_bilinear2d"}, ForAutograd{decomposed::upsampleLinearSized});
    rows.add({"upsample_bicubic2d"}, ForAutograd{decomposed::upsampleBicubicSized});
    rows.add({"convolution"}, shapes::convolution, symbolic::convolved);
    rows.add({"convolution_overrideable"}, shapes::convolution);
    rows.add({"convolution_backward_overrideable"}, shapes::convolutionBackward);
    rows.add({"slow_conv3d_forward", "slow_conv_dilated2d", "slow_conv_dilated3d", "slow_conv_transpose3d"},
             shapes::slowConvolution);
    rows.add({"max_pool3d_with_indices_backward", "_adaptive_avg_pool2d_backward"}, inFormatOfSelf);
    rows.add({"_adaptive_avg_pool2d"}, adaptivePool2d);
    rows.add({"_adaptive_avg_pool3d"}, adaptivePool3d);
    rows.add({"_adaptive_avg_pool3d_backward", "fractional_max_pool3d_backward", "replication_pad2d_backward",
              "replication_pad3d_backward"},
             shapes::contiguousLikeSelf);
    rows.add({"grid_sampler_3d"}, shapes::gridSampler);
    rows.add({"grid_sampler_2d_backward", "grid_sampler_3d_backward"}, shapes::gridSamplerBackward);
    rows.add({"_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"}, shapes::upsample);
    rows.add({"_upsample_bilinear2d_aa_backward"}, shapes::upsampleBackward);
    rows.add({"avg_pool2d", "avg_pool3d", "prims::_low_memory_max_pool_with_offsets"}, symbolic::pooled);
    rows.add({"constant_pad_nd"}, symbolic::padded);
    rows.add({"adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward"}, symbolic::asSecond,
             OperatorTrait::AcceptsMoreThanAten);
}

} // namespace aotscope::torch
