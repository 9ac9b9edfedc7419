#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvUtils.h>
#include <c10/core/TensorImpl.h>

namespace aotscope::torch::shapes {

namespace {

struct Geometry {
    Sizes stride;
    Sizes padding;
    Sizes dilation;
    Sizes outputPadding;
    bool transposed = false;
    std::int64_t groups = 1;
};

/// The geometry of a call. Operators of a single backend have fewer arguments; their names say whether they
/// are transposed.
Geometry geometryOf(const ShapeCall& call, std::size_t spatial) {
    const auto given = [&](const char* name) {
        return call.schema().argumentIndexWithName(name).has_value();
    };
    const auto listed = [&](const char* name, std::int64_t otherwise) {
        return given(name) ? repeated(call.integers(name), spatial) : Sizes(spatial, otherwise);
    };
    Geometry geometry;
    geometry.stride = listed("stride", 1);
    geometry.padding = listed("padding", 0);
    geometry.dilation = listed("dilation", 1);
    geometry.outputPadding = listed("output_padding", 0);
    geometry.transposed = given("transposed") ? call.flag("transposed")
                                              : call.schema().name().find("transpose") != std::string::npos;
    geometry.groups = given("groups") ? call.integer("groups") : 1;
    return geometry;
}

Sizes outputSizes(const at::Tensor& input, const at::Tensor& weight, const Geometry& geometry) {
    const auto spatial = static_cast<std::size_t>(input.dim()) - 2;
    TORCH_CHECK(geometry.transposed || weight.size(1) * geometry.groups == input.size(1),
                "Invalid channel dimensions");
    Sizes sizes = {input.size(0), geometry.transposed ? geometry.groups * weight.size(1) : weight.size(0)};
    for (std::size_t i = 0; i < spatial; ++i) {
        const std::int64_t length = input.size(static_cast<std::int64_t>(i) + 2);
        const std::int64_t reach =
            geometry.dilation[i] * (weight.size(static_cast<std::int64_t>(i) + 2) - 1) + 1;
        sizes.push_back(geometry.transposed
                            ? (length - 1) * geometry.stride[i] - 2 * geometry.padding[i] + reach +
                                  geometry.outputPadding[i]
                            : (length + 2 * geometry.padding[i] - reach) / geometry.stride[i] + 1);
        TORCH_CHECK(fakingCuda() || sizes.back() > 0, "Calculated output size per channel: ", sizes.back(),
                    ". Output size is too small");
    }
    if (input.size(1) == 0) {
        sizes[1] = 0;
    }
    return sizes;
}

/// A CPU tensor with metadata but no memory, for LibTorch's choice of a backend, which reads device and
/// layout but no values.
at::Tensor withoutMemory(const at::Tensor& meta) {
    // Large enough for any view; no memory is reserved.
    constexpr std::size_t bytes = std::size_t{1} << 62;
    c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, c10::DataPtr(nullptr, c10::kCPU));
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
        c10::scalarTypeToTypeMeta(meta.scalar_type()));
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(meta.sizes(), meta.strides());
    return tensor;
}

/// The format with channels last that either tensor has, if one does.
c10::MemoryFormat eitherFormat(const at::Tensor& one, const at::Tensor& other) {
    for (const c10::MemoryFormat format :
         {c10::MemoryFormat::ChannelsLast, c10::MemoryFormat::ChannelsLast3d}) {
        if (one.suggest_memory_format() == format || other.suggest_memory_format() == format) {
            return format;
        }
    }
    return c10::MemoryFormat::Contiguous;
}

/// cuDNN takes channels last when either tensor has it, except for doubles.
c10::MemoryFormat cudnnFormat(const at::Tensor& input, const at::Tensor& weight) {
    return input.scalar_type() == c10::kDouble || weight.scalar_type() == c10::kDouble
               ? c10::MemoryFormat::Contiguous
               : eitherFormat(input, weight);
}

/// A 1d convolution as a 2d one of height 1, as the backends see it.
Geometry in2d(Geometry geometry) {
    geometry.stride.insert(geometry.stride.begin(), 1);
    geometry.padding.insert(geometry.padding.begin(), 0);
    geometry.dilation.insert(geometry.dilation.begin(), 1);
    geometry.outputPadding.insert(geometry.outputPadding.begin(), 0);
    return geometry;
}

std::vector<c10::SymInt> symbolic(at::IntArrayRef sizes) {
    return {sizes.begin(), sizes.end()};
}

