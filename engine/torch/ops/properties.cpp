#include "ops/calls.h"

#include "dispatch/failure.h"

#include <ATen/EmptyTensor.h>

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

/// Attributes that ask whether a tensor is on a kind of device.
struct DeviceAttribute {
    std::string_view name;
    c10::DeviceType type;
};
constexpr std::array deviceAttributes = {
    DeviceAttribute{"is_cpu", c10::DeviceType::CPU},       DeviceAttribute{"is_cuda", c10::DeviceType::CUDA},
    DeviceAttribute{"is_meta", c10::DeviceType::Meta},     DeviceAttribute{"is_xpu", c10::DeviceType::XPU},
    DeviceAttribute{"is_mps", c10::DeviceType::MPS},       DeviceAttribute{"is_xla", c10::DeviceType::XLA},
    DeviceAttribute{"is_hpu", c10::DeviceType::HPU},       DeviceAttribute{"is_ipu", c10::DeviceType::IPU},
    DeviceAttribute{"is_mtia", c10::DeviceType::MTIA},     DeviceAttribute{"is_maia", c10::DeviceType::MAIA},
    DeviceAttribute{"is_vulkan", c10::DeviceType::Vulkan},
};

std::optional<Value> tensorAttribute(Calls& calls, const at::Tensor& self, std::string_view name) {
    for (const auto& [attribute, op] : viewAttributes) {
        if (attribute == name) {
            // A real tensor is its own real part.
            return calls.torch(op, {self});
        }
    }
    if (name == "shape") {
        return Value::size(self.sym_sizes());
    }
    if (name == "dtype") {
        return self.scalar_type();
    }
    if (name == "device") {
        return self.device();
    }
    if (name == "layout") {
        return self.layout();
    }
    if (name == "ndim") {
        return self.dim();
    }
    if (name == "data") {
        return self.variable_data();
    }
    if (name == "grad") {
        return self.grad();
    }
    if (name == "requires_grad") {
        return self.requires_grad();
    }
    if (name == "is_leaf") {
        return self.is_leaf();
    }
    if (name == "itemsize") {
        return static_cast<std::int64_t>(self.element_size());
    }
    if (name == "nbytes") {
        return self.sym_numel() * static_cast<std::int64_t>(self.element_size());
    }
    if (name == "output_nr") {
        return self.output_nr();
    }
    if (name == "_version") {
        return self._version();
    }
    for (const auto& [attribute, type] : deviceAttributes) {
        if (attribute == name) {
            return self.device().type() == type;
        }
    }
    if (name == "is_sparse" || name == "is_quantized" || name == "is_mkldnn" || name == "is_nested") {
        return name == "is_sparse"      ? self.is_sparse()
               : name == "is_quantized" ? self.is_quantized()
               : name == "is_mkldnn"    ? self.is_mkldnn()
                                        : self.is_nested();
    }
    return std::nullopt;
}

std::optional<Value> objectAttribute(const Value& object, std::string_view name) {
    if (const auto* tuple = object.as<Tuple>()) {
        const auto& fields = tuple->data->fields;
        const auto found = std::find(fields.begin(), fields.end(), name);
        if (found != fields.end()) {
            return tuple->data->items[static_cast<std::size_t>(found - fields.begin())];
        }
    }
    if (const auto* dict = object.as<Dict>()) {
        for (const auto& [key, value] : *dict->items) {
            if (key.isString() && key.string() == name) {
                return value;
            }
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
    static const at::Tensor probe = at::detail::empty_cpu({1}, c10::kFloat);
    const bool isView = std::any_of(viewAttributes.begin(), viewAttributes.end(),
                                    [&](const ViewAttribute& view) { return view.name == name; });
    // Which attributes there are depends on no rule.
    Calls calls{aot::TraceRules()};
    return isView || tensorAttribute(calls, probe, name).has_value();
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
