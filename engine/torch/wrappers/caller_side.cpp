#include "wrappers/caller_side.h"

#include "base/mapped.h"
#include "dispatch/libtorch_release.h"
#include "run/inputs/tensor_maker.h"
#include "run/state/value_access.h"
#include "wrappers/value_states.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

namespace aotscope::torch {

namespace {

using ::torch::autograd::variable_list;

/// A view that was created under no_grad requires grad as its base does, but no gradient gets from it to the
/// base.
bool hasTangent(const c10::IValue& value) {
    const at::Tensor* tensor = tensorIn(value);
    return tensor != nullptr && tensor->requires_grad() && tensor->numel() > 0 &&
           ::torch::autograd::impl::gradient_edge(*tensor).function != nullptr;
}

/// Normally distributed, and contiguous in memory.
at::Tensor tangentOf(const at::Tensor& output, c10::ScalarType type, std::uint64_t seed) {
    // Only the call itself is watched, not the preparation of its tangents.
    const c10::impl::ExcludeDispatchKeyGuard unwatched(traceKey);
    const c10::AutoGradMode noGrad(false);
    at::Generator generator = at::detail::createCPUGenerator(seed);
    const bool isComplex = output.is_complex();
    return at::randn(output.sizes(), generator,
                     at::TensorOptions(isComplex ? at::kComplexDouble : at::kDouble))
        .to(output.device(), type)
        .to(output.scalar_type());
}

} // namespace

void CallerSide::prepare() {
    for (const CallerLeaf& leaf : arguments.leaves) {
        leaf.tensor.mutable_grad().reset();
    }
    outputs.clear();
    before = base::mapped(arguments.values, [](const c10::IValue& value) {
        const at::Tensor* tensor = tensorIn(value);
        return tensor == nullptr
                   ? ArgumentBefore()
                   : ArgumentBefore{static_cast<std::uint32_t>(tensor->_version()), contentsOf(*tensor)};
    });
}

void CallerSide::differentiate(const session::CallOptions& options, int times, const Values* like) {
    const c10::AutoGradMode grad(true);
    const at::Tensor loss = lossOf(outputs);
    if (!loss.defined()) {
        return;
    }
    losses.push_back(loss.item().toDouble());
    variable_list roots;
    variable_list tangents;
    if (options.learningRate) {
        roots.push_back(loss);
    }
    for (std::size_t i = 0; !options.learningRate && i < outputs.size(); ++i) {
        if (!hasTangent(outputs[i])) {
            continue;
        }
        roots.push_back(outputs[i].toTensor());
        const at::Tensor* alike = like != nullptr && i < like->size() ? tensorIn((*like)[i]) : nullptr;
        tangents.push_back(tangentOf(roots.back(),
                                     alike != nullptr ? alike->scalar_type() : roots.back().scalar_type(),
                                     tensorSeed(options.seed, "tangent" + std::to_string(i))));
    }
    for (int time = 1; time <= times; ++time) {
        ::torch::autograd::backward(roots, tangents, /*retain_graph=*/time < times);
    }
}

int backwardsOf(const session::CallOptions& options, std::size_t call) {
    return options.backwardTwice && call + 1 == options.calls ? 2 : 1;
}

void CallerSide::step(double rate) {
    const c10::AutoGradMode noGrad(false);
    for (const CallerLeaf& leaf : arguments.leaves) {
        if (leaf.tensor.grad().defined()) {
            leaf.tensor.sub_(leaf.tensor.grad().mul(rate));
        }
    }
}

std::vector<std::pair<std::string, c10::IValue>> seenValues(const CallerSide& side,
                                                            const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, c10::IValue>> seen;
    for (std::size_t i = 0; i < side.outputs.size(); ++i) {
        seen.emplace_back("output " + std::to_string(i), side.outputs[i]);
    }
    for (std::size_t i = 0; i < side.arguments.values.size(); ++i) {
        seen.emplace_back(names.at(i) + " after the call", side.arguments.values[i]);
    }
    for (const CallerLeaf& leaf : side.arguments.leaves) {
        seen.emplace_back("gradient of " + leaf.name, leaf.tensor.grad());
    }
    return seen;
}

NamedTensors CallerSide::tensors(const std::vector<std::string>& names) const {
    NamedTensors tensors;
    for (const auto& [name, value] : seenValues(*this, names)) {
        if (const at::Tensor* tensor = tensorIn(value)) {
            tensors.emplace(name, *tensor);
        } else if (value.isDouble() && name.starts_with("output ")) {
            // A number that was read from a tensor has the tensor's roundings.
            tensors.emplace(name, at::scalar_tensor(value.toDouble(), at::kDouble));
        }
    }
    return tensors;
}

at::Tensor lossOf(const Values& outputs) {
    at::Tensor loss;
    for (const c10::IValue& output : outputs) {
        if (!hasTangent(output)) {
            continue;
        }
        const at::Tensor& tensor = output.toTensor();
        const at::Tensor magnitude = tensor.is_complex() ? tensor.abs() : tensor;
        const at::Tensor wide = magnitude.scalar_type() == at::kDouble ? magnitude : magnitude.to(at::kFloat);
        const at::Tensor mean = wide.mul(wide).mean();
        loss = loss.defined() ? loss.add(mean) : mean;
    }
    return loss;
}

} // namespace aotscope::torch
