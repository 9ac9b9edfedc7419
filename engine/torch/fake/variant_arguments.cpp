#include "fake/variant_arguments.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// A fake tensor's own meta tensor where it has one for these values, else a new one.
at::Tensor metaOfFake(const FakeTensorImpl& fake, std::size_t variant) {
    const std::vector<at::Tensor>& own = fake.variants();
    if (variant < ShapeEnvironment::variantCount || own.size() == 1) {
        return own[std::min(variant, own.size() - 1)];
    }
    const auto made = metaForCheck(fake, variant);
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

c10::IValue metaArgument(const c10::IValue& value, std::size_t variant) {
    if (value.isTensor()) {
        const at::Tensor& tensor = value.toTensor();
        if (!tensor.defined()) {
            return value;
        }
        if (const FakeTensorImpl* fake = asFake(tensor)) {
            return metaOfFake(*fake, variant);
        }
        return metaOfReal(tensor);
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            list.push_back(tensor.defined() ? metaArgument(tensor, variant).toTensor() : tensor);
        }
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const std::optional<at::Tensor> tensor : value.toOptionalTensorList()) {
            list.push_back(tensor && tensor->defined()
                               ? std::optional<at::Tensor>(metaArgument(*tensor, variant).toTensor())
                               : tensor);
        }
        return list;
    }
    if (value.isDevice()) {
        return c10::Device(c10::kMeta);
    }
    if (value.isSymInt()) {
        return variantValue(value.toSymInt(), variant);
    }
    if (value.isSymFloat()) {
        const auto* node = dynamic_cast<const SymbolicNode*>(value.toSymFloat().toSymNodeImplUnowned());
        return node == nullptr ? value : c10::IValue(node->value(variant));
    }
    if (value.isSymBool()) {
        return value.toSymBool().guard_bool(__FILE__, __LINE__);
    }
    if (value.isList() && !value.toListRef().empty() &&
        std::any_of(value.toListRef().begin(), value.toListRef().end(),
                    [](const c10::IValue& item) { return item.isSymInt(); })) {
        c10::List<std::int64_t> list;
        for (const c10::IValue& item : value.toListRef()) {
            list.push_back(item.isSymInt() ? variantValue(item.toSymInt(), variant) : item.toInt());
        }
        return list;
    }
    return value;
}

bool dependsOnSymbols(const c10::IValue& value) {
    bool depends = value.isSymInt() || value.isSymFloat();
    eachTensor(value, [&](const at::Tensor& tensor) {
        const FakeTensorImpl* fake = asFake(tensor);
        depends = depends || (fake != nullptr && fake->variants().size() > 1);
    });
    if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            depends = depends || item.isSymInt();
        }
    }
    return depends;
}

} // namespace aotscope::torch
