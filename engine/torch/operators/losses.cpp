#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Losses and their gradients.
namespace aotscope::torch {

void addLossRows(OperatorRows& rows) {
    rows.add({"multi_margin_loss"}, shapes::multiMarginLoss, decomposed::multiMarginLoss,
             ForAutograd{decomposed::multiMarginLoss});
    rows.add({"multilabel_margin_loss_forward"}, shapes::multilabelMarginForward,
             decomposed::multilabelMarginLossForward, ForAutograd{decomposed::multilabelMarginLossForward});
    rows.add({"mse_loss"}, guardBroadcast, decomposed::mseLoss);
    rows.add({"mse_loss_backward"}, shapes::mseLossBackward, decomposed::mseLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"smooth_l1_loss"}, guardBroadcast, decomposed::smoothL1Loss);
    rows.add({"smooth_l1_loss_backward"}, shapes::lossGradient, decomposed::smoothL1LossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"huber_loss"}, shapes::pointwiseLoss, guardBroadcast, decomposed::huberLoss);
    rows.add({"huber_loss_backward"}, shapes::lossGradient, decomposed::huberLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"soft_margin_loss"}, guardBroadcast, decomposed::softMarginLoss);
    rows.add({"soft_margin_loss_backward"}, decomposed::softMarginLossBackward);
    rows.add({"binary_cross_entropy"}, shapes::binaryCrossEntropy, guardBroadcast,
             decomposed::binaryCrossEntropy);
    rows.add({"binary_cross_entropy_backward"}, shapes::binaryCrossEntropyBackward,
             decomposed::binaryCrossEntropyBackward);
    rows.add({"binary_cross_entropy_with_logits"}, decomposed::binaryCrossEntropyWithLogits);
    rows.add({"nll_loss_forward"}, decomposed::nllLossForward, OperatorTrait::BatchedByDecomposition);
    rows.add({"nll_loss2d_forward"}, shapes::nllLoss2dForward, decomposed::nllLossForward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"nll_loss_backward"}, symbolic::askClasses, decomposed::nllLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"nll_loss2d_backward"}, shapes::contiguousLikeSelf, symbolic::askClasses,
             decomposed::nllLossBackward, OperatorTrait::BatchedByDecomposition);
    rows.add({"multi_margin_loss_backward", "multilabel_margin_loss_backward"}, shapes::contiguousLikeSelf);
    rows.add({"_ctc_loss_backward", "_ctc_loss_backward.Tensor"}, shapes::ctcLossBackward);
}

} // namespace aotscope::torch
