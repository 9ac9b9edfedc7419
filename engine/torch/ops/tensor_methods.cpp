#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <functional>

/// Tensor methods implemented in Python, or whose binding does more than call the operator of that name.
namespace aotscope::torch::ops {

namespace {

/// Tensor.to with a dtype alone.
Value toDtype(Calls& call, const Value& self, const Value& dtype, const Value& nonBlocking, const Value& copy,
              const Value& format) {
    return call.op("aten.to.dtype", {self, dtype, nonBlocking, copy}, {{"memory_format", format}});
}

/// Tensor.to for a device alone: the binding passes all options of the tensor explicitly.
Value toOptions(Calls& call, const Value& self, const Value& device, const Value& nonBlocking,
                const Value& copy, const Value& format) {
    const at::Tensor& tensor = self.tensor();
    return call.op("aten.to.dtype_layout", {self},
                   {{"dtype", tensor.scalar_type()},
                    {"layout", tensor.layout()},
                    {"device", device},
                    {"non_blocking", nonBlocking},
                    {"copy", copy},
                    {"memory_format", format}});
}

bool isDevice(const Value& value) {
    return value.is<c10::Device>() || value.isString() || value.isInt();
}

bool isDtype(const Value& value) {
    return value.is<c10::ScalarType>() || value.is<FunctionReference>();
}

/// The arguments that the three overloads of Tensor.to share.
struct Target {
    Value device;
    Value dtype;
    std::vector<Value> flags;
};

/// The positional arguments of to(device, dtype, …), to(dtype, …) and to(other, …).
Target targetOf(const Bound& args) {
    const auto given = args["args"].items();
    Target target{args["device"], args["dtype"], {}};
    std::size_t next = 0;
    if (!args["other"].isNone()) {
        target.device = args.tensor("other").device();
        target.dtype = args.tensor("other").scalar_type();
    }
    if (next < given.size() && given[next].isTensor()) {
        const at::Tensor& other = given[next++].tensor();
        target.device = other.device();
        target.dtype = other.scalar_type();
    } else if (next < given.size() && isDtype(given[next])) {
        target.dtype = given[next++];
    } else if (next < given.size() && (isDevice(given[next]) || given[next].isNone())) {
        target.device = given[next++];
        if (next < given.size() && (isDtype(given[next]) || given[next].isNone())) {
            target.dtype = given[next++];
        }
    }
    target.flags.assign(given.begin() + static_cast<std::ptrdiff_t>(next), given.end());
    if (target.flags.size() > 2) {
        fail("ops.arguments", "Tensor.to does not take " + argumentTypes(given, {}) + ".");
    }
    return target;
}

Value to(Calls& call, const Bound& args) {
    const Value& self = args["self"];
    const Target target = targetOf(args);
    const Value nonBlocking = !target.flags.empty() ? target.flags[0] : args["non_blocking"];
    const Value copy = target.flags.size() > 1 ? target.flags[1] : args["copy"];
    const Value format = args["memory_format"];
    if (target.device.isNone() && target.dtype.isNone()) {
        if (!copy.truth() && format.isNone()) {
            return self;
        }
        return toOptions(call, self, self.tensor().device(), nonBlocking, copy, format);
    }
    if (target.device.isNone()) {
        return toDtype(call, self, target.dtype, nonBlocking, copy, format);
    }
    if (target.dtype.isNone()) {
        return toOptions(call, self, target.device, nonBlocking, copy, format);
    }
    return call.op("aten.to.device", {self, target.device, target.dtype, nonBlocking, copy},
                   {{"memory_format", format}});
}

template<c10::ScalarType Type>
Value castTo(Calls& call, const Bound& args) {
    return toDtype(call, args["self"], Type, false, false, args["memory_format"]);
}

Value typeMethod(Calls& call, const Bound& args) {
    const Value& self = args["self"];
    const Value& dtype = args["dtype"];
    if (dtype.is<c10::ScalarType>()) {
        return toDtype(call, self, dtype, args["non_blocking"], false, args["memory_format"]);
    }
    std::string name = dtype.is<FunctionReference>() ? dtype.as<FunctionReference>()->target : dtype.string();
    const bool cuda = name.find("cuda.") != std::string::npos;
    name = name.substr(name.rfind('.') + 1);
    // Legacy tensor types, "torch.FloatTensor".
    for (const c10::ScalarType type : {c10::kFloat, c10::kDouble, c10::kHalf, c10::kBFloat16, c10::kLong,
                                       c10::kInt, c10::kShort, c10::kChar, c10::kByte, c10::kBool}) {
        if (name == std::string(c10::toString(type)) + "Tensor") {
            const c10::Device current = self.tensor().device();
            const c10::Device device = cuda == current.is_cuda() ? current
                                       : cuda                    ? c10::Device(c10::kCUDA)
                                                                 : c10::Device(c10::kCPU);
            return call.op("aten.to.device", {self, device, type, args["non_blocking"], false},
                           {{"memory_format", args["memory_format"]}});
        }
    }
    fail("ops.arguments", "Tensor.type does not know the type " + name + ".");
}

Value cpu(Calls& call, const Bound& args) {
    return toOptions(call, args["self"], c10::Device(c10::kCPU), false, false, args["memory_format"]);
}

Value cuda(Calls& call, const Bound& args) {
    const Value device =
        args["device"].isNone() ? Value(c10::Device(c10::kCUDA))
        : args["device"].isInt()
            ? Value(c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(args["device"].integer())))
            : args["device"];
    return toOptions(call, args["self"], device, args["non_blocking"], false, args["memory_format"]);
}

Value contiguous(Calls& call, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    const Value& given = args["memory_format"];
    const auto format = given.isNone() ? c10::MemoryFormat::Contiguous : *given.as<c10::MemoryFormat>();
    if (self.is_contiguous_or_false(format)) {
        return self;
    }
    return call.op("aten.contiguous.default", {self}, {{"memory_format", format}});
}

Value isContiguous(Calls& /*call*/, const Bound& args) {
    const Value& given = args["memory_format"];
    return args.tensor("self").is_contiguous(given.isNone() ? c10::MemoryFormat::Contiguous
                                                            : *given.as<c10::MemoryFormat>());
}

Value size(Calls& /*call*/, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    return args["dim"].isNone() ? Value::size(self.sym_sizes()) : Value(self.sym_size(args["dim"].integer()));
}

Value stride(Calls& /*call*/, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    if (!args["dim"].isNone()) {
        return self.sym_stride(args["dim"].integer());
    }
    const c10::SymIntArrayRef strides = self.sym_strides();
    return Value::tuple(Values(strides.begin(), strides.end()));
}

Value requiresGrad(Calls& /*call*/, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    self.requires_grad_(args.flag("requires_grad"));
    return self;
}

Value split(Calls& call, const Bound& args) {
    const Value& size = args["split_size"];
    const Value number = size.isTensor() ? call.method("item", {size}) : size;
    return call.torch(number.isSequence() ? "split_with_sizes" : "split",
                      {args["self"], number, args["dim"]});
}

/// A real tensor is its own conjugate.
Value conj(Calls& call, const Bound& args) {
    const at::Tensor& self = args.tensor("input");
    if (!self.is_complex()) {
        return self;
    }
    return call.op(self.layout() == c10::kStrided ? "aten._conj.default" : "aten.conj_physical.default",
                   {self});
}

Value copyInto(Calls& call, const Bound& args) {
    return call.op("aten.copy_.default", {args["self"], args["other"], args["non_blocking"]});
}

/// The body of a method that is a function of torch and takes the other arguments by keyword.
template<FixedText Function>
Value sameFunction(Calls& call, const Bound& args) {
    return call.function(Function.view(), {args["self"]}, args.afterFirst());
}

/// The body of a function that reads a property of its tensor.
template<FixedText Of, auto Property>
Value reads(Calls& /*call*/, const Bound& args) {
    return std::invoke(Property, args.tensor(Of.view()));
}

Value resize(Calls& call, const Bound& args) {
    return call.op("aten.resize_.default", {args["self"], listOrArguments(args["sizes"])});
}

constexpr std::string_view castParameters = "self, *, memory_format=None";

const PythonFunction tensorMethodsTable[] = {
    {"Tensor.to",
     "self, *args, device=None, dtype=None, other=None, non_blocking=False, copy=False, memory_format=None",
     to},
    {"Tensor.type", "self, dtype, non_blocking=False, *, memory_format=None", typeMethod},
    {"Tensor.cpu", castParameters, cpu},
    {"Tensor.cuda", "self, device=None, non_blocking=False, *, memory_format=None", cuda},
    {"Tensor.float", castParameters, castTo<c10::kFloat>},
    {"Tensor.double", castParameters, castTo<c10::kDouble>},
    {"Tensor.half", castParameters, castTo<c10::kHalf>},
    {"Tensor.bfloat16", castParameters, castTo<c10::kBFloat16>},
    {"Tensor.long", castParameters, castTo<c10::kLong>},
    {"Tensor.int", castParameters, castTo<c10::kInt>},
    {"Tensor.short", castParameters, castTo<c10::kShort>},
    {"Tensor.char", castParameters, castTo<c10::kChar>},
    {"Tensor.byte", castParameters, castTo<c10::kByte>},
    {"Tensor.bool", castParameters, castTo<c10::kBool>},
    {"Tensor.cfloat", castParameters, castTo<c10::kComplexFloat>},
    {"Tensor.cdouble", castParameters, castTo<c10::kComplexDouble>},
    {"Tensor.contiguous", castParameters, contiguous},
    {"Tensor.is_contiguous", castParameters, isContiguous},
    {"Tensor.size", "self, dim=None", size},
    {"Tensor.stride", "self, dim=None", stride},
    {"Tensor.dim ndimension", "self", reads<"self", &at::Tensor::dim>},
    {"Tensor.numel nelement torch.numel", "self", reads<"self", &at::Tensor::sym_numel>},
    {"Tensor.storage_offset", "self", reads<"self", &at::Tensor::sym_storage_offset>},
    {"Tensor.element_size", "self", reads<"self", &at::Tensor::element_size>},
    {"Tensor.get_device", "self", reads<"self", &at::Tensor::get_device>},
    {"Tensor.is_floating_point", "self", reads<"self", &at::Tensor::is_floating_point>},
    {"Tensor.is_complex", "self", reads<"self", &at::Tensor::is_complex>},
    {"torch.is_floating_point", "input", reads<"input", &at::Tensor::is_floating_point>},
    {"torch.is_complex", "input", reads<"input", &at::Tensor::is_complex>},
    {"Tensor.requires_grad_", "self, requires_grad=True", requiresGrad},
    {"Tensor.split", "self, split_size, dim=0", split},
    {"Tensor.conj torch.conj", "input", conj},
    {"Tensor.copy_", "self, other, non_blocking=False", copyInto},
    {"Tensor.resize_", "self, *sizes", resize},
    {"Tensor.norm", "self, p=\"fro\", dim=None, keepdim=False, dtype=None",
     sameFunction<"torch.functional.norm">},
    {"Tensor.stft",
     "self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode=\"reflect\", "
     "normalized=False, onesided=None, return_complex=None, align_to_window=None",
     sameFunction<"torch.functional.stft">},
    {"Tensor.unique", "self, sorted=True, return_inverse=False, return_counts=False, dim=None",
     sameFunction<"torch.functional.unique">},
    {"Tensor.unique_consecutive", "self, return_inverse=False, return_counts=False, dim=None",
     sameFunction<"torch.functional.unique_consecutive">},
    {"Tensor.lu", "self, pivot=True, get_infos=False", sameFunction<"torch.functional.lu">},
};

} // namespace

constinit const FunctionFamily tensorMethods = tensorMethodsTable;

} // namespace aotscope::torch::ops
