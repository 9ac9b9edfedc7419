#include "fake/meta/real_zeros.h"

#include "base/mapped.h"
#include "dispatch/map_tensors.h"
#include "dispatch/operators.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/enum_tag.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

bool isTried(const c10::OperatorHandle& op) {
    if (!op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU) ||
        op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output) ||
        op.hasTag(at::Tag::inplace_view)) {
        return false;
    }
    // A view would alias these zeros, not the caller's argument.
    const std::vector<c10::Argument>& returns = op.schema().returns();
    return std::ranges::none_of(returns, [](const c10::Argument& result) {
        return result.alias_info() != nullptr && !result.alias_info()->isWrite();
    });
}

std::int64_t storedElements(const at::Tensor& tensor) {
    return static_cast<std::int64_t>(
        at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), 1, tensor.storage_offset()));
}

class ZerosCall {
public:
    c10::Stack realArguments(c10::ArrayRef<c10::IValue> arguments) {
        c10::Stack made;
        for (const c10::IValue& argument : arguments) {
            made.push_back(argument.isDevice() ? c10::IValue(c10::Device(c10::kCPU))
                                               : mapTensors(argument, [this](const at::Tensor& meta) {
                                                     return realOf(meta);
                                                 }));
        }
        return made;
    }

    c10::IValue metaResult(const c10::IValue& result) const {
        return mapTensors(result, [this](const at::Tensor& real) { return metaOf(real); });
    }

private:
    at::Tensor realOf(const at::Tensor& meta) {
        if (!meta.is_meta()) {
            return meta;
        }
        const std::int64_t elements = storedElements(meta);
        const at::Tensor flat =
            at::zeros({elements}, at::TensorOptions(meta.scalar_type()).device(c10::kCPU));
        at::Tensor real =
            flat.as_strided(meta.sizes(), meta.strides(), elements == 0 ? 0 : meta.storage_offset());
        if (meta.unsafeGetTensorImpl()->is_wrapped_number()) {
            real.unsafeGetTensorImpl()->set_wrapped_number(true);
        }
        m_made.emplace_back(real, meta);
        return real;
    }

    at::Tensor metaOf(const at::Tensor& real) const {
        for (const auto& [made, meta] : m_made) {
            if (made.is_same(real)) {
                return meta;
            }
        }
        return at::detail::empty_strided_meta(real.sizes(), real.strides(), real.scalar_type());
    }

    std::vector<std::pair<at::Tensor, at::Tensor>> m_made;
};

std::int64_t elementCount(c10::ArrayRef<c10::IValue> arguments) {
    std::int64_t elements = 0;
    for (const c10::IValue& argument : arguments) {
        forEachTensor(argument, [&](const at::Tensor& tensor) { elements += storedElements(tensor); });
    }
    return elements;
}

} // namespace

bool runOnRealZeros(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<std::string>& ran) {
    const auto arguments = argumentsOn(op, stack);
    if (!isTried(op) || elementCount(arguments) > elementLimit) {
        return false;
    }
    const at::AutoDispatchBelowADInplaceOrView guard;
    ZerosCall call;
    c10::Stack real = call.realArguments(arguments);
    op.callBoxed(real);
    replaceArguments(op, stack,
                     base::mapped(real, [&](const c10::IValue& result) { return call.metaResult(result); }));
    std::string name = toString(op.operator_name());
    if (std::ranges::find(ran, name) == ran.end()) {
        ran.push_back(std::move(name));
    }
    return true;
}

} // namespace aotscope::torch
