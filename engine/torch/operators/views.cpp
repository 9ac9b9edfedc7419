#include "operators/operator_rows.h"

#include "base/mapped.h"
#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/built_view.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"
#include "fake/symbolic_view.h"

#include <ATen/ExpandUtils.h>
#include <ATen/InferSize.h>

#include <algorithm>

/// Views, pieces, joined and rearranged tensors.
namespace aotscope::torch {

namespace {

struct View {
    Sizes sizes;
    Sizes strides;
};

struct PlainNumbers {
    static bool equal(std::int64_t left, std::int64_t right) { return left == right; }
    static bool less(std::int64_t left, std::int64_t right) { return left < right; }
    static bool divides(std::int64_t by, std::int64_t number) { return number % by == 0; }
};

View layoutOfView(const at::Tensor& self, const Sizes& wanted) {
    if (self.numel() == 0) {
        return {wanted, contiguousStrides(wanted)};
    }
    if (self.dim() == 0 || wanted.empty()) {
        return {wanted, Sizes(wanted.size(), 1)};
    }
    const bool flattens = wanted.size() == 1 && self.dim() > 1;
    const bool folds = wanted.size() == 2 && self.dim() == 1;
    if (self.is_contiguous() && (flattens || folds)) {
        return {wanted, contiguousStrides(wanted)};
    }
    View view = {sizesOf(self), self.strides().vec()};
    TORCH_CHECK(buildView(view.sizes, view.strides, wanted, PlainNumbers()),
                "Cannot view a tensor with shape ", self.sizes(), " and strides ", self.strides(),
                " as a tensor with shape ", at::IntArrayRef(wanted), "!");
    return view;
}

ShapeResults viewShape(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const auto wanted = at::infer_size_dv(call.integers("size"), self.numel());
    const View layout = layoutOfView(self, Sizes(wanted.begin(), wanted.end()));
    return {self.as_strided(layout.sizes, layout.strides, self.storage_offset())};
}

ShapeResults expandShape(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes wanted = call.integers("size");
    TORCH_CHECK(wanted.size() >= static_cast<std::size_t>(self.dim()),
                "expand: the requested shape has too few dimensions!");
    SymbolicSizes sizes(wanted.begin(), wanted.end());
    const SymbolicSizes strides = expandedStrides(self, sizes);
    return {self.as_strided_symint(sizes, strides, self.sym_storage_offset())};
}

Decomposed padSequence(const DecompositionCall& call) {
    const bool isLeft = call.text("padding_side") == "left";
    if (isLeft && !call.rules().padsSequencesToTheLeft) {
        return Decomposed::notApplicable();
    }
    const std::vector<at::Tensor> sequences = call.tensors("sequences");
    TORCH_CHECK(!sequences.empty(), "received an empty list of sequences");
    const bool batchFirst = call.flag("batch_first");
    const double value = call.number("padding_value");
    const std::vector<c10::SymInt> trailing = python::sizes(sequences.front(), 1);
    c10::SymInt longest = sequences.front().sym_size(0);
    for (const at::Tensor& sequence : sequences) {
        longest = longest.max(sequence.sym_size(0));
    }
    const c10::SymInt count = static_cast<std::int64_t>(sequences.size());
    std::vector<c10::SymInt> shape =
        batchFirst ? std::vector<c10::SymInt>{count, longest} : std::vector<c10::SymInt>{longest, count};
    shape.insert(shape.end(), trailing.begin(), trailing.end());
    at::Tensor padded = python::newFull(sequences.front(), shape, value);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        std::vector<c10::SymInt> padding(2 * trailing.size(), 0);
        const c10::SymInt missing = longest - sequences[i].sym_size(0);
        padding.push_back(isLeft ? missing : 0);
        padding.push_back(isLeft ? 0 : missing);
        const at::Tensor row = at::constant_pad_nd_symint(sequences[i], padding, value);
        padded = at::select_scatter(padded, row, batchFirst ? 0 : 1, static_cast<std::int64_t>(i));
    }
    return padded;
}

Decomposed broadcastTensors(const DecompositionCall& call) {
    const std::vector<at::Tensor> tensors = call.tensors("tensors");
    std::vector<c10::SymInt> shape;
    for (const at::Tensor& tensor : tensors) {
        const auto common = at::infer_size_symdimvector(shape, tensor.sym_sizes());
        shape.assign(common.begin(), common.end());
    }
    std::vector<at::Tensor> results;
    for (const at::Tensor& tensor : tensors) {
        const c10::SymIntArrayRef sizes = tensor.sym_sizes();
        const bool same =
            sizes.size() == shape.size() &&
            std::equal(sizes.begin(), sizes.end(), shape.begin(), [](const auto& a, const auto& b) {
                return a.sym_eq(b).guard_or_false(__FILE__, __LINE__);
            });
        results.push_back(same ? tensor : tensor.expand_symint(shape));
    }
    return Decomposed::list(std::move(results));
}

Decomposed tensorSplit(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor given = call.tensor("tensor_indices_or_sections");
    const std::int64_t dim = call.integer("dim");
    TORCH_CHECK(given.is_cpu() && given.scalar_type() == c10::kLong,
                "tensor_split takes its indices as an int64 tensor on the CPU, not as ", given.scalar_type(),
                " on ", given.device());
    TORCH_CHECK(given.dim() <= 1,
                "tensor_split takes its indices as a tensor of no or one dimension, not of ", given.dim());
    if (given.dim() == 0) {
        return Decomposed::list(self.tensor_split_symint(given.item().toSymInt(), dim));
    }
    auto indices =
        base::mapped(given.unbind(0), [](const at::Tensor& index) { return index.item().toSymInt(); });
    return Decomposed::list(self.tensor_split_symint(c10::SymIntArrayRef(indices), dim));
}

Decomposed unsafeChunk(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t chunks = call.integer("chunks");
    const std::int64_t dim = call.integer("dim");
    const c10::SymInt size = self.sym_size(dim);
    const c10::SymInt each = (size + chunks - 1) / chunks;
    if (each.sym_eq(0).guard_bool(__FILE__, __LINE__) && size.sym_eq(0).guard_bool(__FILE__, __LINE__)) {
        std::vector<c10::SymInt> sizes(static_cast<std::size_t>(chunks), each);
        sizes.back() = each - (each * chunks - size);
        return Decomposed::list(at::unsafe_split_with_sizes_symint(self, sizes, dim));
    }
    return Decomposed::list(at::unsafe_split_symint(self, each, dim));
}

/// LibTorch's kernel reads no values for Python's fake tensors; ours do not have the keys it looks for, so
/// the same is done here.
Decomposed oneHot(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    c10::SymInt classes = call.symInt("num_classes");
    if (classes.maybe_as_int() == -1) {
        classes = self.max().item().toSymInt() + 1;
    }
    if (call.rules().oneHotChecksItsClasses) {
        at::_assert_async(self.ge(0).all(), "one_hot: Class values must be non-negative.");
        at::_assert_async(self.lt(c10::Scalar(classes)).all(),
                          "one_hot: Class values must be smaller than num_classes.");
        const at::Tensor column = self.unsqueeze(-1);
        const auto options = at::TensorOptions(self.scalar_type()).device(self.device()).pinned_memory(false);
        return at::eq(column, at::arange(c10::Scalar(classes), options)).to(at::kLong);
    }
    const at::Tensor index = at::arange(c10::Scalar(classes), self.options());
    return at::eq(self.unsqueeze(-1), index).to(at::kLong);
}

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
    auto wider = base::mapped(tensors, [&](const at::Tensor& tensor) { return tensor.unsqueeze(dim); });
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

} // namespace

void addViewRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"pad_sequence"}, ForComposite{padSequence});
    rows.add({"broadcast_tensors"}, ForComposite{broadcastTensors});
    rows.add({"tensor_split.tensor_indices_or_sections"}, ForComposite{tensorSplit});
    rows.add({"unsafe_chunk"}, ForComposite{unsafeChunk});
    rows.add({"one_hot"}, ForComposite{oneHot});
    rows.add({"cat"}, symbolic::joined, symbolic::guardJoined, InInductor{decomposed::cat});
    rows.add({"narrow_copy", "permute_copy", "unbind_copy.int"}, InInductor{decomposed::copyOfView});
    rows.add({"view_copy"}, InInductor{[](const DecompositionCall& call) -> Decomposed {
                 return call.tensor("self").view_symint(call.symInts("size")).clone();
             }});
    rows.add({"view_copy.dtype"}, InInductor{[](const DecompositionCall& call) -> Decomposed {
                 return call.tensor("self").clone().view(*call.dtype());
             }});
    rows.add({"flip"}, shapes::like<0>, InInductor{decomposed::flip});
    rows.add({"_chunk_cat"}, chunkCat);
    rows.add({"split.Tensor"}, symbolicSplit, InCore{splitTensor});
    rows.add({"unsafe_split.Tensor"}, [](const DecompositionCall& call) {
        return Decomposed::list(
            call.tensor("self").split_symint(call.symInt("split_size"), call.integer("dim")));
    });
    rows.add({"unsafe_split_with_sizes"}, [](const DecompositionCall& call) {
        return Decomposed::list(at::split_with_sizes_symint(call.tensor("self"), call.symInts("split_sizes"),
                                                            call.integer("dim")));
    });
    rows.add({"unbind.int"}, symbolic::unbound, InCore{unbind});
    rows.add({"stack"}, symbolic::stacked, symbolic::askStacked, stack);
    rows.add({"detach"}, Memory::OfFirst,
             [](const DecompositionCall& call) -> Decomposed { return at::alias(call.tensor("self")); });
    rows.add({"t"}, symbolic::transposedMatrix, decomposed::transposeMatrix);
    rows.add({"transpose.int"}, symbolic::transposed, decomposed::transpose);
    rows.add({"permute"}, symbolic::permuted);
    rows.add({"squeeze", "squeeze.dim"}, symbolic::squeezed, InCore{decomposed::squeeze});
    rows.add({"unsqueeze"}, symbolic::unsqueezed);
    rows.add({"_reshape_alias"}, decomposed::viewed);
    rows.add({"_unsafe_view"}, viewShape, symbolicView, decomposed::viewed);
    rows.add({"diagonal_copy"}, symbolic::diagonalCopy, decomposed::copyOfView);
    rows.add({"alias_copy", "expand_copy", "squeeze_copy", "squeeze_copy.dim", "squeeze_copy.dims", "t_copy",
              "transpose_copy.int", "unsqueeze_copy", "split_with_sizes_copy"},
             decomposed::copyOfView);
    rows.add({"unfold_copy"}, symbolic::unfolded, decomposed::copyOfView);
    rows.add({"tril"}, symbolic::masked,
             [](const DecompositionCall& call) { return decomposed::triangle(call, true); });
    rows.add({"triu"}, symbolic::masked,
             [](const DecompositionCall& call) { return decomposed::triangle(call, false); });
    rows.add({"rot90"}, decomposed::rot90);
    rows.add({"block_diag"}, symbolic::blocks, decomposed::blockDiag);
    rows.add({"diag_embed"}, symbolic::diagonalMatrices, decomposed::diagEmbed);
    rows.add({"expand"}, expandShape, symbolicExpand);
    rows.add({"view"}, viewShape, symbolicView);
    rows.add({"slice.Tensor"}, symbolicSlice);
    rows.add({"select.int"}, symbolicSelect);
    rows.add({"split_with_sizes"}, symbolicSplitWithSizes);
    rows.add({"alias"}, Memory::OfFirst);
    rows.add({"diagonal"}, symbolic::diagonal);
    rows.add({"unfold"}, symbolic::unfoldedView);
    rows.add({"repeat"}, symbolic::repeated);
    rows.add({"view_as_real"}, symbolic::realParts);
    rows.add({"view_as_complex"}, symbolic::complexNumbers);
    rows.add({"view.dtype"}, symbolic::reinterpreted);
}

} // namespace aotscope::torch
