#include "run/replacements/replacements.h"

#include "dispatch/failure.h"
#include "run/inputs/tensor_maker.h"
#include "run/state/value_access.h"

#include "kernels/philox.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool3d_with_indices.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

/// The device argument, else the run's own.
c10::Device deviceOf(const IValue& device, const RunContext& context) {
    return device.isDevice() ? device.toDevice() : context.place.device;
}
at::TensorOptions options(const IValue& dtype, const IValue& device, const RunContext& context) {
    return at::TensorOptions(dtype.isInt() ? dtypeArgument(dtype) : c10::kFloat)
        .device(deviceOf(device, context));
}

IValue alias(const Args& args, RunContext&) {
    return tensorArgument(args[0]).alias();
}
IValue iota(const Args& args, RunContext& context) {
    const std::int64_t length = intArgument(args[0]);
    const std::int64_t start = args[1].isNone() ? 0 : intArgument(args[1]);
    const std::int64_t step = args[2].isNone() ? 1 : intArgument(args[2]);
    if (length < 0 || length > (std::int64_t{1} << 40)) {
        fail("run.arguments", "prims.iota was asked for " + std::to_string(length) + " elements.");
    }
    const auto type = at::TensorOptions(c10::kLong).device(deviceOf(args[4], context));
    return at::arange(length, type).mul(step).add(start).to(dtypeArgument(args[3]));
}
/// Python numbers are passed as they are where the schema has a tensor.
IValue multiplyAdd(const Args& args, RunContext&) {
    const IValue product = callAten("aten.mul.Tensor", {args[0], args[1]});
    return callAten("aten.add.Tensor", {product, args[2]});
}
IValue truncatedDivision(const Args& args, RunContext&) {
    const at::Tensor quotient = tensorArgument(args[0]);
    const bool integers = c10::isIntegralType(quotient.scalar_type(), true);
    return integers
               ? callAten("aten.div.Tensor_mode", {args[0], args[1]}, {{"rounding_mode", IValue("trunc")}})
               : callAten("aten.div.Tensor", {args[0], args[1]});
}
IValue broadcastInDim(const Args& args, RunContext&) {
    at::Tensor tensor = tensorArgument(args[0]);
    const std::vector<std::int64_t> shape = intsArgument(args[1]);
    const std::vector<std::int64_t> dims = intsArgument(args[2]);
    std::vector<std::int64_t> middle(shape.size(), 1);
    if (dims.size() != static_cast<std::size_t>(tensor.dim())) {
        fail("run.arguments",
             "prims.broadcast_in_dim names a different number of dimensions than its tensor has.");
    }
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] < 0 || static_cast<std::size_t>(dims[i]) >= middle.size()) {
            fail("run.arguments", "prims.broadcast_in_dim names a dimension that does not exist.");
        }
        middle[static_cast<std::size_t>(dims[i])] = tensor.size(static_cast<std::int64_t>(i));
    }
    return tensor.reshape(middle).expand(shape);
}
IValue collapse(const Args& args, RunContext&) {
    return tensorArgument(args[0]).flatten(intArgument(args[1]), intArgument(args[2]));
}
IValue splitDim(const Args& args, RunContext&) {
    const at::Tensor tensor = tensorArgument(args[0]);
    return tensor.unflatten(intArgument(args[1]), std::vector<std::int64_t>{intArgument(args[2]), -1});
}
IValue emptyStrided(const Args& args, RunContext& context) {
    const auto shape = intsArgument(args[0]);
    const auto stride = intsArgument(args[1]);
    return at::empty_strided(shape, stride, options(args[2], args[3], context)).zero_();
}
IValue emptyPermuted(const Args& args, RunContext& context) {
    return callAten("aten.empty_permuted.default", {args[0], args[1]},
                    {{"dtype", args[2]}, {"device", IValue(deviceOf(args[3], context))}});
}
IValue full(const Args& args, RunContext& context) {
    return at::full(intsArgument(args[0]), args[1].toScalar(), options(args[2], args[3], context));
}
IValue copyStrided(const Args& args, RunContext&) {
    const at::Tensor tensor = tensorArgument(args[0]);
    return at::empty_strided(tensor.sizes(), intsArgument(args[1]), tensor.options()).copy_(tensor);
}
IValue item(const Args& args, RunContext&) {
    return tensorArgument(args[0]).item();
}
/// Reductions; `dims` of None means all dimensions.
template<char const* Target>
IValue reduce(const Args& args, RunContext&) {
    const at::Tensor tensor = tensorArgument(args[0]);
    std::vector<std::int64_t> dims;
    if (args[1].isNone()) {
        for (std::int64_t i = 0; i < tensor.dim(); ++i) {
            dims.push_back(i);
        }
    } else {
        dims = intsArgument(args[1]);
    }
    IValue result = callAten(Target, {tensor, dims});
    return args[2].isNone() ? result : IValue(result.toTensor().to(dtypeArgument(args[2])));
}
constexpr char sumTarget[] = "aten.sum.dim_IntList";
constexpr char amaxTarget[] = "aten.amax.default";
constexpr char aminTarget[] = "aten.amin.default";

