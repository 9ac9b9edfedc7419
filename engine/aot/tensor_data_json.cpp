#include "aot/tensor_data_json.h"

#include "base/base64.h"

namespace aotscope::aot::detail {

namespace {

/// A member that only one of the two forms has.
struct TensorBytes {
    std::string bytes;
};

void fromJson(const Json& json, TensorBytes& value, JsonContext& context) {
    if (json.is_binary()) {
        const auto& bytes = json.get_binary();
        value.bytes.assign(bytes.begin(), bytes.end());
        return;
    }
    auto bytes = json.is_string() ? base::fromBase64(json.get_ref<const std::string&>()) : std::nullopt;
    bytes ? void(value.bytes = *std::move(bytes)) : context.complain("expected bytes in base64");
}

} // namespace

Json toJson(const TensorData& data, JsonContext& context) {
    Json json{{"dtype", data.dtype}, {"shape", toJson(data.shape, context)}};
    if (context.forText) {
        json["base64"] = base::toBase64(data.bytes);
    } else {
        json["bytes"] = Json::binary({data.bytes.begin(), data.bytes.end()});
    }
    return json;
}

void fromJson(const Json& json, TensorData& data, JsonContext& context) {
    FieldReader field(json, context);
    field("dtype", data.dtype);
    field("shape", data.shape);
    TensorBytes read;
    field(json.is_object() && json.contains("base64") ? "base64" : "bytes", read);
    field.end();
    data.bytes = std::move(read.bytes);
}

} // namespace aotscope::aot::detail
