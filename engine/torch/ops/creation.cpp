#include "ops/functional.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/lift_fresh.h>

#include <limits>

/// torch.tensor and related functions: tensors from Python data.
namespace aotscope::torch::ops {

namespace {

c10::ScalarType defaultType() {
    return c10::get_default_dtype_as_scalartype();
}

/// Calls `visit` with a zero of the C++ type of a dtype.
template<typename Visit>
void withType(c10::ScalarType dtype, Visit&& visit) {
    switch (dtype) {
#define AOTSCOPE_ELEMENTS(type, name)                                                                        \
    case c10::ScalarType::name:                                                                              \
        return visit(type{});
        AT_FORALL_SCALAR_TYPES_AND3(Bool, Half, BFloat16, AOTSCOPE_ELEMENTS)
        AT_FORALL_COMPLEX_TYPES(AOTSCOPE_ELEMENTS)
#undef AOTSCOPE_ELEMENTS
    default:
        fail("ops.type", std::string("Tensors of data cannot be made in ") + c10::toString(dtype) + ".");
    }
}

/// The sizes of nested sequences, read from the first element of each.
void measure(const Value& data, std::vector<std::int64_t>& sizes) {
    if (data.isSequence()) {
        const auto items = data.items();
        sizes.push_back(static_cast<std::int64_t>(items.size()));
        if (!items.empty()) {
            measure(items.front(), sizes);
        }
    } else if (data.isTensor()) {
        const auto tensorSizes = data.tensor().sizes();
        sizes.insert(sizes.end(), tensorSizes.begin(), tensorSizes.end());
    }
}

void flatten(const Value& data, std::size_t depth, const std::vector<std::int64_t>& sizes,
             std::vector<c10::Scalar>& numbers) {
    if (data.isSequence()) {
        const auto items = data.items();
        if (depth >= sizes.size() || static_cast<std::int64_t>(items.size()) != sizes[depth]) {
            fail("ops.arguments", "The nested sequences of a tensor's data differ in length.");
        }
        for (const Value& item : items) {
            flatten(item, depth + 1, sizes, numbers);
        }
    } else if (data.isTensor()) {
        const at::Tensor flat = data.tensor().detach().reshape({-1});
        for (std::int64_t i = 0; i < flat.numel(); ++i) {
            numbers.push_back(flat.select(0, i).item());
        }
    } else {
        numbers.push_back(data.isInt()     ? c10::Scalar(data.integer())
                          : data.isBool()  ? c10::Scalar(data.truth())
                          : data.isFloat() ? c10::Scalar(data.real())
                                           : data.scalar());
    }
}

at::Tensor plainTensor(const Value& data, c10::ScalarType dtype) {
    std::vector<std::int64_t> sizes;
    measure(data, sizes);
    std::vector<c10::Scalar> numbers;
    flatten(data, 0, sizes, numbers);
    // Bypasses the dispatcher: this is data, not a call to record.
    at::Tensor tensor = at::detail::empty_cpu(sizes, dtype);
    withType(dtype, [&](auto zero) {
        auto* out = static_cast<decltype(zero)*>(tensor.data_ptr());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            out[i] = numbers[i].to<decltype(zero)>();
        }
    });
    return tensor;
}

c10::Device deviceOr(const Value& device, c10::Device otherwise = c10::kCPU) {
    return device.isString() ? c10::Device(device.string())
           : device.isNone() ? otherwise
                             : *device.as<c10::Device>();
}

std::optional<c10::ScalarType> dtypeOrNone(const Value& dtype) {
    return dtype.isNone() ? std::nullopt : std::optional(dtype.dtype());
}

Value tensorOfData(Calls& call, const Value& data, std::optional<c10::ScalarType> dtype, c10::Device device,
                   bool requiresGrad) {
    if (data.isTensor()) {
        // A detached copy, as torch.tensor makes of a tensor.
        const at::Tensor copy = call.method("to", {data.tensor().detach(), device,
                                                   dtype.value_or(data.tensor().scalar_type()), false, true})
                                    .tensor();
        return requiresGrad ? copy.set_requires_grad(true) : copy;
    }
    at::Tensor tensor = dataTensor(data, dtype, device);
    call.method("detach_", {tensor});
    return requiresGrad ? tensor.set_requires_grad(true) : tensor;
}

Value tensor(Calls& call, const Bound& args) {
    return tensorOfData(call, args["data"], dtypeOrNone(args["dtype"]), deviceOr(args["device"]),
                        args.flag("requires_grad"));
}

/// Follows torch 2.15, torch/_refs/__init__.py: _recursive_build.
at::Tensor builtOf(Calls& call, const Value& data, c10::ScalarType dtype) {
    if (data.isTensor()) {
        const Value copy =
            call.method("to", {data.tensor().detach(), c10::Device(c10::kCPU), dtype, false, true});
        return (data.tensor().sym_numel() == 1 ? call.method("view", {copy, Value::list({})}) : copy)
            .tensor();
    }
    if (!data.isSequence()) {
        return call.function("torch.scalar_tensor", {data}, {{"dtype", dtype}}).tensor();
    }
    auto parts =
        base::mapped<Values>(data.items(), [&](const Value& item) { return builtOf(call, item, dtype); });
    return (parts.empty() ? call.torch("empty", {Value::list({std::int64_t{0}})})
                          : call.torch("stack", {Value::list(std::move(parts))}))
        .tensor();
}

/// torch.tensor of numbers that are not all constant: each one becomes a tensor, and these are stacked.
/// Follows torch 2.15, torch/_refs/__init__.py: tensor.
Value tensorOfNumbers(Calls& call, const Bound& args) {
    const Value& data = args["data"];
    if (data.isTensor()) {
        return tensorOfData(call, data, dtypeOrNone(args["dtype"]),
                            deviceOr(args["device"], data.tensor().device()), args.flag("requires_grad"));
    }
    const c10::ScalarType dtype = dtypeOrNone(args["dtype"]).value_or(inferredType(data));
    const Value made = call.method("to", {builtOf(call, data, dtype), deviceOr(args["device"]), dtype});
    call.method("detach_", {made});
    return args.flag("requires_grad") ? Value(made.tensor().set_requires_grad(true)) : made;
}

Value scalarTensor(Calls& call, const Bound& args) {
    return call.op("aten.scalar_tensor.default", {args["s"]},
                   {{"dtype", args["dtype"]}, {"device", deviceOr(args["device"])}, {"pin_memory", false}});
}

Value asTensor(Calls& call, const Bound& args) {
    const Value& data = args["data"];
    if (data.isTensor()) {
        const at::Tensor& given = data.tensor();
        return call.method("to", {data, args["device"].isNone() ? Value(given.device()) : args["device"],
                                  args["dtype"].isNone() ? Value(given.scalar_type()) : args["dtype"]});
    }
    return dataTensor(data, dtypeOrNone(args["dtype"]), deviceOr(args["device"]));
}

/// Follows torch/csrc/utils/tensor_new.cpp: asarray_.
Value asArray(Calls& call, const Bound& args) {
    if (!args["data"].isTensor()) {
        return asTensor(call, args);
    }
    const at::Tensor& given = args.tensor("data");
    const c10::Device device = deviceOr(args["device"], given.device());
    const c10::ScalarType dtype = dtypeOrNone(args["dtype"]).value_or(given.scalar_type());
    const bool copies = args["copy"].truth();
    Value made = given;
    if (device != given.device() || dtype != given.scalar_type()) {
        made = call.method("to", {given, device, dtype, false, copies});
    } else if (copies) {
        made = call.method("clone", {given});
    }
    const Value& wanted = args["requires_grad"];
    const at::Tensor& tensor = made.tensor();
    if (wanted.truth()) {
        return tensor.set_requires_grad(true);
    }
    const bool keeps = wanted.isNone() && call.rules().asarrayKeepsRequiringGrad;
    return keeps || !tensor.requires_grad() ? tensor : tensor.detach();
}

Value newTensor(Calls& call, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    return tensorOfData(call, args["data"], dtypeOrNone(args["dtype"]).value_or(self.scalar_type()),
                        deviceOr(args["device"], self.device()), args.flag("requires_grad"));
}

/// Tensor.new: an uninitialized tensor of these sizes, or a tensor of this data.
Value newLegacy(Calls& call, const Bound& args) {
    const auto given = args["args"].items();
    if (given.size() == 1 && given[0].isSequence() && !(given[0].is<Tuple>())) {
        return dataTensor(given[0], args.tensor("self").scalar_type(), args.tensor("self").device());
    }
    Values sizes(given.begin(), given.end());
    return call.method("new_empty", {args["self"], given.size() == 1 && given[0].isSequence()
                                                       ? given[0]
                                                       : Value::list(std::move(sizes))});
}

Value fields(std::vector<std::pair<Value, Value>> items) {
    return Dict{std::make_shared<std::vector<std::pair<Value, Value>>>(std::move(items))};
}

Value finfo(Calls& /*call*/, const Bound& args) {
    const c10::ScalarType type = args["type"].isNone() ? defaultType() : args["type"].dtype();
    Value result;
    withType(type, [&](auto zero) {
        using Type = decltype(zero);
        using Limits = std::numeric_limits<Type>;
        if constexpr (!Limits::is_integer && !c10::is_complex<Type>::value) {
            const auto real = [](Type value) { return Value(static_cast<double>(value)); };
            result = fields({{"bits", static_cast<std::int64_t>(sizeof(Type) * 8)},
                             {"eps", real(Limits::epsilon())},
                             {"max", real(Limits::max())},
                             {"min", real(Limits::lowest())},
                             {"tiny", real(Limits::min())},
                             {"smallest_normal", real(Limits::min())}});
        }
    });
    return result;
}

Value iinfo(Calls& /*call*/, const Bound& args) {
    Value result;
    withType(args["type"].dtype(), [&](auto zero) {
        using Limits = std::numeric_limits<decltype(zero)>;
        if constexpr (Limits::is_integer) {
            result = fields({{"bits", static_cast<std::int64_t>(sizeof(zero) * 8)},
                             {"max", static_cast<std::int64_t>(Limits::max())},
                             {"min", static_cast<std::int64_t>(Limits::min())}});
        }
    });
    return result;
}

Value sizeType(Calls& /*call*/, const Bound& args) {
    const auto items = args["sizes"].items();
    return Value::tuple(Values(items.begin(), items.end()), {}, "torch.Size");
}

Value device(Calls& /*call*/, const Bound& args) {
    if (!args["type"].isString()) {
        return args["type"];
    }
    const c10::Device device(args["type"].string());
    return args["index"].isNone()
               ? device
               : c10::Device(device.type(), static_cast<c10::DeviceIndex>(args["index"].integer()));
}

Value builtinSlice(Calls& /*call*/, const Bound& args) {
    const auto parts = args["args"].items();
    return parts.size() == 1 ? Value::slice({}, parts[0], {})
                             : Value::slice(parts[0], parts[1], parts.size() > 2 ? parts[2] : Value());
}

/// Below autograd, like the Python binding: autograd has no derivative for it.
Value randintLike(Calls& call, const Bound& args) {
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    Values given = {args["input"]};
    const auto rest = args["args"].items();
    given.insert(given.end(), rest.begin(), rest.end());
    return call.torch("randint_like", std::move(given), args.extra());
}

constexpr std::string_view tensorParameters =
    "data, *, dtype=None, device=None, requires_grad=False, pin_memory=False";

const PythonFunction creationTable[] = {
    {"torch.tensor", tensorParameters, tensor},
    {"torch._refs.tensor", "data, *, dtype=None, device=None, pin_memory=False, requires_grad=False",
     tensorOfNumbers},
    {"torch.as_tensor", "data, dtype=None, device=None", asTensor},
    {"torch.asarray", "data, *, dtype=None, device=None, copy=None, requires_grad=None", asArray},
    {"torch.scalar_tensor",
     "s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False", scalarTensor},
    {"torch.randint_like", "input, *args, **", randintLike},
    {"Tensor.new_tensor", "self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False",
     newTensor},
    {"Tensor.new", "self, *args, device=None", newLegacy},
    {"torch.finfo", "type=None", finfo},
    {"torch.iinfo", "type", iinfo},
    {"torch.Size", "sizes=()", sizeType},
    {"torch.device", "type, index=None", device},
    {"builtins.slice", "*args", builtinSlice},
};

} // namespace

