#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/core/Reduction.h>

/// Losses and their gradients.
namespace aotscope::torch::decomposed {

namespace {

at::Tensor reduced(const DecompositionCall& call, const at::Tensor& loss) {
    switch (call.integer("reduction")) {
    case at::Reduction::Mean:
        return at::mean(loss);
    case at::Reduction::Sum:
        return at::sum(loss);
    default:
        return loss;
    }
}

bool isMean(const DecompositionCall& call) {
    return call.integer("reduction") == at::Reduction::Mean;
}

c10::SymFloat negated(const c10::SymFloat& number) {
    return number.is_symbolic() ? c10::SymFloat(number.toSymNodeImpl()->neg())
                                : c10::SymFloat(-number.as_float_unchecked());
}

/// `whole` divided by the number of elements for a mean; `whole` for other reductions.
c10::SymFloat shareOf(const DecompositionCall& call, double whole, const at::Tensor& tensor) {
    return isMean(call) ? c10::SymFloat(whole) / python::realNumber(tensor.sym_numel())
                        : c10::SymFloat(whole);
}

} // namespace

Decomposed mseLoss(const DecompositionCall& call) {
    const auto [cast, self, target] = python::castOperands(call, "self", "target");
    return cast.back(reduced(call, (self - target).pow(2)));
}

Decomposed mseLossBackward(const DecompositionCall& call) {
    const auto [cast, grad, self, target] = python::castOperands(call, "grad_output", "self", "target");
    const c10::Scalar norm = shareOf(call, 2.0, self);
    return cast.back(norm * (self - target) * grad);
}

Decomposed smoothL1Loss(const DecompositionCall& call) {
    const double beta = call.number("beta");
    const auto [cast, self, target] = python::castOperands(call, "self", "target");
    const at::Tensor loss = (self - target).abs();
    const at::Tensor small = loss.lt(beta);
    const at::Tensor quadratic = 0.5 * loss.pow(2) / beta;
    return cast.back(reduced(call, at::where(small, quadratic, loss - 0.5 * beta)));
}

Decomposed smoothL1LossBackward(const DecompositionCall& call) {
    const double beta = call.number("beta");
    const auto [cast, grad, self, target] = python::castOperands(call, "grad_output", "self", "target");
    const c10::Scalar norm = shareOf(call, 1.0, self);
    const at::Tensor x = self - target;
    const at::Tensor distance = at::abs(x);
    const at::Tensor scaled = norm * grad;
    const at::Tensor small = distance.lt(beta);
    const at::Tensor inner = scaled * x / beta;
    return cast.back(at::where(small, inner, scaled * at::sign(x)));
}

Decomposed huberLoss(const DecompositionCall& call) {
    const double delta = call.number("delta");
    TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
    const auto [cast, self, target] = python::castOperands(call, "self", "target");
    const at::Tensor z = (self - target).abs();
    const at::Tensor small = z.lt(delta);
    const at::Tensor quadratic = 0.5 * z * z;
    return cast.back(reduced(call, at::where(small, quadratic, delta * (z - 0.5 * delta))));
}

Decomposed huberLossBackward(const DecompositionCall& call) {
    const double delta = call.number("delta");
    const auto [cast, grad, self, target] = python::castOperands(call, "grad_output", "self", "target");
    const c10::SymFloat share = shareOf(call, 1.0, self);
    const c10::Scalar norm = share;
    const at::Tensor x = self - target;
    const at::Tensor below = x.lt(-delta);
    const at::Tensor negative = c10::Scalar(negated(share)) * grad * delta;
    const at::Tensor above = x.gt(delta);
    const at::Tensor positive = norm * grad * delta;
    return cast.back(at::where(below, negative, at::where(above, positive, norm * x * grad)));
}

Decomposed softMarginLoss(const DecompositionCall& call) {
    const auto [cast, self, target] = python::castOperands(call, "self", "target");
    return cast.back(reduced(call, at::log1p(at::exp(-self * target))));
}

Decomposed softMarginLossBackward(const DecompositionCall& call) {
    const auto [cast, grad, self, target] = python::castOperands(call, "grad_output", "self", "target");
    const at::Tensor scaled = target * grad;
    const at::Tensor input = scaled * (at::sigmoid(target * self) - 1);
    return cast.back(isMean(call) ? input / self.sym_numel() : input);
}

Decomposed binaryCrossEntropy(const DecompositionCall& call) {
    const auto [cast, self, target, weight] = python::castOperands(call, "self", "target", "weight");
    const at::Tensor absent = target - 1;
    const at::Tensor logAbsent = at::log1p(-self);
    const at::Tensor left = absent * at::maximum(logAbsent, python::newFull(self, {}, -100));
    const at::Tensor logPresent = at::log(self);
    at::Tensor loss = left - target * at::maximum(logPresent, python::newFull(self, {}, -100));
    if (weight.defined()) {
        loss = loss * weight;
    }
    return cast.back(reduced(call, loss));
}

Decomposed binaryCrossEntropyBackward(const DecompositionCall& call) {
    const auto [cast, grad, self, target, weight] =
        python::castOperands(call, "grad_output", "self", "target", "weight");
    const at::Tensor scaled = grad * (self - target);
    at::Tensor result = scaled / at::clamp(self * (1 - self), 1e-12);
    if (weight.defined()) {
        result = result * weight;
    }
    return cast.back(isMean(call) ? result / self.sym_numel() : result);
}

Decomposed binaryCrossEntropyWithLogits(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor target = call.tensor("target");
    const at::Tensor positive = call.tensor("pos_weight");
    at::Tensor loss;
    if (positive.defined()) {
        const at::Tensor logWeight = (positive - 1) * target + 1;
        const at::Tensor left = (1 - target) * self;
        loss = left - logWeight * at::log_sigmoid(self);
    } else {
        const at::Tensor left = (1 - target) * self;
        loss = left - at::log_sigmoid(self);
    }
    if (call.has("weight")) {
        loss = loss * call.tensor("weight");
    }
    return reduced(call, loss);
}

Decomposed nllLossForward(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    const at::Tensor target = call.tensor("target");
    const at::Tensor weight = call.tensor("weight");
    const std::int64_t reduction = call.integer("reduction");
    const c10::Scalar ignored(call.symInt("ignore_index"));
    const std::int64_t channel = self.dim() < 2 ? 0 : 1;
    // Only a target of single numbers, not of images, has one dimension.
    if (target.dim() == 1) {
        static_cast<void>(self.sym_size(0).sym_eq(target.sym_size(0)));
        if (weight.defined()) {
            static_cast<void>(weight.sym_numel().sym_eq(self.sym_size(-1)));
        }
    }
    at::Tensor w = weight;
    if (weight.defined()) {
        if (self.dim() > 1) {
            std::vector<c10::SymInt> shape(static_cast<std::size_t>(self.dim()), 1);
            shape[1] = weight.sym_size(0);
            w = weight.view_symint(shape);
        }
        self = self * w;
    }
    at::Tensor counted = target.ne(ignored);
    const at::Tensor safe = at::where(counted, target, 0).unsqueeze(channel);
    const at::Tensor picked = at::gather(self, channel, safe).squeeze(channel);
    at::Tensor result = -picked;
    counted = target.ne(ignored);
    result = at::where(counted, result, 0);
    if (reduction == at::Reduction::None && self.dim() > 1) {
        return {result, python::newFull(self, {}, 0.0)};
    }
    at::Tensor total;
    if (weight.defined()) {
        w = w.expand_symint(self.sym_sizes());
        const at::Tensor weights = at::gather(w, channel, safe).squeeze(channel);
        total = at::where(target.ne(ignored), weights, 0).sum();
    } else {
        total = target.ne(ignored).sum().to(self.device(), self.scalar_type());
    }
    if (reduction == at::Reduction::Sum) {
        result = result.sum();
    } else if (reduction == at::Reduction::Mean) {
        result = result.sum() / total;
    }
    return {result, total};
}

Decomposed nllLossBackward(const DecompositionCall& call) {
    at::Tensor grad = call.tensor("grad_output");
    const at::Tensor self = call.tensor("self");
    at::Tensor target = call.tensor("target");
    at::Tensor weight = call.tensor("weight");
    const c10::Scalar ignored(call.symInt("ignore_index"));
    const std::int64_t channel = self.dim() < 2 ? 0 : 1;
    if (isMean(call)) {
        grad = grad / call.tensor("total_weight");
    }
    target = target.unsqueeze(channel);
    const at::Tensor safe = at::where(target.ne(ignored), target, 0);
    at::Tensor input = at::zeros_like(self, python::options());
    input = at::scatter(input, channel, safe, -1.0);
    if (input.dim() > grad.dim() && grad.dim() > 0) {
        grad = grad.unsqueeze(channel);
    }
    if (weight.defined()) {
        std::vector<c10::SymInt> shape(static_cast<std::size_t>(self.dim()), 1);
        shape[static_cast<std::size_t>(channel)] = weight.sym_size(0);
        weight = weight.reshape_symint(shape);
        grad = grad * weight;
    }
    grad = at::where(target.ne(ignored), grad, 0);
    return input * grad;
}

} // namespace aotscope::torch::decomposed
