#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/aten_operators.h"
#include "dispatch/release_rules.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"
#include "fake/symbolic_view.h"

#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>

#include <algorithm>

/// Elements and pieces that are selected by indices, masks and data.
namespace aotscope::torch {

namespace {

using Indices = std::vector<at::Tensor>;

/// A copy of the first tensor, with a part written.
ShapeResults scattered(const ShapeCall& call) {
    const at::Tensor self = call.firstTensor();
    if (traceRules().decompositions.scatterClonesOverlapping &&
        at::has_internal_overlap(self) == at::MemOverlap::Yes) {
        return {emptyLike(self)};
    }
    return {newStrided(self, self.sizes(), self.strides())};
}

bool isMask(const at::Tensor& index) {
    return index.scalar_type() == c10::kBool || index.scalar_type() == c10::kByte;
}

/// The indices broadcast against each other; undefined for dimensions without an index.
Indices expandedIndices(const at::Tensor& self, Indices indices) {
    TORCH_CHECK_INDEX(indices.size() <= static_cast<std::size_t>(self.dim()),
                      "too many indices for tensor of dimension ", self.dim(), " (got ", indices.size(), ")");
    Sizes common;
    for (const at::Tensor& index : indices) {
        if (index.defined()) {
            TORCH_CHECK(!isMask(index),
                        "An index is a mask: how many elements it selects depends on its values.");
            common = at::infer_size(common, index.sizes());
        }
    }
    for (at::Tensor& index : indices) {
        if (index.defined()) {
            index = index.expand(common);
        }
    }
    indices.resize(static_cast<std::size_t>(self.dim()));
    return indices;
}

/// Whether the indexed dimensions are adjacent; otherwise the result's new dimensions come first.
bool areNeighbours(const Indices& indices) {
    const auto given = [](const at::Tensor& index) { return index.defined(); };
    const auto first = std::find_if(indices.begin(), indices.end(), given);
    const auto end = std::find_if_not(first, indices.end(), given);
    return std::none_of(end, indices.end(), given);
}

/// `self` and indices with the indexed dimensions moved to the front.
at::Tensor transposedToFront(const at::Tensor& self, Indices& indices) {
    std::vector<std::int64_t> order;
    Indices moved;
    for (const bool indexed : {true, false}) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i].defined() == indexed) {
                order.push_back(static_cast<std::int64_t>(i));
                moved.push_back(indices[i]);
            }
        }
    }
    indices = std::move(moved);
    return self.permute(order);
}

/// A tensor with the result's dimensions, in which those of the indices have stride 0. The result has the
/// order of its dimensions.
at::Tensor restridedSource(const at::Tensor& self, const Indices& indices) {
    Sizes sizes;
    Sizes strides;
    bool inserted = false;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto dim = static_cast<std::int64_t>(i);
        if (!indices[i].defined()) {
            sizes.push_back(self.size(dim));
            strides.push_back(self.stride(dim));
        } else if (!inserted) {
            inserted = true;
            sizes.insert(sizes.end(), indices[i].sizes().begin(), indices[i].sizes().end());
            strides.resize(sizes.size(), 0);
        }
    }
    return newStrided(self, sizes, strides);
}

/// What the indices broadcast to: where a size is 1, that of the others.
SymbolicSizes commonSizes(const Indices& indices) {
    SymbolicSizes common;
    for (const at::Tensor& index : indices) {
        if (!index.defined()) {
            continue;
        }
        const auto sizes = index.sym_sizes();
        if (sizes.size() > common.size()) {
            common.insert(common.begin(), sizes.size() - common.size(), c10::SymInt(1));
        }
        for (std::size_t back = 1; back <= sizes.size(); ++back) {
            c10::SymInt& size = common[common.size() - back];
            size = isOne(size) ? sizes[sizes.size() - back] : size;
        }
    }
    return common;
}

/// The sizes of the indices in place of the indexed dimensions, or in front if these are no neighbours.
/// Follows torch 2.15, torch/_meta_registrations.py: meta_index_Tensor.
SymbolicShape indexed(const FakeCall& call, std::size_t /*result*/) {
    Indices indices;
    for (const auto& index : call["indices"].to<std::vector<std::optional<at::Tensor>>>()) {
        indices.push_back(index.value_or(at::Tensor()));
    }
    const auto isGiven = [](const at::Tensor& index) { return index.defined(); };
    const bool needsData = std::ranges::any_of(
        indices, [](const at::Tensor& index) { return index.defined() && isMask(index); });
    const SymbolicSizes self = call.sizes();
    if (needsData || indices.size() > self.size()) {
        return {};
    }
    const SymbolicSizes common = commonSizes(indices);
    const auto first = std::ranges::find_if(indices, isGiven) - indices.begin();
    const std::size_t place = areNeighbours(indices) ? static_cast<std::size_t>(first) : 0;
    SymbolicSizes sizes;
    for (std::size_t dim = 0; dim < self.size(); ++dim) {
        if (dim >= indices.size() || !indices[dim].defined()) {
            sizes.push_back(self[dim]);
        }
    }
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(std::min(place, sizes.size())), common.begin(),
                 common.end());
    return {std::move(sizes), {}, {}};
}

