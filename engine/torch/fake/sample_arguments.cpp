#include "fake/sampled_results.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// A fake tensor's own meta tensor where it has one for these values, else a new one.
at::Tensor metaOfFake(const FakeTensorImpl& fake, std::size_t sample) {
    const std::vector<at::Tensor>& own = fake.samples();
    if (sample < ShapeEnvironment::sampleCount || own.size() == 1) {
        return own[std::min(sample, own.size() - 1)];
    }
    const auto made = metaForCheck(fake, sample);
    TORCH_CHECK(made.has_value(), "a size is 0 or 1");
    return *made;
}

at::Tensor metaOfReal(const at::Tensor& real) {
    if (real.is_meta() || real.unsafeGetTensorImpl()->is_wrapped_number()) {
        return real;
    }
    return at::empty_strided(real.sizes(), real.strides(), real.options().device(c10::kMeta));
}

} // namespace

c10::IValue metaArgument(const c10::IValue& value, std::size_t sample) {
    if (value.isTensor() || value.isTensorList() || value.isOptionalTensorList()) {
        return mapTensors(value, [&](const at::Tensor& tensor) {
            const FakeTensorImpl* fake = asFake(tensor);
            return fake != nullptr ? metaOfFake(*fake, sample) : metaOfReal(tensor);
        });
    }
    if (value.isDevice()) {
        return c10::Device(c10::kMeta);
    }
    if (value.isSymInt()) {
        return sampledValue(value.toSymInt(), sample);
    }
    if (value.isSymFloat()) {
        const auto* node = dynamic_cast<const SymbolicNode*>(value.toSymFloat().toSymNodeImplUnowned());
        return node == nullptr ? value : c10::IValue(node->value(sample));
    }
    if (value.isSymBool()) {
        return value.toSymBool().guard_bool(__FILE__, __LINE__);
    }
    if (value.isList() && !value.toListRef().empty() &&
        std::ranges::any_of(value.toListRef(), [](const c10::IValue& item) { return item.isSymInt(); })) {
        c10::List<std::int64_t> list;
        for (const c10::IValue& item : value.toListRef()) {
            list.push_back(item.isSymInt() ? sampledValue(item.toSymInt(), sample) : item.toInt());
        }
        return list;
    }
    return value;
}

bool dependsOnSymbols(const c10::IValue& value) {
    bool depends = value.isSymInt() || value.isSymFloat();
    forEachTensor(value, [&](const at::Tensor& tensor) {
        const FakeTensorImpl* fake = asFake(tensor);
        depends = depends || (fake != nullptr && fake->samples().size() > 1);
    });
    if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            depends = depends || item.isSymInt();
        }
    }
    return depends;
}

const at::Tensor* argumentOf(const at::Tensor& meta, c10::ArrayRef<c10::IValue> arguments) {
    const at::Tensor* found = nullptr;
    const auto look = [&](const at::Tensor& tensor) {
        const FakeTensorImpl* fake = found == nullptr ? asFake(tensor) : nullptr;
        found = fake != nullptr && fake->samples().front().is_same(meta) ? &tensor : found;
    };
    for (std::size_t i = 0; i < arguments.size() && found == nullptr; ++i) {
        // Lists of numbers have no tensors.
        if (!arguments[i].isIntList() && !arguments[i].isDoubleList()) {
            forEachTensor(arguments[i], look);
        }
    }
    return found;
}

} // namespace aotscope::torch