at::native::ConvBackend cpuBackend(const at::Tensor& input, const at::Tensor& weight,
                                   const Geometry& geometry, const std::optional<Sizes>& biasSizes) {
    const std::vector<c10::SymInt> bias = symbolic(biasSizes.value_or(Sizes()));
    return at::native::select_conv_backend(
        withoutMemory(input), withoutMemory(weight), std::nullopt, symbolic(geometry.stride),
        symbolic(geometry.padding), symbolic(geometry.dilation), geometry.transposed,
        symbolic(geometry.outputPadding), geometry.groups,
        biasSizes ? at::OptionalSymIntArrayRef(bias) : at::OptionalSymIntArrayRef());
}

/// The memory format of the results: that of the backend which the faked device would use.
c10::MemoryFormat backendFormat(const at::Tensor& meta, const at::Tensor& metaWeight,
                                const Geometry& geometry, const std::optional<Sizes>& biasSizes) {
    const bool oneDimension = metaWeight.dim() == 3;
    const at::Tensor input = oneDimension ? meta.contiguous().unsqueeze(2) : meta;
    if (fakingCuda()) {
        return cudnnFormat(input, oneDimension ? metaWeight.unsqueeze(2) : metaWeight);
    }
    const at::native::ConvBackend backend =
        oneDimension ? cpuBackend(input, metaWeight.contiguous().unsqueeze(2), in2d(geometry), biasSizes)
                     : cpuBackend(input, metaWeight, geometry, biasSizes);
    const at::Tensor weight = oneDimension ? metaWeight.unsqueeze(2) : metaWeight;
    return at::native::_determine_backend_memory_format(withoutMemory(input), withoutMemory(weight), backend);
}

/// `tensor.to(memory_format=…)` of a new tensor. A tensor of three dimensions counts as one of four with
/// height 1.
at::Tensor inFormat(const at::Tensor& tensor, c10::MemoryFormat format) {
    if (tensor.dim() == 3 && format == c10::MemoryFormat::ChannelsLast) {
        return inFormat(tensor.unsqueeze(2), format).squeeze(2);
    }
    return tensor.suggest_memory_format() == format ? tensor : newEmpty(tensor, tensor.sizes(), format);
}

} // namespace

ShapeResults convolution(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const Geometry geometry = geometryOf(call, static_cast<std::size_t>(weight.dim()) - 2);
    const at::Tensor bias = call.tensor("bias");
    const at::Tensor output = newEmpty(input, outputSizes(input, weight, geometry));
    const auto biasSizes = bias.defined() ? std::optional(sizesOf(bias)) : std::nullopt;
    return {inFormat(output, backendFormat(input, weight, geometry, biasSizes))};
}

ShapeResults convolutionBackward(const ShapeCall& call) {
    const at::Tensor gradOutput = call.tensor("grad_output");
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const std::vector<bool> mask = call.flags("output_mask");
    const Geometry geometry = geometryOf(call, static_cast<std::size_t>(weight.dim()) - 2);
    const auto biasSizes = call.has("bias_sizes") ? std::optional(call.integers("bias_sizes")) : std::nullopt;
    const c10::MemoryFormat format = backendFormat(input, weight, geometry, biasSizes);
    at::Tensor gradInput;
    at::Tensor gradWeight;
    at::Tensor gradBias;
    // The backend's result is converted to the backend's format, as in PyTorch
    // (torch/_subclasses/fake_impls.py: conv).
    if (mask[0]) {
        gradInput =
            inFormat(inFormat(newEmpty(gradOutput, input.sizes()), eitherFormat(gradOutput, weight)), format);
    }
    if (mask[1]) {
        gradWeight =
            inFormat(inFormat(newEmpty(gradOutput, weight.sizes()), eitherFormat(input, gradOutput)), format);
    }
    if (mask[2]) {
        gradBias = newEmpty(gradOutput, biasSizes ? *biasSizes : Sizes{gradOutput.size(1)});
    }
    return {gradInput, gradWeight, gradBias};
}

/// The CPU's plain loops, which also take inputs without a batch dimension.
ShapeResults slowConvolution(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor weight = call.tensor("weight");
    const std::size_t spatial = call.integers("kernel_size").size();
    const bool batched = self.dim() == static_cast<std::int64_t>(spatial) + 2;
    const at::Tensor input = batched ? self : self.unsqueeze(0);
    const Geometry geometry = geometryOf(call, spatial);
    const at::Tensor output = newEmpty(input, outputSizes(input, weight, geometry));
    return {batched ? output : output.squeeze(0)};
}

} // namespace aotscope::torch::shapes
