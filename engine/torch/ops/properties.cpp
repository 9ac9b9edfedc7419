#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <algorithm>
#include <array>

/// Attributes of tensors and of the small objects (dtypes, devices, slices) that graphs read.
namespace aotscope::torch::ops {

namespace {

/// Attributes that are calls of the dispatcher.
struct ViewAttribute {
    std::string_view name;
    std::string_view op;
};
constexpr std::array viewAttributes = {
    ViewAttribute{"T", "numpy_T"}, ViewAttribute{"mT", "mT"},     ViewAttribute{"H", "matrix_H"},
    ViewAttribute{"mH", "mH"},     ViewAttribute{"real", "real"}, ViewAttribute{"imag", "imag"},
};

template<c10::DeviceType Type>
Value isOn(const at::Tensor& t) {
    return t.device().type() == Type;
}

/// Attributes that are read.
struct ReadAttribute {
    std::string_view name;
    Value (*read)(const at::Tensor& t);
};
const ReadAttribute readAttributes[] = {
    {"shape", [](const at::Tensor& t) -> Value { return Value::size(t.sym_sizes()); }},
    {"dtype", [](const at::Tensor& t) -> Value { return t.scalar_type(); }},
    {"device", [](const at::Tensor& t) -> Value { return t.device(); }},
    {"layout", [](const at::Tensor& t) -> Value { return t.layout(); }},
    {"ndim", [](const at::Tensor& t) -> Value { return t.dim(); }},
    {"data", [](const at::Tensor& t) -> Value { return t.variable_data(); }},
    {"grad", [](const at::Tensor& t) -> Value { return t.grad(); }},
    {"requires_grad", [](const at::Tensor& t) -> Value { return t.requires_grad(); }},
    {"is_leaf", [](const at::Tensor& t) -> Value { return t.is_leaf(); }},
    {"itemsize", [](const at::Tensor& t) -> Value { return static_cast<std::int64_t>(t.element_size()); }},
    {"nbytes",
     [](const at::Tensor& t) -> Value {
         return t.sym_numel() * static_cast<std::int64_t>(t.element_size());
     }},
    {"output_nr", [](const at::Tensor& t) -> Value { return t.output_nr(); }},
    {"_version", [](const at::Tensor& t) -> Value { return t._version(); }},
    {"is_sparse", [](const at::Tensor& t) -> Value { return t.is_sparse(); }},
    {"is_quantized", [](const at::Tensor& t) -> Value { return t.is_quantized(); }},
    {"is_mkldnn", [](const at::Tensor& t) -> Value { return t.is_mkldnn(); }},
    {"is_nested", [](const at::Tensor& t) -> Value { return t.is_nested(); }},
    {"is_cpu", isOn<c10::DeviceType::CPU>},
    {"is_cuda", isOn<c10::DeviceType::CUDA>},
    {"is_meta", isOn<c10::DeviceType::Meta>},
    {"is_xpu", isOn<c10::DeviceType::XPU>},
    {"is_mps", isOn<c10::DeviceType::MPS>},
    {"is_xla", isOn<c10::DeviceType::XLA>},
    {"is_hpu", isOn<c10::DeviceType::HPU>},
    {"is_ipu", isOn<c10::DeviceType::IPU>},
    {"is_mtia", isOn<c10::DeviceType::MTIA>},
    {"is_maia", isOn<c10::DeviceType::MAIA>},
    {"is_vulkan", isOn<c10::DeviceType::Vulkan>},
};

std::optional<Value> tensorAttribute(Calls& calls, const at::Tensor& self, std::string_view name) {
    if (const auto* view = findNamed(viewAttributes, name)) {
        // A real tensor is its own real part.
        return calls.torch(view->op, {self});
    }
    const auto* attribute = findNamed(readAttributes, name);
    return attribute == nullptr ? std::nullopt : std::optional(attribute->read(self));
}

std::optional<Value> objectAttribute(const Value& object, std::string_view name) {
    if (const auto* tuple = object.as<Tuple>()) {
        const auto& fields = tuple->data->fields;
        const auto found = std::ranges::find(fields, name);
        if (found != fields.end()) {
            return tuple->data->items[static_cast<std::size_t>(found - fields.begin())];
        }
    }
    if (const auto* dict = object.as<Dict>()) {
        if (const Value* entry = entryOf(*dict, std::string(name))) {
            return *entry;
        }
    }
    if (const auto* device = object.as<c10::Device>()) {
        if (name == "type") {
            return c10::DeviceTypeName(device->type(), true);
        }
        if (name == "index") {
            return device->has_index() ? Value(device->index()) : Value();
        }
    }
    if (const auto* dtype = object.as<c10::ScalarType>()) {
        if (name == "is_floating_point") {
            return c10::isFloatingType(*dtype);
        }
        if (name == "is_complex") {
            return c10::isComplexType(*dtype);
        }
        if (name == "itemsize") {
            return static_cast<std::int64_t>(c10::elementSize(*dtype));
        }
    }
    if (const auto* slice = object.as<Slice>()) {
        if (name == "start" || name == "stop" || name == "step") {
            return (*slice->parts)[name == "start" ? 0 : name == "stop" ? 1 : 2];
        }
    }
    if (const auto* number = object.as<c10::complex<double>>(); number != nullptr && name == "real") {
        return number->real();
    } else if (number != nullptr && name == "imag") {
        return number->imag();
    }
    if (object.isNumber() && (name == "real" || name == "imag")) {
        return name == "real" ? object : Value(0);
    }
    return std::nullopt;
}

} // namespace

bool Calls::knowsAttribute(std::string_view name) {
    return findNamed(viewAttributes, name) != nullptr || findNamed(readAttributes, name) != nullptr;
}

Value Calls::attribute(const Value& object, std::string_view name) {
    auto found =
        object.isTensor() ? tensorAttribute(*this, object.tensor(), name) : objectAttribute(object, name);
    if (!found) {
        fail("ops.unknown_function",
             "A value of type " + object.typeName() + " has no attribute " + std::string(name) + ".");
    }
    return *std::move(found);
}

} // namespace aotscope::torch::ops
