#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Convolutions, pooling, padding, resampling, columns and shuffled channels of images.
namespace aotscope::torch {

void addImageRows(OperatorRows& rows) {
    rows.add({"convolution_backward"}, shapes::convolutionBackward, symbolic::convolutionGradient,
             InInductor{decomposed::convolutionBackward});
    rows.add({"max_pool2d_with_indices"}, symbolic::pooled, InInductor{decomposed::maxPool2d});
    rows.add({"max_pool3d_with_indices"}, shapes::maxPool3d, symbolic::pooled,
             InInductor{decomposed::maxPool3d});
    rows.add({"adaptive_max_pool2d"}, InInductor{decomposed::adaptiveMaxPool2d});
    rows.add({"adaptive_max_pool3d"}, InInductor{decomposed::adaptiveMaxPool3d});
    rows.add({"max_pool2d_with_indices_backward"}, InInductor{decomposed::maxPool2dBackward});
    rows.add({"reflection_pad1d_backward", "reflection_pad3d_backward"}, decomposed::reflectionPadBackward);
    rows.add({"reflection_pad2d_backward"}, shapes::contiguousLikeSelf, decomposed::reflectionPadBackward);
    rows.add({"im2col"}, shapes::im2col, symbolic::imageColumns, decomposed::im2col);
    rows.add({"col2im"}, shapes::col2im, symbolic::image, decomposed::col2im);
    rows.add({"grid_sampler_2d"}, shapes::gridSampler, InInductor{decomposed::gridSampler2d});
    rows.add({"affine_grid_generator"}, decomposed::affineGridGenerator);
    rows.add({"max_unpool2d", "max_unpool3d"}, shapes::maxUnpool, decomposed::maxUnpool);
    rows.add({"upsample_bilinear2d.vec"}, InInductor{decomposed::upsampleLinearVec},
             ForBoth{decomposed::upsampleLinearVec});
    rows.add({"pixel_shuffle"}, shapes::pixelShuffle, symbolic::shuffled, decomposed::pixelShuffle);
    rows.add({"pixel_unshuffle"}, shapes::pixelUnshuffle, symbolic::unshuffled, decomposed::pixelUnshuffle);
    rows.add({"channel_shuffle"}, shapes::contiguousLikeSelf, decomposed::channelShuffle);
    rows.add({"upsample_linear1d"}, decomposed::upsampleLinearSized);
    rows.add({"reflection_pad1d", "reflection_pad3d"}, symbolic::padded, decomposed::reflectionPad);
    rows.add({"reflection_pad2d"}, shapes::padded, symbolic::padded, decomposed::reflectionPad);
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
    rows.add({"max_pool3d_with_indices_backward", "_adaptive_avg_pool2d_backward"}, shapes::inFormatOfSelf);
    rows.add({"_adaptive_avg_pool2d"}, shapes::adaptivePool2d);
    rows.add({"_adaptive_avg_pool3d"}, shapes::adaptivePool3d);
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
