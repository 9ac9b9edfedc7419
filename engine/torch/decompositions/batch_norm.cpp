#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/ops/_native_batch_norm_legit.h>
#include <ATen/ops/_native_batch_norm_legit_no_training.h>
#include <ATen/ops/native_batch_norm.h>

namespace aotscope::torch::decomposed {

namespace {

using Norm = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Norm vendorNorm(const DecompositionCall& call) {
    return at::native_batch_norm(call.tensor("input"), call.optionalTensor("weight"),
                                 call.optionalTensor("bias"), call.optionalTensor("running_mean"),
                                 call.optionalTensor("running_var"), call.flag("training"),
                                 call.number("exponential_average_factor"), call.number("epsilon"));
}

} // namespace

/// Calls the operators whose schemas declare that running statistics change.
Decomposed nativeBatchNorm(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const auto weight = call.optionalTensor("weight");
    const auto bias = call.optionalTensor("bias");
    at::Tensor mean = call.tensor("running_mean");
    at::Tensor variance = call.tensor("running_var");
    const bool training = call.flag("training");
    const double momentum = call.number("momentum");
    const double eps = call.number("eps");
    TORCH_CHECK(mean.defined() == variance.defined(),
                "native_batch_norm was given one of running_mean and running_var; give both or none");
    const Norm norm =
        !mean.defined() ? at::_native_batch_norm_legit(input, weight, bias, training, momentum, eps)
        : training
            ? at::_native_batch_norm_legit(input, weight, bias, mean, variance, training, momentum, eps)
            : at::_native_batch_norm_legit_no_training(input, weight, bias, mean, variance, momentum, eps);
    return {std::get<0>(norm), std::get<1>(norm), std::get<2>(norm)};
}

Decomposed cudnnBatchNorm(const DecompositionCall& call) {
    const auto [output, mean, invstd] = vendorNorm(call);
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    if (call.flag("training")) {
        return {output, mean, invstd, python::newZeros(input, {0}, c10::kByte)};
    }
    at::Tensor noMean = python::newZeros(weight, {0});
    at::Tensor noInvstd = python::newZeros(weight, {0});
    return {output, std::move(noMean), std::move(noInvstd), python::newZeros(input, {0}, c10::kByte)};
}

Decomposed miopenBatchNorm(const DecompositionCall& call) {
    const auto [output, mean, invstd] = vendorNorm(call);
    if (call.flag("training")) {
        return {output, mean, invstd};
    }
    const at::Tensor weight = call.tensor("weight");
    at::Tensor noMean = python::newZeros(weight, {0});
    return {output, std::move(noMean), python::newZeros(weight, {0})};
}

} // namespace aotscope::torch::decomposed
