#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <ATen/core/Reduction.h>

#include <array>

namespace aotscope::torch::shapes {

namespace {

/// The loss under `reduction`: unchanged, or a zero-dimensional tensor.
at::Tensor reduced(const ShapeCall& call, const at::Tensor& loss) {
    return call.integer("reduction") == at::Reduction::None ? loss : newEmpty(loss, {});
}

} // namespace

ShapeResults pointwiseLoss(const ShapeCall& call) {
    return {reduced(call, elementwise({call.tensor("self"), call.tensor("target")}))};
}

ShapeResults binaryCrossEntropy(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {reduced(call, emptyLike(self))};
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
    return {reduced(call, elementwise({call.tensor("target"),
                                       newEmpty(self, {self.size(0), self.size(2), self.size(3)})},
                                      self.scalar_type())),
            newEmpty(self, {})};
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

} // namespace aotscope::torch::shapes
