#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/Context.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool3d_with_indices.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/zeros.h>

/// Max pooling that keeps the place of each maximum in eight bits.
namespace aotscope::torch::decomposed {

namespace {

std::vector<c10::SymInt> spread(std::vector<c10::SymInt> values, std::size_t dims) {
    if (values.size() == 1) {
        values.resize(dims, values.front());
    }
    return values;
}

/// Applies if offsets within a window fit in eight bits.
Decomposed maxPool(const DecompositionCall& call, std::size_t dims) {
    const at::Tensor self = call.tensor("self");
    const std::vector<c10::SymInt> kernel = spread(call.symInts("kernel_size"), dims);
    std::vector<c10::SymInt> stride = call.symInts("stride");
    stride = stride.empty() ? kernel : spread(stride, dims);
    const std::vector<c10::SymInt> padding = spread(call.symInts("padding"), dims);
    const std::vector<c10::SymInt> dilation = spread(call.symInts("dilation"), dims);
    if (python::product(kernel).guard_int(__FILE__, __LINE__) > 25) {
        return Decomposed::notApplicable();
    }
    const auto [values, offsets] =
        prims::maxPoolWithOffsets(self, kernel, stride, padding, dilation, call.flag("ceil_mode"));
    const std::vector<c10::SymInt> input = python::sizes(self, self.dim() - static_cast<std::int64_t>(dims));
    return {values, prims::maxPoolIndices(offsets, kernel, input, stride, padding, dilation)};
}

std::vector<c10::SymInt> contiguousStrides(c10::SymIntArrayRef sizes) {
    std::vector<c10::SymInt> strides(sizes.size());
    c10::SymInt step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = step;
        step = step * sizes[i].max(1);
    }
    return strides;
}

} // namespace

Decomposed maxPool2d(const DecompositionCall& call) {
    return maxPool(call, 2);
}

Decomposed maxPool3d(const DecompositionCall& call) {
    return maxPool(call, 3);
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
        return prims::forceStrideOrder(tensor, contiguousStrides(tensor.sym_sizes()));
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
    at::Tensor input = at::zeros_symint(
        {planes, inputs},
        at::TensorOptions().dtype(widens ? c10::kFloat : result).device(grad.device()).pinned_memory(false));
    at::Tensor flat = grad.reshape_symint({planes, outputs});
    const at::Tensor places = indices.reshape_symint({planes, outputs});
    flat = widens ? python::convert(flat, c10::kFloat) : flat;
    input = at::scatter_add(input, 1, places, flat).reshape_symint(self.sym_sizes());
    input = widens ? python::convert(input, result) : input;
    input = input.contiguous(python::suggestMemoryFormat(self));
    return isBatched ? input : input.squeeze(0);
}

} // namespace aotscope::torch::decomposed
