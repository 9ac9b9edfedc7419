#include "fake/fake_operators.h"

#include "base/mapped.h"
#include "dispatch/libtorch_release.h"
#include "dispatch/map_tensors.h"
#include "dispatch/operators.h"
#include "fake/sampled_results.h"
#include "fake/symbolic_number.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// PyTorch's CONSTANT_NUMEL_LIMIT.
constexpr std::int64_t mostElements = 1;

/// The value of a constant; undefined for any other tensor.
at::Tensor valuesOf(const at::Tensor& tensor) {
    if (const FakeTensorImpl* fake = asFake(tensor)) {
        return fake->constant();
    }
    const bool isPlain = tensor.defined() && tensor.device().is_cpu() && tensor.layout() == c10::kStrided &&
                         symbolicNumber(tensor) == nullptr && tensor.numel() <= mostElements;
    return isPlain ? tensor : at::Tensor();
}

/// Whether the arguments contain tensors, and all of them are CPU constants.
bool areConstants(c10::ArrayRef<c10::IValue> arguments) {
    bool any = false;
    for (const c10::IValue& argument : arguments) {
        bool all = !(argument.isDevice() && !argument.toDevice().is_cpu());
        forEachTensor(argument, [&](const at::Tensor& tensor) {
            any = true;
            all = all && valuesOf(tensor).defined();
        });
        if (!all || dependsOnSymbols(argument)) {
            return false;
        }
    }
    return any;
}

bool isSmall(const c10::IValue& result) {
    bool small = true;
    forEachTensor(result, [&](const at::Tensor& tensor) {
        small =
            small && tensor.defined() && tensor.layout() == c10::kStrided && tensor.numel() <= mostElements;
    });
    return small;
}

} // namespace

bool callOnConstants(const c10::OperatorHandle& op, c10::Stack& stack, const ShapeEnvironment& environment) {
    const c10::ArrayRef<c10::IValue> arguments = argumentsOn(op, stack);
    const bool ofTensors = std::ranges::any_of(arguments, [](const c10::IValue& argument) {
        return argument.isTensor() && asFake(argument.toTensor()) != nullptr;
    });
    if (!areConstants(arguments) || op.schema().is_mutable() || op.hasTag(at::Tag::nondeterministic_seeded)) {
        return false;
    }
    c10::Stack results =
        base::mapped(arguments, [](const c10::IValue& argument) { return mapTensors(argument, valuesOf); });
    {
        const c10::impl::ExcludeDispatchKeyGuard withoutFake(traceKey);
        const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
        op.callBoxed(results);
    }
    if (!std::ranges::all_of(results, isSmall)) {
        return false;
    }
    for (c10::IValue& result : results) {
        result = mapTensors(result, [&](const at::Tensor& values) {
            at::Tensor fake = makeFake(values.sym_sizes(), values.sym_strides(), 0, values.scalar_type(),
                                       values.device(), environment);
            asFake(fake)->setConstant(values);
            if (ofTensors && values.is_conj()) {
                // A tensor's conjugate is lazy. Python numbers are not functionalized, and have none.
                for (const at::Tensor& conjugate : {fake, asFake(fake)->samples().front()}) {
                    conjugate.unsafeGetTensorImpl()->_set_conj(true);
                }
            }
            return fake;
        });
    }
    replaceArguments(op, stack, std::move(results));
    return true;
}

} // namespace aotscope::torch
