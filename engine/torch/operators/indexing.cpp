#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"
#include "fake/symbolic_slice.h"

/// Elements and pieces that are selected by indices, masks and data.
namespace aotscope::torch {

void addIndexingRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"_unsafe_index.Tensor"}, shapes::indexTensor, symbolic::indexed,
             InCore{decomposed::unsafeIndex});
    rows.add({"_unsafe_index_put"}, shapes::likeSelf, decomposed::unsafeIndexPut);
    rows.add({"_unsafe_masked_index"}, InCore{decomposed::unsafeMaskedIndex});
    rows.add({"_unsafe_masked_index_put_accumulate"}, InCore{decomposed::unsafeMaskedIndexPut});
    rows.add({"embedding_dense_backward"}, shapes::embeddingDenseBackward,
             decomposed::embeddingDenseBackward);
    rows.add({"masked_fill.Scalar", "masked_fill.Tensor"}, shapes::maskedFill, decomposed::maskedFill);
    rows.add({"index_add"}, symbolic::asFirst, OperatorTrait::AcceptsMoreThanAten,
             InCore{decomposed::indexAdd}, InInductor{decomposed::indexAddUnlessBfloat16});
    rows.add({"index_copy"}, decomposed::indexCopy);
    rows.add({"index_fill.int_Scalar", "index_fill.int_Tensor"}, decomposed::indexFill);
    rows.add({"index_select"}, shapes::indexSelect, symbolic::selected, InInductor{decomposed::indexSelect});
    rows.add({"select_backward"}, shapes::amongZeros, decomposed::selectBackward);
    rows.add({"select_scatter"}, symbolic::copyOfFirst, symbolicSelectScatter,
             InCore{decomposed::selectScatter});
    rows.add({"slice_backward"}, shapes::amongZeros, decomposed::sliceBackward);
    rows.add({"diagonal_backward"}, symbolic::askDiagonal, decomposed::diagonalBackward);
    rows.add({"unfold_backward"}, shapes::unfoldBackward, decomposed::unfoldBackward);
    rows.add({"take"}, shapes::likeIndex, decomposed::take);
    rows.add({"roll"}, shapes::roll, decomposed::roll);
    rows.add({"put"}, InInductor{decomposed::put});
    rows.add({"index_reduce"}, InInductor{decomposed::indexReduce});
    rows.add({"masked_scatter"}, InInductor{decomposed::maskedScatter});
    rows.add({"repeat_interleave.Tensor"}, shapes::repeatInterleave, symbolic::repeatInterleave,
             InInductor{decomposed::repeatInterleave});
    rows.add({"isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor"}, decomposed::isIn);
    rows.add({"searchsorted.Scalar"}, shapes::insertionPoints, InInductor{decomposed::searchSortedNumber});
    rows.add({"bucketize.Scalar"}, shapes::insertionPoints, InInductor{decomposed::bucketizeNumber});
    rows.add({"masked_scatter_backward"}, shapes::maskedScatterBackward);
    rows.add({"index.Tensor"}, shapes::indexTensor, symbolic::indexed, Memory::New);
    rows.add({"index_put"}, shapes::likeSelf);
    rows.add({"_embedding_bag"}, shapes::embeddingBag, symbolic::bags);
    rows.add({"_embedding_bag_forward_only"}, shapes::embeddingBagForwardOnly, symbolic::bags);
    rows.add({"_embedding_bag_dense_backward", "_embedding_bag_backward"}, shapes::embeddingBagDenseBackward);
    rows.add({"_embedding_bag_per_sample_weights_backward"}, shapes::embeddingBagWeightsBackward);
    rows.add({"nonzero_static"}, shapes::nonzeroStatic);
    rows.add({"_jagged_to_padded_dense_forward"}, shapes::jaggedToPadded);
    rows.add({"_padded_dense_to_jagged_forward"}, shapes::paddedToJagged);
    rows.add({"bucketize.Tensor", "searchsorted.Tensor"}, shapes::insertionPoints);
    rows.add({"nonzero"}, symbolic::nonzero);
    rows.add({"_local_scalar_dense"}, symbolic::item);
    rows.add({"masked_select"}, symbolic::maskedSelect);
    rows.add({"bincount"}, symbolic::bincount);
    rows.add({"_unique2"}, symbolic::unique);
    rows.add({"unique_dim"}, symbolic::uniqueSlices);
    rows.add({"unique_consecutive"}, symbolic::uniqueConsecutive);
    rows.add({"slice_scatter", "diagonal_scatter"}, symbolic::copyOfFirst);
    rows.add({"gather"}, symbolic::gathered, Memory::New);
    rows.add({"embedding"}, symbolic::embedded);
}

} // namespace aotscope::torch