IValue correctedVariance(const Args& args, RunContext&) {
    return callAten("aten.var.correction", {args[0], args[1]},
                    {{"correction", args[2].isNone() ? IValue(1.0) : args[2]}});
}
IValue softmaxOnline(const Args& args, RunContext&) {
    const at::Tensor tensor = tensorArgument(args[0]);
    const std::vector<std::int64_t> dim{intArgument(args[1])};
    const at::Tensor greatest = tensor.amax(dim, true);
    return c10::ivalue::Tuple::create({greatest, tensor.sub(greatest).exp().sum(dim, true)});
}

// Inductor's random numbers: one stream per seed, because the graph contains nothing else about them. They
// are drawn on the CPU, so that they are the same on all devices.
at::Tensor drawnSeeds(at::IntArrayRef sizes, const IValue& device, const RunContext& context) {
    return at::randint(std::numeric_limits<std::int64_t>::max(), sizes, at::TensorOptions(c10::kLong))
        .to(deviceOf(device, context));
}
IValue seeds(const Args& args, RunContext& context) {
    return drawnSeeds(intArgument(args[0]), args[1], context);
}
IValue seed(const Args& args, RunContext& context) {
    return drawnSeeds({}, args[0], context);
}
at::Generator generatorOf(const IValue& seedTensor) {
    const at::Tensor tensor = tensorArgument(seedTensor);
    return at::detail::createCPUGenerator(static_cast<std::uint64_t>(tensor.item().toLong()));
}
IValue random(const Args& args, RunContext&) {
    const auto shape = intsArgument(args[0]);
    if (args[2].isString() && args[2].toStringRef() == "randn") {
        return at::randn(shape, generatorOf(args[1]), at::TensorOptions(c10::kFloat))
            .to(tensorArgument(args[1]).device());
    }
    return at::rand(shape, generatorOf(args[1]), at::TensorOptions(c10::kFloat))
        .to(tensorArgument(args[1]).device());
}
IValue randomIntegers(const Args& args, RunContext&) {
    return at::randint(intArgument(args[0]), intArgument(args[1]), intsArgument(args[2]),
                       generatorOf(args[3]), at::TensorOptions(c10::kLong))
        .to(tensorArgument(args[3]).device());
}
IValue philoxRandom(const Args& args, RunContext& context) {
    const std::int64_t seed = tensorArgument(args[1]).item().toLong();
    const std::int64_t offset = tensorArgument(args[2]).item().toLong();
    const std::vector<std::int64_t> sizes = intsArgument(args[0]);
    const auto type = at::TensorOptions(args[5].isInt() ? dtypeArgument(args[5]) : c10::kFloat);
    at::Tensor values = at::empty(sizes, type);
    const std::int64_t step = values.numel() == 0 ? 4 : kernels::philoxOffsetStep(values.numel());
    if (values.scalar_type() == at::kFloat) {
        // The numbers that a CUDA device gives.
        float* data = values.mutable_data_ptr<float>();
        const std::int64_t threads = kernels::philoxThreads(values.numel());
        for (std::int64_t i = 0; i < values.numel(); ++i) {
            data[i] = kernels::philoxUniform(seed, offset, i, threads);
        }
    } else {
        const std::uint64_t mixed = tensorSeed(static_cast<std::uint64_t>(seed), std::to_string(offset));
        values = at::rand(sizes, at::detail::createCPUGenerator(mixed), type);
    }
    return c10::ivalue::Tuple::create(
        {values.to(deviceOf(args[4], context)), at::full({}, step, at::TensorOptions(c10::kLong))});
}