constexpr std::int64_t modeSum = 0;
constexpr std::int64_t modeMax = 2;

/// Whether the CPU kernel works without a list of the bag that each index belongs to.
bool sumsFast(const ShapeCall& call, const at::Tensor& weight) {
    const at::Tensor scale = call.tensor("per_sample_weights");
    return (weight.scalar_type() == c10::kFloat || weight.scalar_type() == c10::kHalf) &&
           weight.stride(1) == 1 && call.integer("padding_idx") < 0 &&
           (!scale.defined() || scale.stride(0) == 1);
}

template<bool forwardOnly>
ShapeResults embeddingBag(const ShapeCall& call) {
    const at::Tensor weight = call.tensor("weight");
    const at::Tensor indices = call.tensor("indices");
    const at::Tensor offsets = call.tensor("offsets");
    const std::int64_t mode = call.integer("mode");
    const std::int64_t bags = offsets.size(0) - (call.flag("include_last_offset") ? 1 : 0);
    const at::Tensor output = newEmpty(weight, {bags, weight.size(1)});
    if (fakingCuda()) {
        return {output, newEmpty(indices, {indices.size(0)}), newEmpty(indices, offsets.sizes()),
                mode == modeMax ? newEmpty(indices, {bags, weight.size(1)}) : newEmpty(indices, {0})};
    }
    const bool listed = mode != modeSum || !sumsFast(call, weight);
    return {output, newEmpty(offsets, {listed ? indices.size(0) : 0}),
            forwardOnly ? emptyContiguous(offsets) : newEmpty(offsets, {bags}),
            mode == modeMax ? newEmpty(offsets, {bags, weight.size(1)}) : newEmpty(offsets, {bags})};
}

ShapeResults indexTensor(const ShapeCall& call) {
    at::Tensor self = call.tensor("self");
    Indices indices = expandedIndices(self, call.tensors("indices"));
    if (!areNeighbours(indices)) {
        self = transposedToFront(self, indices);
    }
    const at::Tensor source = restridedSource(self, indices);
    if (self.numel() == 0) {
        return {newEmpty(self, source.sizes())};
    }
    const Sizes order = outermostFirst(source);
    return {newPermuted(self, source.sizes(), order)};
}

ShapeResults indexSelect(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    Sizes sizes = sizesOf(self);
    if (self.dim() > 0) {
        sizes[static_cast<std::size_t>(c10::maybe_wrap_dim(call.integer("dim"), self.dim()))] =
            call.tensor("index").numel();
    }
    return {newEmpty(self, sizes)};
}

ShapeResults roll(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {self.numel() == 0 ? self.clone() : emptyContiguous(self)};
}

/// Where values would be inserted; `self` may be a number.
ShapeResults insertionPoints(const ShapeCall& call) {
    const c10::ScalarType type = call.flag("out_int32") ? c10::kInt : c10::kLong;
    const c10::IValue& self = call.value("self");
    return {self.isTensor() ? emptyContiguous(self.toTensor(), type)
                            : newEmpty(call.firstTensor(), {}, type)};
}

/// The gradient of one element, slice or window among zeros; its shape does not depend on the position.
ShapeResults amongZeros(const ShapeCall& call) {
    return {newEmpty(call.firstTensor(), call.integers("input_sizes"))};
}

ShapeResults likeIndex(const ShapeCall& call) {
    return {newEmpty(call.tensor("self"), call.tensor("index").sizes())};
}

ShapeResults embeddingDenseBackward(const ShapeCall& call) {
    const at::Tensor gradOutput = call.tensor("grad_output");
    return {newEmpty(gradOutput, {call.integer("num_weights"), gradOutput.size(-1)})};
}

ShapeResults embeddingBagDenseBackward(const ShapeCall& call) {
    const at::Tensor grad = call.tensor("grad");
    TORCH_CHECK(!call.schema().argumentIndexWithName("sparse") || !call.flag("sparse"),
                "Sparse gradients of embedding bags are not supported on fake tensors here.");
    return {newEmpty(grad, {call.integer("num_weights"), grad.size(1)})};
}

ShapeResults nonzeroStatic(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t size = call.integer("size");
    if (fakingCuda()) {
        return {newStrided(self, {size, self.dim()}, {1, size}, c10::kLong)};
    }
    return {newEmpty(self, {size, self.dim()}, c10::kLong)};
}

ShapeResults repeatInterleave(const ShapeCall& call) {
    TORCH_CHECK(call.has("output_size"), "cannot repeat_interleave a meta tensor without output_size");
    return {newEmpty(call.tensor("repeats"), {call.integer("output_size")})};
}

/// Rows of one jagged dimension, padded to a common length.
ShapeResults jaggedToPadded(const ShapeCall& call) {
    const at::Tensor values = call.tensor("values");
    const std::vector<at::Tensor> offsets = call.tensors("offsets");
    TORCH_CHECK(offsets.size() == 1, "Only one jagged dim is supported, got ", offsets.size(), " offsets");
    Sizes sizes = {offsets[0].size(0) - 1, call.integers("max_lengths").at(0)};
    const auto rest = values.sizes().slice(1);
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return {newEmpty(values, sizes)};
}

