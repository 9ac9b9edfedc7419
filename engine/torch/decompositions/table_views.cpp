#include "base/mapped.h"
#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <numeric>
#include <string_view>

/// Views, copies of views, and padding.
namespace aotscope::torch::decomposed {

namespace {

at::Tensor copied(const at::Tensor& tensor) {
    return tensor.clone(c10::MemoryFormat::Contiguous);
}

/// Pads by reading from computed positions along each padded dimension.
template<typename Positions>
Decomposed padded(const DecompositionCall& call, Positions&& positions) {
    at::Tensor a = call.tensor("self");
    const std::vector<c10::SymInt> padding = call.symInts("padding");
    const python::Opmath cast{&a};
    const std::size_t dims = padding.size() / 2;
    const std::int64_t first = a.dim() - static_cast<std::int64_t>(dims);
    at::Tensor result = a;
    for (std::size_t i = 0; i < dims; ++i) {
        const std::int64_t dim = first + static_cast<std::int64_t>(i);
        const c10::SymInt& left = padding[2 * (dims - 1 - i)];
        const c10::SymInt& right = padding[2 * (dims - 1 - i) + 1];
        const c10::SymInt middle = a.sym_size(dim);
        python::Indices indices =
            python::indexAt(dim, positions(python::arange(-left, middle + right, a), middle));
        indices.resize(static_cast<std::size_t>(result.dim()), std::nullopt);
        result = at::_unsafe_index(result, indices);
    }
    if (!call.rules().decompositions.paddingTakesFormatOfInput) {
        return cast.back(result.contiguous(python::suggestMemoryFormat(result)));
    }
    const bool isFormatted = !a.is_cuda() && !a.is_xpu() && !a.is_mps();
    return cast.back(
        result.contiguous(isFormatted ? python::suggestMemoryFormat(a) : c10::MemoryFormat::Contiguous));
}

/// The last three dimensions split, permuted and joined again.
at::Tensor rearranged(const at::Tensor& self, const std::vector<c10::SymInt>& split,
                      const std::vector<std::int64_t>& permuted, const std::vector<c10::SymInt>& joined) {
    const std::int64_t n = self.dim() - 3;
    std::vector<c10::SymInt> splitSizes(self.sym_sizes().begin(), self.sym_sizes().begin() + n);
    std::vector<c10::SymInt> shape = splitSizes;
    splitSizes.insert(splitSizes.end(), split.begin(), split.end());
    shape.insert(shape.end(), joined.begin(), joined.end());
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (const std::int64_t dim : permuted) {
        order.push_back(n + dim);
    }
    const at::Tensor moved = self.view_symint(splitSizes).permute(order).reshape_symint(shape);
    return moved.clone(python::suggestMemoryFormat(self));
}

} // namespace

Decomposed transposeMatrix(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D");
    return at::transpose(self, 0, self.dim() < 2 ? 0 : 1);
}

Decomposed transpose(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t given0 = call.integer("dim0");
    const std::int64_t given1 = call.integer("dim1");
    if (self.dim() <= 1 || given0 == given1) {
        return at::alias(self);
    }
    std::vector<std::int64_t> order(static_cast<std::size_t>(self.dim()));
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<std::size_t>(c10::maybe_wrap_dim(given0, self.dim()))],
              order[static_cast<std::size_t>(c10::maybe_wrap_dim(given1, self.dim()))]);
    return at::permute(self, order);
}

Decomposed squeeze(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    std::vector<std::int64_t> dims;
    if (call.schema().overload_name() == "dim") {
        dims.push_back(call.integer("dim"));
    } else {
        dims.resize(static_cast<std::size_t>(self.dim()));
        std::iota(dims.begin(), dims.end(), 0);
    }
    return at::squeeze(self, dims);
}

Decomposed viewed(const DecompositionCall& call) {
    return call.tensor("self").view_symint(call.symInts("size"));
}

/// `…_copy`: the view's result in separate memory.
Decomposed copyOfView(const DecompositionCall& call) {
    c10::OperatorName name = call.schema().operator_name();
    name.name.resize(name.name.size() - std::string_view("_copy").size());
    c10::Stack stack = call.arguments().vec();
    c10::Dispatcher::singleton()
        .findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str())
        .callBoxed(stack);
    if (stack.front().isTensor()) {
        return copied(stack.front().toTensor());
    }
    return Decomposed::list(base::mapped(stack.front().toTensorVector(), copied));
}

Decomposed triangle(const DecompositionCall& call, bool lower) {
    const at::Tensor a = call.tensor("self");
    TORCH_CHECK(a.dim() >= 2, "tril and triu take tensors of at least 2 dimensions, not of ", a.dim());
    const at::Tensor columns = python::arange(a.sym_size(-1), a).unsqueeze(-2);
    const at::Tensor rows = python::arange(a.sym_size(-2), a).unsqueeze(-1);
    const at::Tensor distance = columns - rows;
    const c10::Scalar diagonal(call.symInt("diagonal"));
    const at::Tensor mask = lower ? distance.le(diagonal) : distance.ge(diagonal);
    const bool logical = a.scalar_type() == c10::kBool;
    return (logical ? mask.logical_and(a) : at::where(mask, a, 0)).contiguous();
}

