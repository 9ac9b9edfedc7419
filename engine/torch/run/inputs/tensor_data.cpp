#include "run/inputs/tensor_data.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "run/inputs/tensor_maker.h"
#include "run/state/tensor_copy.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace aotscope::torch {

aot::TensorData tensorData(const at::Tensor& tensor) {
    aot::TensorData data;
    data.dtype = dtypeText(tensor.scalar_type());
    data.shape = tensor.sizes().vec();
    if (tensor.layout() != c10::kStrided || tensor.is_meta()) {
        return data;
    }
    const at::Tensor flat = readable(tensor).contiguous();
    const std::size_t size = static_cast<std::size_t>(flat.numel()) * flat.element_size();
    data.bytes.assign(static_cast<const char*>(flat.const_data_ptr()), size);
    return data;
}

aot::TensorData valueData(const c10::IValue& value) {
    if (value.isTensor() && value.toTensor().defined()) {
        return tensorData(value.toTensor());
    }
    aot::TensorData data;
    const auto store = [&data](const char* dtype, const auto& number) {
        data.dtype = dtype;
        data.bytes.assign(reinterpret_cast<const char*>(&number), sizeof number);
    };
    if (value.isInt()) {
        store("int64", value.toInt());
    } else if (value.isDouble()) {
        store("float64", value.toDouble());
    } else if (value.isBool()) {
        store("bool", value.toBool());
    }
    return data;
}

at::Tensor tensorFromData(const aot::TensorData& data) {
    const auto dtype = ir::dtypeFromName(data.dtype);
    const auto type = dtype ? scalarType(*dtype) : std::nullopt;
    if (!type) {
        fail("run.unsupported_input", "The dtype \"" + data.dtype + "\" is not known here.");
    }
    std::size_t bytes = c10::elementSize(*type);
    for (const std::int64_t size : data.shape) {
        if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes)) {
            fail("run.unsupported_input", "The given data has an impossible size.");
        }
    }
    if (bytes != data.bytes.size()) {
        fail("run.unsupported_input", "The given data has " + std::to_string(data.bytes.size()) +
                                          " bytes; its shape "
                                          "and dtype need " +
                                          std::to_string(bytes) + ".");
    }
    at::Tensor tensor = at::empty(data.shape, at::TensorOptions(*type));
    if (*type == c10::kBool) {
        // A bool of a file may have any bits, in memory only two of them.
        std::ranges::transform(data.bytes, static_cast<char*>(tensor.mutable_data_ptr()),
                               [](char byte) { return byte != 0 ? '\1' : '\0'; });
    } else if (bytes != 0) {
        std::memcpy(tensor.mutable_data_ptr(), data.bytes.data(), bytes);
    }
    return tensor;
}

} // namespace aotscope::torch