ShapeResults paddedToJagged(const ShapeCall& call) {
    const at::Tensor dense = call.tensor("dense");
    TORCH_CHECK(call.has("total_L"), "The length of jagged values depends on their offsets' values.");
    Sizes sizes = {call.integer("total_L")};
    const auto rest = dense.sizes().slice(2);
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return {newEmpty(dense, sizes)};
}

} // namespace

void addIndexingRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"_unsafe_index.Tensor"}, indexTensor, indexed,
             InCore{[](const DecompositionCall& call) -> Decomposed {
                 return at::index(call.tensor("self"), call.indices("indices"));
             }});
    rows.add({"_unsafe_index_put"}, shapes::like<0>, decomposed::unsafeIndexPut);
    rows.add({"_unsafe_masked_index"}, InCore{decomposed::unsafeMaskedIndex});
    rows.add({"_unsafe_masked_index_put_accumulate"}, InCore{decomposed::unsafeMaskedIndexPut});
    rows.add({"embedding_dense_backward"}, embeddingDenseBackward, decomposed::embeddingDenseBackward);
    rows.add({"masked_fill.Scalar", "masked_fill.Tensor"}, shapes::maskedFill, decomposed::maskedFill);
    rows.add({"index_add"}, symbolic::asArgument<0>, OperatorTrait::AcceptsMoreThanAten,
             InCore{decomposed::indexAdd}, InInductor{decomposed::indexAddUnlessBfloat16});
    rows.add({"index_copy"}, decomposed::indexCopy);
    rows.add({"index_fill.int_Scalar", "index_fill.int_Tensor"}, decomposed::indexFill);
    rows.add({"index_select"}, indexSelect, symbolic::selected, InInductor{decomposed::indexSelect});
    rows.add({"select_backward"}, amongZeros, decomposed::selectBackward);
    rows.add({"select_scatter"}, scattered, symbolic::copyOfFirst, symbolicSelectScatter,
             InCore{decomposed::selectScatter});
    rows.add({"slice_backward"}, amongZeros, decomposed::sliceBackward);
    rows.add({"diagonal_backward"}, symbolic::askDiagonal, decomposed::diagonalBackward);
    rows.add({"unfold_backward"}, amongZeros, decomposed::unfoldBackward);
    rows.add({"take"}, likeIndex, decomposed::take);
    rows.add({"roll"}, roll, decomposed::roll);
    rows.add({"put"}, InInductor{decomposed::put});
    rows.add({"index_reduce"}, InInductor{decomposed::indexReduce});
    rows.add({"masked_scatter"}, InInductor{decomposed::maskedScatter});
    rows.add({"repeat_interleave.Tensor"}, repeatInterleave, symbolic::repeatInterleave,
             InInductor{decomposed::repeatInterleave});
    rows.add({"isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor"}, decomposed::isIn);
    rows.add({"searchsorted.Scalar"}, insertionPoints, InInductor{decomposed::searchSortedNumber});
    rows.add({"bucketize.Scalar"}, insertionPoints, InInductor{decomposed::bucketizeNumber});
    rows.add({"masked_scatter_backward"}, shapes::maskedScatterBackward);
    rows.add({"index.Tensor"}, indexTensor, indexed, Memory::New);
    rows.add({"index_put"}, shapes::like<0>);
    rows.add({"_embedding_bag"}, embeddingBag<false>, symbolic::bags);
    rows.add({"_embedding_bag_forward_only"}, embeddingBag<true>, symbolic::bags);
    rows.add({"_embedding_bag_dense_backward", "_embedding_bag_backward"}, embeddingBagDenseBackward);
    rows.add({"_embedding_bag_per_sample_weights_backward"}, [](const ShapeCall& call) -> ShapeResults {
        return {newEmpty(call.tensor("grad"), {call.tensor("indices").size(0)})};
    });
    rows.add({"nonzero_static"}, nonzeroStatic);
    rows.add({"_jagged_to_padded_dense_forward"}, jaggedToPadded);
    rows.add({"_padded_dense_to_jagged_forward"}, paddedToJagged);
    rows.add({"bucketize.Tensor", "searchsorted.Tensor"}, insertionPoints);
    rows.add({"nonzero"}, symbolic::nonzero);
    rows.add({"_local_scalar_dense"}, symbolic::item);
    rows.add({"masked_select"}, symbolic::maskedSelect);
    rows.add({"bincount"}, symbolic::bincount);
    rows.add({"_unique2", "unique_dim"}, symbolic::unique);
    rows.add({"unique_consecutive"}, symbolic::uniqueConsecutive);
    rows.add({"slice_scatter", "diagonal_scatter"}, scattered, symbolic::copyOfFirst);
    rows.add({"gather"}, symbolic::asArgument<2>, Memory::New);
    rows.add({"embedding"}, symbolic::embedded);
}

} // namespace aotscope::torch
