#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"
#include "fake/known_contiguity.h"
#include "fake/reference_layout.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/TypeProperties.h>

#include <algorithm>

/// Pointwise operators and reductions that Inductor decomposes in its own way, for single tensors and lists.
namespace aotscope::torch::decomposed {

namespace {

/// `torch.tensor(number, dtype=dtype, device=device)`, a constant of the graph. Nothing for dtypes that are
/// not real floating point.
std::optional<at::Tensor> constantOf(double number, c10::ScalarType dtype, c10::Device device) {
    if (dtype != c10::kFloat && dtype != c10::kDouble) {
        return std::nullopt;
    }
    // Bypasses the dispatcher: this is data, not a call to record.
    const at::Tensor data = at::detail::empty_cpu({}, dtype);
    if (dtype == c10::kFloat) {
        *data.mutable_data_ptr<float>() = static_cast<float>(number);
    } else {
        *data.mutable_data_ptr<double>() = number;
    }
    const at::Tensor lifted = at::lift_fresh(data);
    return device.is_cpu() ? lifted : lifted.to(device);
}

c10::ScalarType widened(c10::ScalarType dtype) {
    return dtype == c10::kHalf || dtype == c10::kBFloat16 ? c10::kFloat : dtype;
}

/// Which end of the way the sum begins at, by the weight as the dtype holds it. PyTorch makes a constant to
/// find out, which is removed from the graph but has a name.
bool beginsAtEnd(double weight, c10::ScalarType dtype) {
    static_cast<void>(constantOf(weight, dtype, c10::kCPU));
    const double held = dtype == c10::kFloat ? static_cast<double>(static_cast<float>(weight)) : weight;
    return held >= 0.5 || held <= -0.5;
}

/// With `addcmul`, which Inductor computes by one fused multiply-add.
Decomposed fusedForeachLerp(const DecompositionCall& call) {
    const std::vector<at::Tensor> start = call.tensors("self");
    const std::vector<at::Tensor> end = call.tensors("tensors1");
    TORCH_CHECK(!start.empty() && start.size() == end.size(),
                "_foreach_lerp: the lists must have the same number of tensors, at least one");
    const double weight = call.scalar("weight").toDouble();
    const auto factor = [&](c10::ScalarType dtype, c10::Device device, bool atEnd) {
        const at::Tensor constant = *constantOf(weight, dtype, device);
        return atEnd ? -(1.0 - constant) : constant;
    };
    const c10::ScalarType dtype = start.front().scalar_type();
    const bool isUniform = widened(dtype) == dtype && std::ranges::all_of(start, [&](const at::Tensor& each) {
                               return each.scalar_type() == dtype && each.device() == start.front().device();
                           });
    if (isUniform) {
        const bool atEnd = beginsAtEnd(weight, dtype);
        const std::vector<at::Tensor> distance = at::_foreach_sub(end, start);
        const std::vector<at::Tensor> factors(distance.size(), factor(dtype, start.front().device(), atEnd));
        return Decomposed::list(at::_foreach_addcmul(atEnd ? end : start, factors, distance));
    }
    std::vector<at::Tensor> results;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const c10::ScalarType computed = widened(start[i].scalar_type());
        const bool atEnd = beginsAtEnd(weight, computed);
        const at::Tensor base = python::convert(atEnd ? end[i] : start[i], computed);
        const at::Tensor scale = factor(computed, start[i].device(), atEnd);
        const at::Tensor to = python::convert(end[i], computed);
        const at::Tensor distance = to - python::convert(start[i], computed);
        results.push_back(python::convert(at::addcmul(base, scale, distance), start[i].scalar_type()));
    }
    return Decomposed::list(std::move(results));
}

} // namespace

Decomposed clamp(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    const bool tensors = call.schema().overload_name() == "Tensor";
    at::native::ResultTypeState state = at::native::update_result_type_state(x, {});
    for (const char* const bound : {"min", "max"}) {
        if (call.has(bound)) {
            state = tensors ? at::native::update_result_type_state(call.tensor(bound), state)
                            : at::native::update_result_type_state(call.scalar(bound), state);
        }
    }
    const c10::ScalarType result = at::native::result_type(state);
    const c10::ScalarType computed = python::computationType(result);
    x = python::convert(x, computed);
    at::Tensor low;
    at::Tensor high;
    if (tensors) {
        low = call.has("min") ? python::convert(call.tensor("min"), computed) : low;
        high = call.has("max") ? python::convert(call.tensor("max"), computed) : high;
    }
    if (call.has("min")) {
        x = tensors ? at::clamp_min(x, low) : at::clamp_min(x, call.scalar("min"));
    }
    if (call.has("max")) {
        x = tensors ? at::clamp_max(x, high) : at::clamp_max(x, call.scalar("max"));
    }
    return python::convert(x, result);
}

