#include "trace/value_meta.h"

#include "base/mapped.h"
#include "dispatch/dtypes.h"
#include "fake/shape_environment.h"

namespace aotscope::torch {

namespace {

ir::SymInt sizeOf(const c10::SymInt& size) {
    if (const auto known = size.maybe_as_int()) {
        return ir::SymInt(*known);
    }
    return ir::SymInt(SymbolicNode::of(size.toSymNode()).expression());
}

ir::SymInts sizesOf(c10::SymIntArrayRef sizes) {
    return base::mapped(sizes, [&](const c10::SymInt& size) { return sizeOf(size); });
}

} // namespace

ir::Device deviceOf(c10::Device device) {
    return ir::Device{c10::DeviceTypeName(device.type(), true), device.has_index() ? device.index() : -1};
}

ir::TensorMeta tensorMeta(const at::Tensor& tensor) {
    ir::TensorMeta meta;
    meta.dtype = dtypeOf(tensor.scalar_type());
    meta.shape = sizesOf(tensor.sym_sizes());
    meta.stride = sizesOf(tensor.sym_strides());
    meta.storageOffset = sizeOf(tensor.sym_storage_offset());
    meta.device = deviceOf(tensor.device());
    meta.requiresGrad = false;
    return meta;
}

c10::SymNode symbolIn(const c10::IValue& value) {
    if (value.isSymInt() && value.toSymInt().is_symbolic()) {
        return value.toSymInt().toSymNode();
    }
    if (value.isSymFloat() && value.toSymFloat().is_symbolic()) {
        return value.toSymFloat().toSymNodeImpl();
    }
    return value.isSymBool() && value.toSymBool().is_heap_allocated() ? value.toSymBool().toSymNodeImpl()
                                                                      : c10::SymNode();
}

ir::SymbolicMeta symbolMeta(const SymbolicNode& number) {
    constexpr ir::SymbolicMeta::Kind kinds[] = {ir::SymbolicMeta::Kind::Int, ir::SymbolicMeta::Kind::Float,
                                                ir::SymbolicMeta::Kind::Bool};
    return {kinds[static_cast<std::size_t>(number.kind())], number.expression()};
}

ir::ValueMeta valueMeta(const c10::IValue& value) {
    if (value.isTensor()) {
        if (!value.toTensor().defined()) {
            return {};
        }
        return tensorMeta(value.toTensor());
    }
    if (const c10::SymNode number = symbolIn(value); number.defined()) {
        return symbolMeta(SymbolicNode::of(number));
    }
    if (value.isTensorList()) {
        auto tuple = std::make_shared<ir::TupleMeta>();
        for (const at::Tensor& tensor : value.toTensorVector()) {
            tuple->elements.push_back(valueMeta(tensor));
        }
        return std::shared_ptr<const ir::TupleMeta>(std::move(tuple));
    }
    return {};
}

std::string operatorTarget(const c10::OperatorHandle& op) {
    const std::string& name = op.operator_name().name;
    const std::string& overload = op.operator_name().overload_name;
    std::string target = name;
    if (const std::size_t colons = target.find("::"); colons != std::string::npos) {
        target.replace(colons, 2, ".");
    }
    return target + "." + (overload.empty() ? "default" : overload);
}

} // namespace aotscope::torch