// Max pooling that returns offsets inside the window instead of indices.
std::vector<at::Tensor> splitIndex(at::Tensor index, const std::vector<std::int64_t>& widths) {
    std::vector<at::Tensor> parts(widths.size());
    for (std::size_t i = widths.size(); i-- > 0;) {
        parts[i] = i == 0 ? index : index.remainder(widths[i]);
        index = index.floor_divide(c10::Scalar(widths[i]));
    }
    return parts;
}
at::Tensor joinIndex(const std::vector<at::Tensor>& parts, const std::vector<std::int64_t>& widths) {
    at::Tensor index = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        index = index.mul(widths[i]).add(parts[i]);
    }
    return index;
}
/// The start of each output position's window along one dimension.
at::Tensor windowStart(const at::Tensor& like, std::size_t dims, std::size_t d, std::int64_t stride,
                       std::int64_t padding) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
    const std::size_t axis = shape.size() - dims + d;
    shape[axis] = like.size(static_cast<std::int64_t>(axis));
    return at::arange(shape[axis], like.options().dtype(c10::kLong)).mul(stride).sub(padding).view(shape);
}
struct PoolWindow {
    std::vector<std::int64_t> kernel, stride, padding, dilation;
};
PoolWindow windowArguments(const Args& args, std::size_t first, const at::Tensor& tensor) {
    PoolWindow window{intsArgument(args[0]), intsArgument(args[first]), intsArgument(args[first + 1]),
                      intsArgument(args[first + 2])};
    const std::size_t dims = window.kernel.size();
    if ((dims != 2 && dims != 3) || window.stride.size() != dims || window.padding.size() != dims ||
        window.dilation.size() != dims || static_cast<std::size_t>(tensor.dim()) < dims) {
        fail("run.arguments", "A pooling window has a different number of dimensions than its input.");
    }
    for (std::size_t d = 0; d < dims; ++d) {
        if (window.kernel[d] < 1 || window.stride[d] < 1 || window.dilation[d] < 1) {
            fail("run.arguments", "A pooling window's size, stride and dilation must be positive.");
        }
    }
    return window;
}
IValue poolWithOffsets(const Args& args, RunContext&) {
    const at::Tensor tensor = tensorArgument(args[0]);
    const PoolWindow window = windowArguments({args[1], args[2], args[3], args[4]}, 1, tensor);
    const std::size_t dims = window.kernel.size();
    const bool ceil = args[5].isBool() && args[5].toBool();
    const auto [values, indices] = dims == 2
                                       ? at::max_pool2d_with_indices(tensor, window.kernel, window.stride,
                                                                     window.padding, window.dilation, ceil)
                                       : at::max_pool3d_with_indices(tensor, window.kernel, window.stride,
                                                                     window.padding, window.dilation, ceil);
    const std::vector<std::int64_t> sizes(tensor.sizes().end() - static_cast<std::ptrdiff_t>(dims),
                                          tensor.sizes().end());
    std::vector<at::Tensor> parts = splitIndex(indices, sizes);
    for (std::size_t d = 0; d < dims; ++d) {
        parts[d] = parts[d]
                       .sub(windowStart(indices, dims, d, window.stride[d], window.padding[d]))
                       .floor_divide(c10::Scalar(window.dilation[d]));
    }
    return c10::ivalue::Tuple::create({values, joinIndex(parts, window.kernel).to(c10::kChar)});
}
IValue offsetsToIndices(const Args& args, RunContext&) {
    const at::Tensor offsets = tensorArgument(args[0]).to(c10::kLong);
    const PoolWindow window = windowArguments({args[1], args[3], args[4], args[5]}, 1, offsets);
    const std::vector<std::int64_t> sizes = intsArgument(args[2]);
    const std::size_t dims = window.kernel.size();
    if (sizes.size() != dims) {
        fail("run.arguments", "A pooling window has a different number of dimensions than its input.");
    }
    std::vector<at::Tensor> parts = splitIndex(offsets, window.kernel);
    for (std::size_t d = 0; d < dims; ++d) {
        parts[d] = parts[d]
                       .mul(window.dilation[d])
                       .add(windowStart(offsets, dims, d, window.stride[d], window.padding[d]))
                       // Generated offsets may point into the padding, unlike those of a real pooling.
                       .clamp(0, std::max<std::int64_t>(sizes[d] - 1, 0));
    }
    return joinIndex(parts, sizes);
}

IValue nothing(const Args&, RunContext&) {
    return {};
}
IValue resizeStorage(const Args& args, RunContext& context) {
    context.note("Storages keep their size: inductor.resize_storage_bytes_ changes memory, not numbers.");
    return args[0].isTensor() ? args[0] : IValue();
}
IValue accumulateGrad(const Args&, RunContext& context) {
    context.note("Gradients handed to inductor.accumulate_grad_ are not kept.");
    return {};
}

constexpr char poolParameters[] = "self kernel_size stride padding dilation ceil_mode";
constexpr char indexParameters[] = "self kernel_size input_size stride padding dilation";