/// The first operand where `compare` holds for the second and the first, or where the second is NaN.
Decomposed chosen(const DecompositionCall& call,
                  at::Tensor (*compare)(const at::Tensor&, const at::Tensor&)) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("other");
    const at::Tensor nan = at::isnan(other);
    return at::where(nan | compare(other, self), self, other);
}

/// Passes no dimensions if `dim` and `keepdim` are the schema's defaults, which PyTorch drops.
Decomposed ofBooleans(const DecompositionCall& call,
                      at::Tensor (*reduce)(const at::Tensor&, at::OptionalIntArrayRef, bool)) {
    const at::Tensor self = call.tensor("self");
    if (self.scalar_type() != c10::kBool) {
        return Decomposed::notApplicable();
    }
    const std::vector<std::int64_t> dims = call.integers("dim");
    const bool keep = call.flag("keepdim");
    return reduce(self, dims.empty() && !keep ? std::nullopt : at::OptionalIntArrayRef(dims), keep);
}

Decomposed inductorSoftmaxBackward(const DecompositionCall& call) {
    const c10::ScalarType inputType = *call.dtype("input_dtype");
    const auto [cast, grad, output] = python::castOperands(call, "grad_output", "output");
    const at::Tensor product = grad * output;
    const at::Tensor sum = at::sum(product, at::IntArrayRef{call.integer("dim")}, true);
    at::Tensor input = prims::fma(-output, sum, product);
    if (grad.scalar_type() != inputType) {
        input = input.to(inputType);
    }
    return cast.back(contiguousMemory(input));
}

/// Small integers are multiplied in a wider type.
Decomposed lcm(const DecompositionCall& call) {
    at::Tensor left = call.tensor("self");
    at::Tensor right = call.tensor("other");
    const c10::ScalarType dtype = python::promotedType({left, right});
    left = python::convert(left, dtype);
    right = python::convert(right, dtype);
    const std::vector<at::Tensor> both = reference::broadcastTensors({left, right});
    left = both[0];
    right = both[1];
    const bool isSmall = dtype == c10::kChar || dtype == c10::kShort;
    if (isSmall) {
        left = prims::convertElementType(left, c10::kInt);
        right = prims::convertElementType(right, c10::kInt);
    }
    const at::Tensor common = at::gcd(left, right);
    const at::Tensor divisor = at::where(common.eq(0), 1, common);
    const at::Tensor result = at::abs(prims::div(left, divisor) * right);
    return isSmall ? prims::convertElementType(result, dtype) : result;
}

Decomposed foreachAddScaled(const DecompositionCall& call,
                            std::vector<at::Tensor> (*scale)(at::TensorList, at::TensorList)) {
    if (call.rules().decompositions.inductorFusesMultiplyAdd) {
        return Decomposed::notApplicable();
    }
    const std::vector<at::Tensor> scaled = scale(call.tensors("tensor1"), call.tensors("tensor2"));
    return Decomposed::list(at::_foreach_add(call.tensors("self"), scaled, call.scalar("value")));
}

Decomposed foreachLerp(const DecompositionCall& call) {
    const std::vector<at::Tensor> start = call.tensors("self");
    const bool isScalar = call.schema().overload_name() == "Scalar";
    const bool isReal = std::ranges::all_of(start, [](const at::Tensor& each) {
        const c10::ScalarType type = widened(each.scalar_type());
        return type == c10::kFloat || type == c10::kDouble;
    });
    if (isScalar && call.rules().decompositions.inductorFusesMultiplyAdd) {
        return isReal ? fusedForeachLerp(call) : Decomposed::notApplicable();
    }
    const std::vector<at::Tensor> distance = at::_foreach_sub(call.tensors("tensors1"), start);
    if (isScalar) {
        return Decomposed::list(at::_foreach_add(start, at::_foreach_mul(distance, call.scalar("weight"))));
    }
    std::vector<c10::Scalar> weights;
    for (const c10::IValue& weight : call.value("weight").toListRef()) {
        weights.push_back(weight.toScalar());
    }
    return Decomposed::list(at::_foreach_add(start, at::_foreach_mul(distance, weights)));
}

} // namespace aotscope::torch::decomposed
