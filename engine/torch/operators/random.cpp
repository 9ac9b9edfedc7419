#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"

/// Random numbers and dropout.
namespace aotscope::torch {

void addRandomRows(OperatorRows& rows) {
    rows.add({"dropout"}, ForBoth{decomposed::dropout});
    rows.add({"bernoulli"}, shapes::contiguousLikeFirst, decomposed::bernoulli);
    rows.add({"native_dropout_backward"}, shapes::dropoutBackward, decomposed::dropoutBackward);
    rows.add({"cauchy"}, InInductor{decomposed::cauchy});
    rows.add({"log_normal"}, InInductor{decomposed::logNormal});
    rows.add({"normal.Tensor_float", "normal.float_Tensor", "normal.float_float"},
             InInductor{decomposed::normal});
    rows.add({"normal.Tensor_Tensor"}, shapes::normalOfTensors, InInductor{decomposed::normal});
    rows.add({"bernoulli.p"}, shapes::contiguousLikeFirst, InInductor{decomposed::bernoulliOfNumber});
    rows.add({"rand_like"}, InInductor{decomposed::randLike});
    rows.add({"randn_like"}, InInductor{decomposed::randnLike});
    rows.add({"randint_like", "randint_like.low_dtype"}, InInductor{decomposed::randintLike});
    rows.add({"randint"}, InInductor{decomposed::randint});
    rows.add({"native_dropout"}, shapes::nativeDropout, InInductor{decomposed::nativeDropout});
    rows.add({"exponential"}, InInductor{decomposed::exponential});
    rows.add({"geometric"}, InInductor{decomposed::geometric});
    rows.add({"rrelu_with_noise_functional"}, shapes::withNoise, InInductor{decomposed::rreluWithNoise});
    rows.add({"_fused_dropout"}, shapes::fusedDropout);
    rows.add({"_masked_scale"}, shapes::maskedScale);
    rows.add({"poisson"}, shapes::likeFirst);
    rows.add({"multinomial"}, shapes::multinomial);
    rows.add({"randperm", "randperm.generator"}, shapes::randomPermutation);
    rows.add({"_standard_gamma", "_sample_dirichlet", "_dirichlet_grad"}, shapes::likeFirst);
    rows.add({"binomial"}, shapes::binomial);
}

} // namespace aotscope::torch