Decomposed rot90(const DecompositionCall& call) {
    const at::Tensor a = call.tensor("self");
    std::vector<std::int64_t> dims = call.integers("dims");
    TORCH_CHECK(dims.size() == 2 && a.dim() >= 2,
                "rot90 turns a tensor of at least 2 dimensions in 2 of them");
    dims = python::wrapped(std::move(dims), a);
    switch (((call.integer("k") % 4) + 4) % 4) {
    case 1:
        return at::transpose(at::flip(a, at::IntArrayRef{dims[1]}), dims[0], dims[1]);
    case 2:
        return at::flip(a, dims);
    case 3:
        return at::transpose(at::flip(a, at::IntArrayRef{dims[0]}), dims[0], dims[1]);
    default:
        return a.clone(c10::MemoryFormat::Contiguous);
    }
}

/// Each block of `upscale_factor` squared channels becomes pixels.
Decomposed pixelShuffle(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t r = call.integer("upscale_factor");
    const c10::SymInt channels = self.sym_size(-3) / (r * r);
    const c10::SymInt height = self.sym_size(-2);
    const c10::SymInt width = self.sym_size(-1);
    return rearranged(self, {channels, r, r, height, width}, {0, 3, 1, 4, 2},
                      {channels, height * r, width * r});
}

Decomposed pixelUnshuffle(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t r = call.integer("downscale_factor");
    const c10::SymInt channels = self.sym_size(-3);
    const c10::SymInt height = self.sym_size(-2) / r;
    const c10::SymInt width = self.sym_size(-1) / r;
    return rearranged(self, {channels, height, r, width, r}, {0, 2, 4, 1, 3},
                      {channels * (r * r), height, width});
}

Decomposed channelShuffle(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::SymInt groups = call.symInt("groups");
    TORCH_CHECK(self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got ", self.dim());
    std::vector<c10::SymInt> split = python::sizes(self, 2);
    split.insert(split.begin(), {self.sym_size(0), groups, self.sym_size(1) / groups});
    return self.reshape_symint(split).transpose(1, 2).reshape_symint(self.sym_sizes()).contiguous();
}

Decomposed blockDiag(const DecompositionCall& call) {
    std::vector<at::Tensor> matrices;
    c10::SymInt width = 0;
    for (const at::Tensor& tensor : call.tensors("tensors")) {
        matrices.push_back(tensor.dim() <= 1 ? tensor.view({1, -1}) : tensor);
        width = width + matrices.back().sym_size(1);
    }
    std::vector<at::Tensor> rows;
    c10::SymInt start = 0;
    for (const at::Tensor& matrix : matrices) {
        const at::TensorOptions options = python::optionsOf(matrix);
        const c10::SymInt height = matrix.sym_size(0);
        const at::Tensor left = at::zeros_symint({height, start}, options);
        const at::Tensor right = at::zeros_symint({height, width - start - matrix.sym_size(1)}, options);
        rows.push_back(at::cat({left, matrix, right}, 1));
        start = start + matrix.sym_size(1);
    }
    return at::cat(rows, 0);
}

Decomposed diagEmbed(const DecompositionCall& call) {
    at::Tensor t = call.tensor("self");
    std::int64_t offset = call.integer("offset");
    std::int64_t dim1 = c10::maybe_wrap_dim(call.integer("dim1"), t.dim() + 1);
    std::int64_t dim2 = c10::maybe_wrap_dim(call.integer("dim2"), t.dim() + 1);
    if (dim1 > dim2) {
        std::swap(dim1, dim2);
        offset = -offset;
    }
    c10::SymInt last = t.sym_size(-1);
    if (offset != 0) {
        const std::int64_t shift = std::abs(offset);
        std::vector<c10::SymInt> shape = python::sizes(t);
        shape.back() = shift;
        const at::Tensor zeros = at::zeros_symint(shape, python::optionsOf(t));
        t = offset > 0 ? at::cat({zeros, t}, -1) : at::cat({t, zeros}, -1);
        last = last + shift;
    }
    t = t.unsqueeze(dim1).movedim(-1, dim2);
    const at::Tensor columns = python::arange(last, t, c10::kLong);
    const at::Tensor rows = python::arange(offset, last + offset, t, c10::kLong);
    const at::Tensor equal = columns.eq(rows.unsqueeze(-1));
    std::vector<c10::SymInt> shape(static_cast<std::size_t>(t.dim()), 1);
    shape[static_cast<std::size_t>(dim1)] = last;
    shape[static_cast<std::size_t>(dim2)] = last;
    const at::Tensor condition = equal.reshape_symint(shape);
    const bool logical = t.scalar_type() == c10::kBool;
    return (logical ? condition.logical_and(t) : at::where(condition, t, 0)).contiguous();
}

Decomposed reflectionPad(const DecompositionCall& call) {
    return padded(call, [](const at::Tensor& index, const c10::SymInt& middle) {
        const c10::Scalar last(middle - 1);
        const c10::Scalar sameLast(middle - 1);
        return last - (sameLast - index.abs()).abs();
    });
}

Decomposed replicationPad(const DecompositionCall& call) {
    return padded(call, [](const at::Tensor& index, const c10::SymInt& middle) {
        return at::clamp(index, 0, c10::Scalar(middle - 1));
    });
}

} // namespace aotscope::torch::decomposed
