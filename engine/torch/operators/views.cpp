#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"
#include "fake/symbolic_slice.h"
#include "fake/symbolic_view.h"

/// Views, pieces, joined and rearranged tensors.
namespace aotscope::torch {

void addViewRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"pad_sequence"}, ForComposite{decomposed::padSequence});
    rows.add({"broadcast_tensors"}, ForComposite{decomposed::broadcastTensors});
    rows.add({"tensor_split.tensor_indices_or_sections"}, ForComposite{decomposed::tensorSplit});
    rows.add({"unsafe_chunk"}, ForComposite{decomposed::unsafeChunk});
    rows.add({"one_hot"}, ForComposite{decomposed::oneHot});
    rows.add({"cat"}, symbolic::joined, symbolic::guardJoined, InInductor{decomposed::cat});
    rows.add({"narrow_copy"}, InInductor{decomposed::narrowCopy});
    rows.add({"view_copy"}, InInductor{decomposed::viewCopy});
    rows.add({"view_copy.dtype"}, InInductor{decomposed::viewCopyType});
    rows.add({"flip"}, shapes::flip, InInductor{decomposed::flip});
    rows.add({"_chunk_cat"}, decomposed::chunkCat);
    rows.add({"split.Tensor"}, symbolicSplit, InCore{decomposed::splitTensor});
    rows.add({"unsafe_split.Tensor"}, decomposed::unsafeSplit);
    rows.add({"unsafe_split_with_sizes"}, decomposed::unsafeSplitWithSizes);
    rows.add({"split_with_sizes_copy"}, decomposed::splitWithSizesCopy);
    rows.add({"unbind.int"}, symbolic::unbound, InCore{decomposed::unbind});
    rows.add({"unbind_copy.int"}, InInductor{decomposed::unbindCopy});
    rows.add({"stack"}, symbolic::stacked, symbolic::askStacked, decomposed::stack);
    rows.add({"detach"}, Memory::OfFirst, decomposed::aliased);
    rows.add({"t"}, decomposed::transposeMatrix);
    rows.add({"transpose.int"}, decomposed::transpose);
    rows.add({"squeeze", "squeeze.dim"}, InCore{decomposed::squeeze});
    rows.add({"_reshape_alias"}, decomposed::viewed);
    rows.add({"_unsafe_view"}, shapes::view, symbolicView, decomposed::viewed);
    rows.add({"alias_copy"}, decomposed::aliasCopy);
    rows.add({"expand_copy"}, decomposed::expandCopy);
    rows.add({"diagonal_copy"}, symbolic::diagonalCopy, decomposed::diagonalCopy);
    rows.add({"squeeze_copy", "squeeze_copy.dim", "squeeze_copy.dims"}, decomposed::squeezeCopy);
    rows.add({"t_copy"}, decomposed::transposeMatrixCopy);
    rows.add({"transpose_copy.int"}, decomposed::transposeCopy);
    rows.add({"permute_copy"}, InInductor{decomposed::permuteCopy});
    rows.add({"unsqueeze_copy"}, decomposed::unsqueezeCopy);
    rows.add({"unfold_copy"}, symbolic::unfolded, decomposed::unfoldCopy);
    rows.add({"tril"}, symbolic::masked, decomposed::tril);
    rows.add({"triu"}, symbolic::masked, decomposed::triu);
    rows.add({"rot90"}, decomposed::rot90);
    rows.add({"block_diag"}, symbolic::blocks, decomposed::blockDiag);
    rows.add({"diag_embed"}, symbolic::diagonalMatrices, decomposed::diagEmbed);
    rows.add({"expand"}, shapes::expand, symbolicExpand);
    rows.add({"view"}, shapes::view, symbolicView);
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