constexpr Replacement primitivesTable[] = {
    {"prims.convert_element_type.default", "a dtype",
     [](const Args& args, RunContext&) -> IValue {
         return tensorArgument(args[0]).to(dtypeArgument(args[1]));
     }},
    {"prims.device_put.default", "a device non_blocking",
     [](const Args& args, RunContext& context) -> IValue {
         return tensorArgument(args[0]).to(deviceOf(args[1], context), false, true);
     }},
    {"prims.view_of.default", "a", alias},
    {"prims.iota.default", "length start step dtype device requires_grad", iota},
    {"prims.fma.default", "a b c", multiplyAdd},
    {"prims.div.default", "self other", truncatedDivision},
    {"prims.broadcast_in_dim.default", "a shape broadcast_dimensions", broadcastInDim},
    {"prims.collapse_view.default", "a start end", collapse},
    {"prims.collapse.default", "a start end", collapse},
    {"prims.split_dim.default", "a dim outer_length", splitDim},
    {"prims.empty_strided.default", "shape strides dtype device requires_grad", emptyStrided},
    {"prims.empty_permuted.default", "shape physical_layout dtype device requires_grad", emptyPermuted},
    {"prims.full.default", "shape fill_value dtype device requires_grad", full},
    {"prims.copy_strided.default", "a stride", copyStrided},
    {"prims.item.default", "a", item},
    {"prims.sum.default", "inp dims output_dtype", reduce<sumTarget>},
    {"prims.amax.default", "inp dims output_dtype", reduce<amaxTarget>},
    {"prims.amin.default", "inp dims output_dtype", reduce<aminTarget>},
    {"prims.var.default", "inp dims correction output_dtype", correctedVariance},
    {"prims.prepare_softmax_online.default", "a dim", softmaxOnline},
    {"prims.inductor_seed.default", "device", seed},
    {"prims.inductor_seeds.default", "count device", seeds},
    {"prims.inductor_lookup_seed.default", "seeds index",
     [](const Args& args, RunContext&) -> IValue {
         return tensorArgument(args[0]).select(0, intArgument(args[1])).clone();
     }},
    {"prims.inductor_random.default", "size seed mode offset", random},
    {"prims.inductor_randint.default", "low high size seed offset", randomIntegers},
    {"prims.inductor_force_stride_order.default", "input stride",
     [](const Args& args, RunContext&) -> IValue { return tensorArgument(args[0]); }},
    {"prims._low_memory_max_pool_with_offsets.default", poolParameters, poolWithOffsets},
    {"prims._low_memory_max_pool2d_with_offsets.default", poolParameters, poolWithOffsets},
    {"prims._low_memory_max_pool_offsets_to_indices.default", indexParameters, offsetsToIndices},
    {"prims._make_token.default", "",
     [](const Args&, RunContext&) -> IValue { return at::empty({0}, at::TensorOptions(c10::kFloat)); }},
    {"prims._sink_tokens.default", "tokens", nothing},
    {"rngprims.philox_rand.default", "size seed offset stride device dtype", philoxRandom},
    {"inductor.resize_storage_bytes_.default", "variable new_size", resizeStorage},
    {"inductor.accumulate_grad_.default", "variable new_grad", accumulateGrad},
    {"_inductor_test.realize.default", "self",
     [](const Args& args, RunContext&) -> IValue { return tensorArgument(args[0]).clone(); }},
};

} // namespace

std::span<const Replacement> primitiveReplacements() {
    return primitivesTable;
}

std::optional<c10::OperatorHandle> sameNamedOperator(std::string_view target) {
    constexpr std::string_view prefix = "prims.";
    constexpr std::string_view suffix = ".default";
    if (!target.starts_with(prefix) || !target.ends_with(suffix)) {
        return std::nullopt;
    }
    std::string_view name = target.substr(prefix.size(), target.size() - prefix.size() - suffix.size());
    using Renamed = std::pair<std::string_view, std::string_view>;
    static constexpr Renamed renamed[] = {
        {"transpose", "permute"},
        {"rev", "flip"},
        {"bessel_j0", "special_bessel_j0"},
        {"bessel_j1", "special_bessel_j1"},
        {"erfcx", "special_erfcx"},
        {"ndtri", "special_ndtri"},
        {"shift_left", "bitwise_left_shift"},
        {"shift_right_arithmetic", "bitwise_right_shift"},
        {"not_equal", "ne"},
        {"copy_to", "copy_"},
        {"fft_r2c", "_fft_r2c"},
        {"fft_c2c", "_fft_c2c"},
        {"fft_c2r", "_fft_c2r"},
        {"resize", "resize_"},
        {"svd", "_linalg_svd"},
    };
    if (const auto* other = std::ranges::find(renamed, name, &Renamed::first); other != std::end(renamed)) {
        name = other->second;
    }
    for (const char* overload : {".Tensor", ".self", ".Tensor_Tensor", ".dims", ".default", ".Scalar"}) {
        if (auto op = findOperator("aten." + std::string(name) + overload)) {
            return op;
        }
    }
    return std::nullopt;
}

} // namespace aotscope::torch
