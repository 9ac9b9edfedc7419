#include "recorded_call.h"

#include "dispatch/operators.h"
#include "dispatch/schema_match.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <nlohmann/json.hpp>

#include <map>

namespace aotscope::test {

namespace {

using c10::IValue;
using Json = nlohmann::json;

c10::ScalarType dtypeOf(const std::string& name) {
    static const std::map<std::string, c10::ScalarType> types = {
        {"float32", c10::kFloat},
        {"float64", c10::kDouble},
        {"float16", c10::kHalf},
        {"bfloat16", c10::kBFloat16},
        {"int64", c10::kLong},
        {"int32", c10::kInt},
        {"int16", c10::kShort},
        {"int8", c10::kChar},
        {"uint8", c10::kByte},
        {"uint16", c10::kUInt16},
        {"uint32", c10::kUInt32},
        {"uint64", c10::kUInt64},
        {"bool", c10::kBool},
        {"complex64", c10::kComplexFloat},
        {"complex128", c10::kComplexDouble},
        {"complex32", c10::kComplexHalf},
        {"float8_e4m3fn", c10::kFloat8_e4m3fn},
        {"float8_e5m2", c10::kFloat8_e5m2},
    };
    const auto found = types.find(name);
    if (found == types.end()) {
        throw NotKnown{"dtype " + name};
    }
    return found->second;
}

std::string dtypeName(const std::string& text) {
    return text.starts_with("torch.") ? text.substr(6) : text;
}

std::int64_t sizeOf(const Json& size) {
    if (size.is_number_integer()) {
        return size.get<std::int64_t>();
    }
    if (size.is_object() && size.contains("hint") && size["hint"].is_number_integer()) {
        return size["hint"].get<std::int64_t>();
    }
    throw NotKnown{"a size without a hint"};
}

std::vector<std::int64_t> sizesOf(const Json& sizes) {
    std::vector<std::int64_t> values;
    for (const Json& size : sizes) {
        values.push_back(sizeOf(size));
    }
    return values;
}

/// The description of a tensor in either format; null for anything else.
const Json* tensorJson(const Json& value) {
    if (!value.is_object()) {
        return nullptr;
    }
    if (value.contains("tensor")) {
        return &value["tensor"];
    }
    return value.value("kind", "") == "tensor" ? &value : nullptr;
}

std::int64_t offsetOf(const Json& tensor) {
    const auto found = tensor.contains("offset") ? tensor.find("offset") : tensor.find("storage_offset");
    return found == tensor.end() ? 0 : sizeOf(*found);
}

at::Tensor metaTensor(const Json& tensor) {
    if (tensor.contains("layout") && tensor["layout"] != "torch.strided" && tensor["layout"] != "strided") {
        throw NotKnown{"a tensor that is not strided"};
    }
    if (!tensor.contains("shape") || !tensor.contains("stride") || tensor["stride"].is_null()) {
        throw NotKnown{"a tensor without strides"};
    }
    const std::vector<std::int64_t> shape = sizesOf(tensor["shape"]);
    const std::vector<std::int64_t> stride = sizesOf(tensor["stride"]);
    const at::Tensor made =
        at::detail::empty_strided_meta(shape, stride, dtypeOf(dtypeName(tensor["dtype"].get<std::string>())));
    if (const std::int64_t offset = offsetOf(tensor); offset != 0) {
        return made.as_strided(shape, stride, offset);
    }
    return made;
}

IValue decoded(const Json& value);

IValue listOf(const Json& items) {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const Json& item : items) {
        list.push_back(decoded(item));
    }
    return list;
}

std::int64_t layoutOf(const std::string& name) {
    if (name != "strided" && name != "torch.strided") {
        throw NotKnown{"layout " + name};
    }
    return static_cast<std::int64_t>(c10::kStrided);
}

std::int64_t memoryFormatOf(const std::string& text) {
    static const std::map<std::string, c10::MemoryFormat> formats = {
        {"contiguous_format", c10::MemoryFormat::Contiguous},
        {"preserve_format", c10::MemoryFormat::Preserve},
        {"channels_last", c10::MemoryFormat::ChannelsLast},
        {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d},
    };
    const auto found = formats.find(dtypeName(text));
    if (found == formats.end()) {
        throw NotKnown{"memory format " + text};
    }
    return static_cast<std::int64_t>(found->second);
}

IValue decodedObject(const Json& value) {
    if (const Json* tensor = tensorJson(value)) {
        return metaTensor(*tensor);
    }
    if (value.contains("dtype")) {
        return static_cast<std::int64_t>(dtypeOf(dtypeName(value["dtype"].get<std::string>())));
    }
    if (value.contains("device")) {
        return c10::Device(c10::kMeta);
    }
    if (value.contains("layout")) {
        return layoutOf(value["layout"].get<std::string>());
    }
    if (value.contains("memory_format")) {
        return memoryFormatOf(value["memory_format"].get<std::string>());
    }
    if (value.contains("float")) {
        return std::stod(value["float"].get<std::string>());
    }
    if (value.contains("complex")) {
        return c10::complex<double>(value["complex"][0].get<double>(), value["complex"][1].get<double>());
    }
    if (value.contains("hint")) {
        return sizeOf(value);
    }
    if (value.contains("unknown")) {
        return std::string("unknown");
    }
    if (value.contains("partial")) {
        return c10::ivalue::Tuple::create(listOf(value["partial"]).toList().vec());
    }
    if (value.contains("tuple")) {
        return listOf(value["tuple"]);
    }
    if (value.contains("elements")) {
        return listOf(value["elements"]);
    }
    if (value.value("kind", "") == "other" && value.value("type", "") == "NoneType") {
        return {};
    }
    throw NotKnown{value.dump()};
}

IValue decoded(const Json& value) {
    if (value.is_null()) {
        return {};
    }
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_number()) {
        return value.get<double>();
    }
    if (value.is_string()) {
        return value.get<std::string>();
    }
    return value.is_array() ? listOf(value) : decodedObject(value);
}

/// Replaces device arguments so that tensors are made on the meta device.
void onMeta(const c10::FunctionSchema& schema, c10::Stack& stack) {
    for (std::size_t i = 0; i < stack.size(); ++i) {
        if (schema.arguments()[i].name() == "device") {
            stack[i] = c10::Device(c10::kMeta);
        }
    }
}

} // namespace

RecordedCall recordedCall(const ShapeQuestion& question) {
    const auto op = torch::findOperator(question.target);
    if (!op) {
        throw NotKnown{"no operator of LibTorch"};
    }
    std::vector<IValue> values;
    for (const Json& arg : question.args) {
        values.push_back(decoded(arg));
    }
    torch::NamedValues named;
    for (const auto& [name, value] : question.kwargs.items()) {
        named.emplace_back(name, decoded(value));
    }
    RecordedCall call{*op, torch::matchSchema(op->schema(), std::move(values), named), decoded(question.val)};
    onMeta(op->schema(), call.stack);
    return call;
}

} // namespace aotscope::test
