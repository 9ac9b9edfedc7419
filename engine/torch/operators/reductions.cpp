#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Reductions, softmax, order.
namespace aotscope::torch {

void addReductionRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"amax"}, symbolic::reduced, Memory::New, InInductor{decomposed::amax});
    rows.add({"amin"}, symbolic::reduced, Memory::New, InInductor{decomposed::amin});
    rows.add({"dist"}, InInductor{decomposed::dist});
    rows.add({"_softmax_backward_data"}, InCore{decomposed::softmaxBackward},
             InInductor{decomposed::inductorSoftmaxBackward});
    rows.add({"all"}, symbolic::reduced, decomposed::all);
    rows.add({"all.dim", "all.dims"}, decomposed::all);
    rows.add({"count_nonzero"}, shapes::countNonzero, symbolic::reduced, decomposed::countNonzero);
    rows.add({"count_nonzero.dim_IntList"}, shapes::countNonzero, decomposed::countNonzero);
    rows.add({"logsumexp"}, shapes::logSumExp, symbolic::reduced, decomposed::logsumexp);
    rows.add({"std.correction"}, shapes::variance, decomposed::standardDeviation);
    rows.add({"std_mean.correction"}, shapes::varianceAndMean, decomposed::standardDeviationAndMean);
    rows.add({"sum"}, symbolic::reduced, Memory::New, InCore{decomposed::sumOfAll});
    rows.add({"nansum"}, shapes::sumOverDims, symbolic::reduced, decomposed::nansum);
    rows.add({"aminmax"}, symbolic::reduced, decomposed::aminmax);
    rows.add({"norm.Scalar", "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim", "norm.ScalarOpt_dim_dtype"},
             decomposed::norm);
    rows.add({"trace"}, shapes::wholeSum, decomposed::trace);
    rows.add({"_softmax"}, InInductor{decomposed::softmax});
    rows.add({"_log_softmax"}, InInductor{decomposed::logSoftmax});
    rows.add({"_log_softmax_backward_data"}, shapes::logSoftmaxBackward, decomposed::logSoftmaxBackward);
    rows.add({"_safe_softmax"}, shapes::safeSoftmax, decomposed::safeSoftmax);
    rows.add({"linalg_vector_norm"}, symbolic::reduced, InCore{decomposed::coreVectorNorm},
             InInductor{decomposed::vectorNorm});
    rows.add({"_masked_softmax", "_masked_softmax_backward"}, shapes::contiguousLike<0>);
    rows.add({"max", "min", "median", "nanmedian"}, shapes::oneValue, symbolic::reduced);
    rows.add({"prod"}, shapes::wholeSum, symbolic::reduced);
    rows.add({"var.correction"}, shapes::variance);
    rows.add({"var_mean.correction"}, shapes::varianceAndMean);
    rows.add({"median.dim", "nanmedian.dim"}, shapes::valuesAndIndices);
    rows.add({"mode"}, shapes::valuesAndIndices, symbolic::reduced);
    rows.add({"kthvalue"}, shapes::kthValue, symbolic::reduced);
    rows.add({"_aminmax", "_aminmax.dim"}, shapes::minAndMax);
    rows.add({"sort", "sort.stable"}, shapes::sorted);
    rows.add({"logcumsumexp", "_logcumsumexp"}, shapes::contiguousLike<0>);
    rows.add({"histc"}, shapes::histc);
    rows.add({"histogram.bin_ct"}, shapes::histogramOfCount);
    rows.add({"histogram.bins_tensor"}, shapes::histogramOfEdges);
    rows.add({"segment_reduce"}, shapes::segmentReduce);
    rows.add({"_segment_reduce_backward"}, shapes::segmentReduceBackward);
    rows.add({"mean"}, symbolic::reducedAndComputed, Memory::New);
    rows.add({"std"}, symbolic::reducedAndComputed);
    rows.add({"var", "var_mean", "std_mean", "argmax", "argmin", "any", "norm"}, symbolic::reduced);
}

} // namespace aotscope::torch
