#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// New tensors, ranges, copies.
namespace aotscope::torch {

void addCreationRows(OperatorRows& rows) {
    rows.add({"lift"}, InInductor{decomposed::itself});
    rows.add({"hann_window", "hann_window.periodic"}, decomposed::hannWindow);
    rows.add({"zeros"}, decomposed::zeros);
    rows.add({"ones"}, decomposed::ones);
    rows.add({"new_zeros"}, decomposed::newZeros);
    rows.add({"new_ones"}, decomposed::newOnes);
    rows.add({"new_full"}, decomposed::newFull);
    rows.add({"new_empty"}, decomposed::newEmpty);
    rows.add({"zeros_like"}, decomposed::zerosLike);
    rows.add({"ones_like"}, decomposed::onesLike);
    rows.add({"empty_like"}, shapes::emptyLikeSelf, decomposed::emptyLike);
    rows.add({"arange"}, symbolic::rangeTo, decomposed::arangeDefault);
    rows.add({"arange.start"}, symbolic::rangeFrom, decomposed::arangeStart);
    rows.add({"fill.Scalar"}, decomposed::fillScalar);
    rows.add({"fill.Tensor"}, decomposed::fillTensor);
    rows.add({"zero"}, shapes::contiguousLikeFirst, decomposed::zero);
    rows.add({"eye", "eye.m"}, decomposed::eye);
    rows.add({"full_like"}, InInductor{decomposed::fullLike});
    rows.add({"full"}, InInductor{decomposed::fullWithoutType});
    rows.add({"empty_permuted"}, InInductor{decomposed::emptyPermuted});
    rows.add({"_to_copy"}, symbolic::preserved, InInductor{decomposed::toCopy});
    rows.add({"arange.start_step"}, symbolic::rangeBy, InInductor{decomposed::arange});
    rows.add({"linspace"}, decomposed::linspace);
    rows.add({"linspace.Tensor_Tensor", "linspace.Tensor_Scalar", "linspace.Scalar_Tensor"}, shapes::steps,
             decomposed::linspace);
    rows.add({"logspace"}, decomposed::logspace);
    rows.add({"logspace.Tensor_Tensor", "logspace.Tensor_Scalar", "logspace.Scalar_Tensor"}, shapes::steps,
             decomposed::logspace);
    rows.add({"tril_indices"}, shapes::trilIndices, InInductor{decomposed::lowerTriangleIndices});
    rows.add({"triu_indices"}, shapes::triuIndices, InInductor{decomposed::upperTriangleIndices});
    rows.add({"clone"}, shapes::cloned);
    rows.add({"copy"}, shapes::copied, symbolic::copied, guardBroadcast);
    rows.add({"copy_"}, guardBroadcast);
}

} // namespace aotscope::torch
