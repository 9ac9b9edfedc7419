#include "fake/fake_operators.h"

#include "dispatch/libtorch_release.h"
#include "dispatch/operators.h"
#include "fake/fast_path_layout.h"
#include "fake/known_contiguity.h"
#include "fake/meta/compute_shapes.h"
#include "fake/meta/device_hint.h"
#include "fake/operator_model.h"
#include "fake/sampled_results.h"
#include "fake/size_candidates.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// Gives results the layout of PyTorch's fast path (fast_path_layout.h).
void layOutQuickly(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                   std::vector<c10::Stack>& samples) {
    const std::size_t results = op.schema().returns().size();
    const auto first = [results](c10::Stack& sample) -> c10::IValue& {
        return sample[sample.size() - results];
    };
    if (results == 0) {
        return;
    }
    const c10::IValue& seen = first(samples.front());
    const auto format =
        seen.isTensor() ? fastPathFormat(op, arguments, seen.toTensor().sizes()) : std::nullopt;
    for (c10::Stack& sample : samples) {
        if (format) {
            const at::Tensor meta = first(sample).toTensor();
            first(sample) = at::Tensor(at::detail::empty_meta(meta.sizes(), meta.scalar_type(), format));
        }
    }
}

/// Operators that return nothing and change nothing (`_assert_scalar`, `_assert_async`) leave shapes alone.
bool onlyAsserts(const c10::FunctionSchema& schema) {
    return schema.returns().empty() && !schema.arguments().empty() && !schema.hasAnyAliasInfo();
}

} // namespace

c10::Device resultDevice(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
    const auto& declared = schema.arguments();
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (arguments[i].isDevice() && declared[i].name() == "device") {
            c10::Device device = arguments[i].toDevice();
            if (!device.is_cpu() && !device.is_meta() && !device.has_index()) {
                device.set_index(0);
            }
            return device;
        }
    }
    std::optional<c10::Device> common;
    bool commonIsScalar = false;
    for (const c10::IValue& argument : arguments) {
        forEachTensor(argument, [&](const at::Tensor& tensor) {
            if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
                return;
            }
            const bool scalar = tensor.dim() == 0 && tensor.device().is_cpu();
            if (!common || (commonIsScalar && !scalar)) {
                common = tensor.device();
                commonIsScalar = scalar;
                return;
            }
            TORCH_CHECK(scalar || tensor.device() == *common, "Unhandled FakeTensor Device Propagation for ",
                        schema.operator_name(), ", found two different devices ", *common, ", ",
                        tensor.device());
        });
    }
    return common.value_or(c10::Device(c10::kCPU));
}

namespace {

/// A result of constants alone is a constant too: PyTorch computes its values, so no lazy conjugation is left
/// on it.
void settleConstant(c10::ArrayRef<c10::IValue> arguments, c10::Stack& results) {
    const bool onlyConstants = std::ranges::all_of(arguments, [](const c10::IValue& value) {
        return !value.isTensor() || asFake(value.toTensor()) == nullptr;
    });
    if (!onlyConstants) {
        return;
    }
    for (c10::IValue& result : results) {
        if (result.isTensor() && result.toTensor().is_conj()) {
            result = result.toTensor().resolve_conj();
        }
    }
}

/// What a call returns on meta tensors for each choice of the symbols' values.
struct SampledCall {
    std::vector<c10::Stack> results;
    /// For each result, which of a number's values it was computed for.
    std::vector<std::size_t> values;
};

c10::Stack computed(const FakeCall& call, std::size_t value) {
    const auto& declared = call.op.schema().arguments();
    c10::Stack stack;
    stack.reserve(call.arguments.size());
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        stack.push_back(metaArgument(call.arguments[i], value));
        if (declared[i].name() == "device" && stack.back().isNone()) {
            // A factory without a device would make a real tensor.
            stack.back() = c10::Device(c10::kMeta);
        }
    }
    computeShapes(call.op, stack, call.environment.ranOnZeros);
    settleConstant(call.arguments, stack);
    return stack;
}

/// The same for a call that ATen may refuse; `first`: the results for the hints.
c10::Stack computedOrShaped(const FakeCall& call, std::size_t value, const c10::Stack& first) {
    const OperatorModel& model = operatorModel(call.op);
    if (!model.acceptsMoreThanAten) {
        return computed(call, value);
    }
    try {
        return computed(call, value);
    } catch (const c10::Error&) {
        c10::Stack results = first;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const auto sizes = sampledValues(model.shape(call, i).sizes, value);
            results[i] = at::Tensor(at::detail::empty_meta(sizes, results[i].toTensor().scalar_type()));
        }
        return results;
    }
}

