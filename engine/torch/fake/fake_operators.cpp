#include "fake/fake_operators.h"

#include "fake/meta/compute_shapes.h"
#include "fake/meta/device_in_question.h"

#include <ATen/ops/empty_strided.h>

namespace aotscope::torch {

namespace {

/// Calls `visit(const at::Tensor&)` for every defined tensor argument.
template<typename Visit>
void eachTensor(const c10::IValue& value, Visit&& visit) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) {
            visit(value.toTensor());
        }
    } else if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            eachTensor(item, visit);
        }
    }
}

at::Tensor metaOfReal(const at::Tensor& real) {
    if (real.is_meta() || real.unsafeGetTensorImpl()->is_wrapped_number()) {
        return real;
    }
    return at::empty_strided(real.sizes(), real.strides(), real.options().device(c10::kMeta));
}

/// One variant's arguments: meta tensors for fake ones.
c10::IValue metaArgument(const c10::IValue& value, std::size_t variant) {
    if (value.isTensor()) {
        const at::Tensor& tensor = value.toTensor();
        if (!tensor.defined()) {
            return value;
        }
        if (const FakeTensorImpl* fake = asFake(tensor)) {
            return fake->variants()[std::min(variant, fake->variants().size() - 1)];
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
        for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorList()) {
            list.push_back(tensor && tensor->defined()
                               ? std::optional<at::Tensor>(metaArgument(*tensor, variant).toTensor())
                               : tensor);
        }
        return list;
    }
    if (value.isDevice()) {
        return c10::Device(c10::kMeta);
    }
    return value;
}

/// Finds again the fake tensor whose meta tensor an operator returned.
class InPlaceArguments {
public:
    void add(const c10::IValue& value) {
        eachTensor(value, [&](const at::Tensor& tensor) {
            if (const FakeTensorImpl* fake = asFake(tensor)) {
                m_fakes.emplace_back(fake->variants().front().unsafeGetTensorImpl(), tensor);
            }
        });
    }
    [[nodiscard]] const at::Tensor* find(const at::Tensor& meta) const {
        for (const auto& [impl, tensor] : m_fakes) {
            if (impl == meta.unsafeGetTensorImpl()) {
                return &tensor;
            }
        }
        return nullptr;
    }

private:
    std::vector<std::pair<const c10::TensorImpl*, at::Tensor>> m_fakes;
};

at::Tensor fakeResult(const at::Tensor& meta, const InPlaceArguments& inPlace, c10::Device device) {
    if (!meta.defined()) {
        return meta;
    }
    if (const at::Tensor* same = inPlace.find(meta)) {
        FakeTensorImpl& fake = *asFake(*same);
        fake.assign(FakeTensorImpl({meta}, fake.device()));
        return *same;
    }
    return at::detail::make_tensor<FakeTensorImpl>(std::vector<at::Tensor>{meta}, device);
}

c10::IValue fakeResults(const c10::IValue& value, const InPlaceArguments& inPlace, c10::Device device) {
    if (value.isTensor()) {
        return fakeResult(value.toTensor(), inPlace, device);
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            list.push_back(fakeResult(tensor, inPlace, device));
        }
        return list;
    }
    return value;
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
        eachTensor(argument, [&](const at::Tensor& tensor) {
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

void callOnFakes(const c10::OperatorHandle& op, c10::Stack& stack) {
    const c10::FunctionSchema& schema = op.schema();
    const std::size_t first = stack.size() - schema.arguments().size();
    const c10::ArrayRef<c10::IValue> arguments(stack.data() + first, schema.arguments().size());
    const c10::Device device = resultDevice(schema, arguments);
    InPlaceArguments inPlace;
    c10::Stack metaStack;
    metaStack.reserve(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        inPlace.add(arguments[i]);
        metaStack.push_back(metaArgument(arguments[i], 0));
        if (schema.arguments()[i].name() == "device" && metaStack.back().isNone()) {
            // A factory without a device would make a real tensor.
            metaStack.back() = c10::Device(c10::kMeta);
        }
    }
    {
        const c10::impl::ExcludeDispatchKeyGuard withoutFake(c10::DispatchKey::Fake);
        const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
        const DeviceInQuestion faking(device.type());
        computeShapes(op, metaStack);
    }
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    for (const c10::IValue& result : metaStack) {
        stack.push_back(fakeResults(result, inPlace, device));
    }
}

} // namespace aotscope::torch
