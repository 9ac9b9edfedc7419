#include "decompositions/primitives.h"

#include "base/mapped.h"
#include "decompositions/python_arithmetic.h"

#include <torch/library.h>

namespace aotscope::torch::prims {

namespace {

using Sizes = c10::SymIntArrayRef;

std::vector<std::int64_t> concreteSizes(Sizes sizes) {
    return base::mapped(sizes, [&](const c10::SymInt& size) { return size.guard_int(__FILE__, __LINE__); });
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the dispatcher gives symbolic integers by value.
at::Tensor iotaKernel(c10::SymInt length, c10::SymInt start, c10::SymInt step, c10::ScalarType dtype,
                      c10::Device device, bool /*requiresGrad*/) {
    const c10::SymInt end = start + length * step;
    return at::arange(c10::Scalar(start), c10::Scalar(end), c10::Scalar(step),
                      at::TensorOptions().dtype(dtype).device(device));
}

at::Tensor normalKernel(Sizes sizes, const c10::Scalar& mean, const c10::Scalar& std, c10::ScalarType dtype,
                        c10::Device device, bool /*requiresGrad*/) {
    const at::Tensor drawn = at::randn_symint(sizes, at::TensorOptions().dtype(dtype).device(device));
    return at::add(at::mul(drawn, std), mean);
}

at::Tensor divKernel(const at::Tensor& a, const at::Tensor& b) {
    const bool isWhole = c10::isIntegralType(a.scalar_type(), /*includeBool=*/true);
    return isWhole ? at::div(a, b, "trunc") : at::div(a, b);
}

at::Tensor fmaKernel(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
    return at::add(at::mul(a, b), c);
}

at::Tensor convertKernel(const at::Tensor& a, c10::ScalarType dtype) {
    return a.to(dtype, /*non_blocking=*/false, /*copy=*/true);
}

at::Tensor devicePutKernel(const at::Tensor& a, c10::Device device, bool nonBlocking) {
    return a.to(device, a.scalar_type(), nonBlocking, /*copy=*/true);
}

at::Tensor reversedKernel(const at::Tensor& a, at::IntArrayRef dims) {
    return at::flip(a, dims);
}

at::Tensor copyStridedKernel(const at::Tensor& a, Sizes strides) {
    at::Tensor copy = at::empty_strided_symint(a.sym_sizes(), strides, a.options());
    return copy.copy_(a);
}

// Only for shapes: graphs that run use kernels of the executor.
std::tuple<at::Tensor, at::Tensor> maxPoolShapes(const at::Tensor& self, Sizes kernel, Sizes stride,
                                                 Sizes padding, Sizes dilation, bool ceilMode) {
    const auto pool = kernel.size() == 2 ? at::max_pool2d_with_indices : at::max_pool3d_with_indices;
    auto [values, indices] = pool(self, concreteSizes(kernel), concreteSizes(stride), concreteSizes(padding),
                                  concreteSizes(dilation), ceilMode);
    return {values, at::empty_like(indices, indices.options().dtype(c10::kChar))};
}

at::Tensor maxPoolIndexShapes(const at::Tensor& self, Sizes /*kernel*/, Sizes /*inputSize*/, Sizes /*stride*/,
                              Sizes /*padding*/, Sizes /*dilation*/) {
    return at::empty_like(self, self.options().dtype(c10::kLong));
}

at::Tensor forcedShapes(const at::Tensor& input, Sizes strides) {
    return at::empty_strided_symint(input.sym_sizes(), strides, input.options());
}

/// The operator of this name, which has the signature of its kernel.
template<typename Signature>
c10::TypedOperatorHandle<Signature> primitive(const char* name, Signature* /*kernel*/) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

} // namespace

at::Tensor iota(const c10::SymInt& length, const c10::SymInt& start, const c10::SymInt& step,
                c10::ScalarType dtype, c10::Device device) {
    static const auto op = primitive("prims::iota", iotaKernel);
    return op.call(length, start, step, dtype, device, false);
}

at::Tensor normal(const std::vector<c10::SymInt>& sizes, c10::ScalarType dtype, c10::Device device) {
    static const auto op = primitive("prims::normal", normalKernel);
    return op.call(sizes, 0.0, 1.0, dtype, device, false);
}

at::Tensor div(const at::Tensor& a, const at::Tensor& b) {
    static const auto op = primitive("prims::div", divKernel);
    return op.call(a, b);
}

at::Tensor fma(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
    static const auto op = primitive("prims::fma", fmaKernel);
    return op.call(a, b, c);
}

at::Tensor convertElementType(const at::Tensor& a, c10::ScalarType dtype) {
    static const auto op = primitive("prims::convert_element_type", convertKernel);
    return op.call(a, dtype);
}

at::Tensor devicePut(const at::Tensor& a, c10::Device device, bool nonBlocking) {
    static const auto op = primitive("prims::device_put", devicePutKernel);
    return op.call(a, device, nonBlocking);
}

at::Tensor copyStrided(const at::Tensor& a, const std::vector<c10::SymInt>& strides) {
    static const auto op = primitive("prims::copy_strided", copyStridedKernel);
    return op.call(a, strides);
}

at::Tensor reversed(const at::Tensor& a, const std::vector<std::int64_t>& dims) {
    static const auto op = primitive("prims::rev", reversedKernel);
    return op.call(a, dims);
}

std::tuple<at::Tensor, at::Tensor>
maxPoolWithOffsets(const at::Tensor& self, const std::vector<c10::SymInt>& kernel,
                   const std::vector<c10::SymInt>& stride, const std::vector<c10::SymInt>& padding,
                   const std::vector<c10::SymInt>& dilation, bool ceilMode) {
    static const auto op = primitive("prims::_low_memory_max_pool_with_offsets", maxPoolShapes);
    return op.call(self, kernel, stride, padding, dilation, ceilMode);
}

at::Tensor maxPoolIndices(const at::Tensor& offsets, const std::vector<c10::SymInt>& kernel,
                          const std::vector<c10::SymInt>& inputSize, const std::vector<c10::SymInt>& stride,
                          const std::vector<c10::SymInt>& padding, const std::vector<c10::SymInt>& dilation) {
    static const auto op = primitive("prims::_low_memory_max_pool_offsets_to_indices", maxPoolIndexShapes);
    return op.call(offsets, kernel, inputSize, stride, padding, dilation);
}

at::Tensor forceStrideOrder(const at::Tensor& input, const std::vector<c10::SymInt>& strides) {
    static const auto op = primitive("prims::inductor_force_stride_order", forcedShapes);
    return op.call(input, strides);
}

} // namespace aotscope::torch::prims

TORCH_LIBRARY_FRAGMENT(prims, library) {
    library.def("iota(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool "
                "requires_grad) -> Tensor");
    library.def("normal(SymInt[] shape, *, Scalar mean, Scalar std, ScalarType dtype, Device device, bool "
                "requires_grad) -> Tensor");
    library.def("div(Tensor self, Tensor other) -> Tensor");
    library.def("fma(Tensor a, Tensor b, Tensor c) -> Tensor");
    library.def("convert_element_type(Tensor a, ScalarType dtype) -> Tensor");
    library.def("device_put(Tensor a, Device device, bool non_blocking=False) -> Tensor");
    library.def("copy_strided(Tensor a, SymInt[] stride) -> Tensor");
    library.def("rev(Tensor a, int[] dims) -> Tensor");
    library.def("_low_memory_max_pool_with_offsets(Tensor self, SymInt[] kernel_size, SymInt[] stride, "
                "SymInt[] padding, SymInt[] dilation, bool ceil_mode) -> (Tensor, Tensor)");
    library.def("_low_memory_max_pool_offsets_to_indices(Tensor self, SymInt[] kernel_size, SymInt[] "
                "input_size, SymInt[] stride, SymInt[] padding, SymInt[] dilation) -> Tensor");
    library.def("inductor_force_stride_order(Tensor input, SymInt[] stride) -> Tensor");
}

TORCH_LIBRARY_IMPL(prims, CompositeExplicitAutograd, library) {
    using namespace aotscope::torch::prims;
    library.impl("iota", iotaKernel);
    library.impl("normal", normalKernel);
    library.impl("div", divKernel);
    library.impl("fma", fmaKernel);
    library.impl("convert_element_type", convertKernel);
    library.impl("device_put", devicePutKernel);
    library.impl("copy_strided", copyStridedKernel);
    library.impl("rev", reversedKernel);
}

TORCH_LIBRARY_IMPL(prims, Meta, library) {
    using namespace aotscope::torch::prims;
    library.impl("inductor_force_stride_order", forcedShapes);
    library.impl("_low_memory_max_pool_with_offsets", maxPoolShapes);
    library.impl("_low_memory_max_pool_offsets_to_indices", maxPoolIndexShapes);
}