/// Whether two results differ only in sizes.
bool areAlike(const c10::IValue& one, const c10::IValue& other) {
    if (one.isTensorList() && other.isTensorList()) {
        const auto left = one.toTensorVector();
        const auto right = other.toTensorVector();
        return std::ranges::equal(left, right, areAlike);
    }
    if (!one.isTensor() || !other.isTensor() || !one.toTensor().defined()) {
        return one.tagKind() == other.tagKind();
    }
    return other.toTensor().defined() && one.toTensor().dim() == other.toTensor().dim();
}

/// Computes the call for further values of the symbols, so that results show which size of an argument they
/// have. Values that the operator rejects are left out.
void check(const FakeCall& call, SampledCall& sampled) {
    for (const std::size_t value : call.environment.checksWithinGuards()) {
        try {
            c10::Stack results = computed(call, value);
            const c10::Stack& seen = sampled.results.front();
            if (std::ranges::equal(results, seen, areAlike)) {
                sampled.results.push_back(std::move(results));
                sampled.values.push_back(value);
            }
        } catch (const c10::Error&) {
        }
    }
}

SampledCall computedForSamples(const FakeCall& call, c10::Device device, bool symbolic) {
    const c10::impl::ExcludeDispatchKeyGuard withoutFake(traceKey);
    const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    // PyTorch computes fake results below what handles tensors of zeros without memory: they are none any
    // more.
    const c10::impl::ExcludeDispatchKeyGuard withoutZeros(c10::DispatchKey::ZeroTensor);
    const DeviceHint faking(device.type());
    SampledCall sampled;
    const std::size_t samples = symbolic ? call.environment.samples() : 1;
    sampled.results.reserve(samples);
    sampled.values.reserve(samples);
    for (std::size_t value = 0; value < samples; ++value) {
        sampled.results.push_back(value == 0 ? computed(call, value)
                                             : computedOrShaped(call, value, sampled.results.front()));
        sampled.values.push_back(value);
    }
    // Sizes of pointwise operators are those of their operands by definition, so they need no checks.
    if (symbolic && !call.op.schema().is_mutable() && !call.op.hasTag(at::Tag::pointwise)) {
        check(call, sampled);
    }
    if (symbolic) {
        layOutQuickly(call.op, call.arguments, sampled.results);
    }
    return sampled;
}

void askForEqualSizes(const FakeCall& call) {
    if (const auto guards = operatorModel(call.op).guards) {
        guards(call);
    } else if (call.op.hasTag(at::Tag::pointwise)) {
        guardBroadcast(call);
    }
}

std::vector<c10::IValue> joinedResults(const FakeCall& call, bool symbolic) {
    const c10::Device device = resultDevice(call.op.schema(), call.arguments);
    const SizeCandidates candidates = symbolic ? SizeCandidates(call) : SizeCandidates();
    const SampledCall sampled = computedForSamples(call, device, symbolic);
    SampledResults results(call, device, candidates, sampled.values);
    std::vector<c10::IValue> joined;
    joined.reserve(sampled.results.front().size());
    std::vector<c10::IValue> items;
    items.reserve(sampled.results.size());
    for (std::size_t i = 0; i < sampled.results.front().size(); ++i) {
        items.clear();
        for (const c10::Stack& sample : sampled.results) {
            items.push_back(sample[i]);
        }
        joined.push_back(results.join(items, i));
    }
    if (symbolic) {
        noteKnownContiguity(call, joined);
    }
    return joined;
}

} // namespace

void callOnFakes(const c10::OperatorHandle& op, c10::Stack& stack, ShapeEnvironment& environment) {
    if (onlyAsserts(op.schema())) {
        if (const c10::IValue& condition = argumentsOn(op, stack).front(); condition.isSymBool()) {
            environment.assume(condition.toSymBool().toSymNodeImpl());
        }
        replaceArguments(op, stack, {});
        return;
    }
    if (callOnConstants(op, stack, environment) || callDataDependent(op, stack, environment)) {
        return;
    }
    const FakeCall call{op, argumentsOn(op, stack), environment};
    const bool symbolic = environment.hasSymbols() && std::ranges::any_of(call.arguments, dependsOnSymbols);
    if (symbolic) {
        const auto view = operatorModel(op).view;
        if (auto viewed = view == nullptr ? std::nullopt : view(call)) {
            replaceArguments(op, stack, {*std::move(viewed)});
            return;
        }
        askForEqualSizes(call);
    }
    replaceArguments(op, stack, joinedResults(call, symbolic));
}

} // namespace aotscope::torch
