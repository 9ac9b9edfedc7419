#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Batch, layer, group and weight norms and their gradients.
namespace aotscope::torch {

void addNormalizationRows(OperatorRows& rows) {
    rows.add({"native_batch_norm"}, shapes::nativeBatchNorm, symbolic::batchNorm,
             ForBoth{decomposed::nativeBatchNorm});
    rows.add({"cudnn_batch_norm"}, shapes::cudnnBatchNorm, decomposed::cudnnBatchNorm,
             ForAutograd{decomposed::cudnnBatchNorm});
    rows.add({"miopen_batch_norm"}, shapes::cudnnBatchNorm, InInductor{decomposed::miopenBatchNorm},
             ForAutograd{decomposed::miopenBatchNorm});
    rows.add({"native_batch_norm_backward"}, shapes::batchNormBackward, decomposed::batchNormBackward);
    rows.add({"cudnn_batch_norm_backward", "miopen_batch_norm_backward"}, shapes::cudnnBatchNormBackward,
             decomposed::vendorBatchNormBackward);
    rows.add({"_native_batch_norm_legit"}, shapes::nativeBatchNorm, symbolic::batchNorm,
             InInductor{decomposed::batchNormLegit});
    rows.add({"_native_batch_norm_legit.no_stats"}, shapes::nativeBatchNorm,
             InInductor{decomposed::batchNormLegit});
    rows.add({"_native_batch_norm_legit_functional"}, shapes::batchNormFunctional, symbolic::batchNorm,
             InInductor{decomposed::batchNormFunctional});
    rows.add({"_batch_norm_with_update_functional"}, shapes::batchNormWithUpdateFunctional,
             InInductor{decomposed::batchNormWithUpdate});
    rows.add({"_batch_norm_no_update"}, shapes::batchNormNoUpdate, InInductor{decomposed::batchNormNoUpdate});
    rows.add({"_native_batch_norm_legit_no_training"}, shapes::batchNormNoTraining, symbolic::batchNorm,
             InInductor{decomposed::batchNormNoTraining});
    rows.add({"batch_norm_backward"}, shapes::batchNormBackward, InInductor{decomposed::batchNormBackward});
    rows.add({"_weight_norm_interface"}, shapes::weightNorm, decomposed::weightNorm);
    rows.add({"native_layer_norm_backward"}, shapes::nativeLayerNormBackward, symbolic::layerNormGradient,
             decomposed::layerNormBackward);
    rows.add({"native_group_norm_backward"}, shapes::nativeGroupNormBackward, symbolic::groupNormGradient,
             decomposed::groupNormBackward);
    rows.add({"_fused_rms_norm"}, shapes::fusedRmsNorm, decomposed::fusedRmsNorm);
    rows.add({"_fused_rms_norm_backward"}, shapes::fusedRmsNormBackward, decomposed::fusedRmsNormBackward);
    rows.add({"native_layer_norm"}, shapes::nativeLayerNorm, symbolic::layerNorm,
             InInductor{decomposed::layerNorm});
    rows.add({"native_group_norm"}, shapes::nativeGroupNorm, symbolic::groupNorm,
             InInductor{decomposed::groupNorm});
    rows.add({"_batch_norm_with_update"}, shapes::batchNormWithUpdate);
    rows.add({"_weight_norm_interface_backward"}, shapes::weightNormBackward);
}

} // namespace aotscope::torch
