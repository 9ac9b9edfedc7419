#include "fake/meta/layouts.h"
#include "fake/meta/like_operand.h"
#include "fake/meta/rules.h"

#include <ATen/core/Reduction.h>

#include <array>

namespace aotscope::torch {

namespace {

/// The loss under `reduction`: unchanged, or a zero-dimensional tensor.
at::Tensor reduced(const ShapeCall& call, const at::Tensor& loss) {
    return call.integer("reduction") == at::Reduction::None ? loss : newEmpty(loss, {});
}

ShapeResults pointwiseLoss(const ShapeCall& call) {
    const std::array operands = {call.tensor("self"), call.tensor("target")};
    return {reduced(call, elementwise(operands))};
}

ShapeResults binaryCrossEntropy(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {reduced(call, emptyLike(self))};
}

ShapeResults binaryCrossEntropyBackward(const ShapeCall& call) {
    return {elementwise(call.allTensors())};
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
    const std::array operands = {call.tensor("target"),
                                 newEmpty(self, {self.size(0), self.size(2), self.size(3)})};
    return {reduced(call, elementwise(operands, self.scalar_type())), newEmpty(self, {})};
}

/// One value per sample; a zero-dimensional tensor if reduced or without a batch.
ShapeResults multiMarginLoss(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor target = call.tensor("target");
    const bool whole = call.integer("reduction") != at::Reduction::None || self.dim() < 2;
    return {whole ? newEmpty(self, {}) : newEmpty(self, target.sizes())};
}

ShapeResults multilabelMarginForward(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const bool whole = call.integer("reduction") != at::Reduction::None || self.dim() < 2;
    return {whole ? newEmpty(self, {}) : newEmpty(self, {self.size(0)}),
            newEmpty(self, call.tensor("target").sizes())};
}

ShapeResults ctcLossBackward(const ShapeCall& call) {
    return {emptyContiguous(call.tensor("log_probs"))};
}

} // namespace

void addLossRules(ShapeKernels& kernels) {
    kernels.add({"aten::huber_loss"}, pointwiseLoss);
    kernels.add({"aten::mse_loss_backward"}, mseLossBackward);
    kernels.add({"aten::binary_cross_entropy"}, binaryCrossEntropy);
    kernels.add({"aten::binary_cross_entropy_backward"}, binaryCrossEntropyBackward);
    kernels.add({"aten::nll_loss2d_forward"}, nllLoss2dForward);
    kernels.add({"aten::nll_loss2d_backward", "aten::multi_margin_loss_backward",
                 "aten::multilabel_margin_loss_backward"},
                contiguousLikeSelf);
    kernels.add({"aten::multi_margin_loss"}, multiMarginLoss);
    kernels.add({"aten::multilabel_margin_loss_forward"}, multilabelMarginForward);
    kernels.add({"aten::_ctc_loss_backward", "aten::_ctc_loss_backward.Tensor"}, ctcLossBackward);
}

} // namespace aotscope::torch
