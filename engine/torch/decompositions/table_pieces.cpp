#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/tensor_split.h>
#include <ATen/ops/unbind.h>

#include <algorithm>

/// Tensors split along a dimension, and joined.
namespace aotscope::torch::decomposed {

namespace {

Decomposed copiedList(const std::vector<at::Tensor>& views) {
    std::vector<at::Tensor> copies;
    copies.reserve(views.size());
    for (const at::Tensor& view : views) {
        copies.push_back(view.clone(c10::MemoryFormat::Contiguous));
    }
    return Decomposed::list(std::move(copies));
}

} // namespace

Decomposed splitTensor(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = call.integer("dim");
    const c10::SymInt each = call.symInt("split_size");
    const c10::SymInt size = self.sym_size(dim);
    if (each == 0) {
        TORCH_CHECK(size == 0, "split_size is 0 but the dimension has ", size, " elements");
        return Decomposed::list({self.detach()});
    }
    const std::int64_t chunks = ((size + each - 1) / each).guard_int(__FILE__, __LINE__);
    std::vector<c10::SymInt> sizes(static_cast<std::size_t>(chunks), each);
    if (!sizes.empty()) {
        sizes.back() = each - (each * chunks - size);
    }
    return Decomposed::list(at::split_with_sizes_symint(self, sizes, dim));
}

Decomposed unsafeSplit(const DecompositionCall& call) {
    return Decomposed::list(call.tensor("self").split_symint(call.symInt("split_size"), call.integer("dim")));
}

Decomposed unsafeSplitWithSizes(const DecompositionCall& call) {
    return Decomposed::list(
        at::split_with_sizes_symint(call.tensor("self"), call.symInts("split_sizes"), call.integer("dim")));
}

Decomposed splitWithSizesCopy(const DecompositionCall& call) {
    return copiedList(
        at::split_with_sizes_symint(call.tensor("self"), call.symInts("split_sizes"), call.integer("dim")));
}

Decomposed unbindCopy(const DecompositionCall& call) {
    return copiedList(at::unbind(call.tensor("self"), call.integer("dim")));
}

Decomposed unbind(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), self.dim());
    const std::int64_t size = self.sym_size(dim).guard_int(__FILE__, __LINE__);
    std::vector<at::Tensor> results;
    if (size != 0) {
        for (const at::Tensor& part : at::tensor_split(self, size, dim)) {
            results.push_back(at::squeeze(part, dim));
        }
    }
    return Decomposed::list(std::move(results));
}

Decomposed stack(const DecompositionCall& call) {
    const std::vector<at::Tensor> tensors = call.tensors("tensors");
    TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
    const std::int64_t rank = tensors.front().dim();
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), rank + 1);
    if (dim < rank) {
        std::vector<c10::SymInt> shape = python::sizes(tensors.front());
        shape.insert(shape.begin() + dim, static_cast<std::int64_t>(tensors.size()));
        return at::cat(tensors, dim).view_symint(shape);
    }
    std::vector<at::Tensor> wider;
    wider.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors) {
        wider.push_back(tensor.unsqueeze(dim));
    }
    return at::cat(wider, call.integer("dim"));
}

/// Pads each tensor, splits it into `num_chunks` chunks of equal length, and joins the chunks of all tensors.
Decomposed chunkCat(const DecompositionCall& call) {
    const std::vector<at::Tensor> tensors = call.tensors("tensors");
    const std::int64_t chunks = call.integer("num_chunks");
    TORCH_CHECK(chunks >= 1, "_chunk_cat expects positive num_chunks");
    TORCH_CHECK(!tensors.empty(), "_chunk_cat expects a non-empty input tensor list");
    const std::int64_t rank = tensors.front().dim();
    const bool alike = std::all_of(tensors.begin(), tensors.end(),
                                   [&](const at::Tensor& tensor) { return tensor.dim() == rank; });
    const std::int64_t dim = alike ? c10::maybe_wrap_dim(call.integer("dim"), rank) : call.integer("dim");
    std::vector<at::Tensor> pieces;
    for (at::Tensor tensor : tensors) {
        const c10::SymInt size = tensor.sym_size(dim);
        const c10::SymInt filled = (size + chunks - 1) / chunks * chunks;
        if (filled != size) {
            std::vector<c10::SymInt> pads(2 * static_cast<std::size_t>(tensor.dim() - dim), 0);
            pads.back() = filled - size;
            tensor = at::constant_pad_nd_symint(tensor, pads, 0);
        }
        std::vector<c10::SymInt> shape = python::sizes(tensor);
        shape.resize(static_cast<std::size_t>(dim));
        shape.emplace_back(chunks);
        shape.emplace_back(-1);
        pieces.push_back(tensor.reshape_symint(shape));
    }
    return at::cat(pieces, dim + 1);
}

} // namespace aotscope::torch::decomposed
