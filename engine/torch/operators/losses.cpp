#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <ATen/core/Reduction.h>

#include <array>

/// Losses and their gradients.
namespace aotscope::torch {

namespace {

/// The loss under `reduction`: unchanged, or a zero-dimensional tensor.
at::Tensor reducedLoss(const ShapeCall& call, const at::Tensor& loss) {
    return call.integer("reduction") == at::Reduction::None ? loss : newEmpty(loss, {});
}

ShapeResults pointwiseLoss(const ShapeCall& call) {
    return {reducedLoss(call, elementwise({call.tensor("self"), call.tensor("target")}))};
}

ShapeResults binaryCrossEntropy(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {reducedLoss(call, emptyLike(self))};
}

ShapeResults mseLossBackward(const ShapeCall& call) {
    const std::array operands = {call.tensor("self"), call.tensor("target"), call.tensor("grad_output")};
    return {elementwise(operands, operands[0].scalar_type())};
}

ShapeResults nllLoss2dForward(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    TORCH_CHECK(
        self.dim() == 4,
        "only batches of spatial inputs supported (4D tensors), but got input of size: ", self.sizes());
    return {reducedLoss(call, elementwise({call.tensor("target"),
                                           newEmpty(self, {self.size(0), self.size(2), self.size(3)})},
                                          self.scalar_type())),
            newEmpty(self, {})};
}

/// One value per sample; a zero-dimensional tensor if reduced or without a batch.
ShapeResults multiMarginShape(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor target = call.tensor("target");
    const bool whole = call.integer("reduction") != at::Reduction::None || self.dim() < 2;
    return {whole ? newEmpty(self, {}) : newEmpty(self, target.sizes())};
}

ShapeResults multilabelMarginShape(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const bool whole = call.integer("reduction") != at::Reduction::None || self.dim() < 2;
    return {whole ? newEmpty(self, {}) : newEmpty(self, {self.size(0)}),
            newEmpty(self, call.tensor("target").sizes())};
}

/// The target has the sizes of the input without the class dimension.
void askClasses(const FakeCall& call) {
    const at::Tensor& self = call.tensor(1);
    const at::Tensor& target = call.tensor(2);
    for (std::int64_t d = 0; d < target.dim() && self.dim() == target.dim() + 1; ++d) {
        call.environment.assumeEqual(self.sym_size(d == 0 ? 0 : d + 1), target.sym_size(d));
    }
}

/// Makes PyTorch's comparison, which is recorded for symbolic sizes and numbers later nodes.
void askForCount(const at::Tensor& tensor, const c10::SymInt& count) {
    static_cast<void>(tensor.sym_numel().sym_eq(count));
}

Decomposed multiMarginLoss(const DecompositionCall& call) {
    const at::Tensor input = at::atleast_2d(call.tensor("self"));
    at::Tensor target = at::atleast_1d(call.tensor("target"));
    const c10::Scalar p = call.scalar("p");
    TORCH_CHECK(p.equal(1) || p.equal(2), "multi_margin_loss supports p 1 and 2 only, not ", p);
    static_cast<void>(input.sym_size(1).sym_ne(0));
    askForCount(target, input.sym_size(0));
    at::Tensor weight = call.tensor("weight");
    if (weight.defined()) {
        weight = at::atleast_1d(weight);
        askForCount(weight, input.sym_size(1));
    }
    const at::Tensor labels = target;
    target = target.unsqueeze(1);
    const at::Tensor own = at::gather(input, 1, target);
    at::Tensor z = call.scalar("margin") - own + input;
    z = z.clamp_min(0);
    if (p.equal(2)) {
        z = z * z;
    }
    if (weight.defined()) {
        z = z * (call.rules().decompositions.marginLossWeighsByLabel
                     ? at::index(weight, {labels}).unsqueeze(1)
                     : at::index(weight, {target}));
    }
    const c10::SymInt classes = input.sym_size(1);
    const at::Tensor index = python::arange(classes, input);
    z = at::where(index.ne(target), z, 0);
    switch (call.integer("reduction")) {
    case at::Reduction::Mean:
        return z.mean();
    case at::Reduction::Sum:
        return z.sum() / z.sym_size(1);
    default:
        return z.mean(1);
    }
}

Decomposed multilabelMarginLossForward(const DecompositionCall& call) {
    const at::Tensor given = call.tensor("target");
    const at::Tensor input = at::atleast_2d(call.tensor("self"));
    const at::Tensor target = at::atleast_2d(given);
    const c10::SymInt classes = input.sym_size(1);
    const at::Tensor index = python::arange(classes, target);
    // The labels end at the first -1.
    const at::Tensor isEnd = target.eq(-1);
    const at::Tensor end = at::amin(at::where(isEnd, index, c10::Scalar(classes)), -1, true);
    const at::Tensor counted = index.lt(end);
    const at::Tensor gathered = at::where(counted, target, 0);
    const at::Tensor own = at::gather(input, -1, gathered);
    const at::Tensor labels = at::where(counted, target, -1);
    const at::Tensor isTarget = at::any(index.eq(labels.unsqueeze(-1)), 1);
    at::Tensor z = 1.0 - own.numpy_T().unsqueeze(-1) + input;
    z = z.clamp_min(0);
    z = z / classes;
    z = at::where(isTarget, 0, z);
    if (call.rules().decompositions.marginLossLeavesOutPadding) {
        z = at::where(counted.numpy_T().unsqueeze(-1), z, 0);
    }
    switch (call.integer("reduction")) {
    case at::Reduction::Mean:
        z = z.sum(at::IntArrayRef{0, -1}).mean();
        break;
    case at::Reduction::Sum:
        z = z.sum();
        break;
    default:
        z = z.sum(at::IntArrayRef{0, -1});
    }
    return {z, isTarget.to(input.scalar_type()).reshape_symint(given.sym_sizes())};
}

} // namespace

void addLossRows(OperatorRows& rows) {
    rows.add({"multi_margin_loss"}, multiMarginShape, multiMarginLoss, ForAutograd{multiMarginLoss});
    rows.add({"multilabel_margin_loss_forward"}, multilabelMarginShape, multilabelMarginLossForward,
             ForAutograd{multilabelMarginLossForward});
    rows.add({"mse_loss"}, guardBroadcast, decomposed::mseLoss);
    rows.add({"mse_loss_backward"}, mseLossBackward, decomposed::mseLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"smooth_l1_loss"}, guardBroadcast, decomposed::smoothL1Loss);
    rows.add({"smooth_l1_loss_backward"}, shapes::elementwiseOf<1, 2, 0>, decomposed::smoothL1LossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"huber_loss"}, pointwiseLoss, guardBroadcast, decomposed::huberLoss);
    rows.add({"huber_loss_backward"}, shapes::elementwiseOf<1, 2, 0>, decomposed::huberLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"soft_margin_loss"}, guardBroadcast, decomposed::softMarginLoss);
    rows.add({"soft_margin_loss_backward"}, decomposed::softMarginLossBackward);
    rows.add({"binary_cross_entropy"}, binaryCrossEntropy, guardBroadcast, decomposed::binaryCrossEntropy);
    rows.add({"binary_cross_entropy_backward"}, shapes::promoted, decomposed::binaryCrossEntropyBackward);
    rows.add({"binary_cross_entropy_with_logits"}, decomposed::binaryCrossEntropyWithLogits);
    rows.add({"nll_loss_forward"}, decomposed::nllLossForward, OperatorTrait::BatchedByDecomposition);
    rows.add({"nll_loss2d_forward"}, nllLoss2dForward, decomposed::nllLossForward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"nll_loss_backward"}, askClasses, decomposed::nllLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"nll_loss2d_backward"}, shapes::contiguousLike<1>, askClasses, decomposed::nllLossBackward,
             OperatorTrait::BatchedByDecomposition);
    rows.add({"multi_margin_loss_backward", "multilabel_margin_loss_backward"}, shapes::contiguousLike<1>);
    rows.add({"_ctc_loss_backward", "_ctc_loss_backward.Tensor"}, shapes::contiguousLike<1>);
}

} // namespace aotscope::torch