c10::ScalarType inferredType(const Value& data, std::optional<c10::ScalarType> real) {
    if (data.isTensor()) {
        return data.tensor().scalar_type();
    }
    if (data.isSequence()) {
        std::optional<c10::ScalarType> type;
        for (const Value& item : data.items()) {
            const c10::ScalarType next = inferredType(item, real);
            type = type ? c10::promoteTypes(*type, next) : next;
        }
        return type.value_or(real.value_or(defaultType()));
    }
    return data.isBool()    ? c10::kBool
           : data.isInt()   ? c10::kLong
           : data.isFloat() ? real.value_or(defaultType())
           : real           ? c10::toComplexType(*real)
                            : c10::typeMetaToScalarType(c10::get_default_complex_dtype());
}

at::Tensor dataTensor(const Value& data, std::optional<c10::ScalarType> dtype, c10::Device device) {
    const at::Tensor tensor = plainTensor(data, dtype.value_or(inferredType(data)));
    const at::Tensor lifted = at::lift_fresh(tensor);
    return device.is_cpu() ? lifted : lifted.to(device);
}

at::Tensor indexTensor(const Value& data, c10::Device device) {
    const c10::ScalarType type = inferredType(data);
    const bool mask = type == c10::kBool || type == c10::kByte;
    return dataTensor(data, mask ? type : c10::kLong, device);
}

constinit const FunctionFamily creationFunctions = creationTable;

} // namespace aotscope::torch::ops
