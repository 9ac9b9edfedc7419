#pragma once

#include "aot/fields_json.h"
#include "aot/listed_members.h"

#include "ir/aot_metadata.h"
#include "ir/json/graph_json.h"
#include "ir/text/descriptor_text.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The members of a function's metadata for fields_json.h. Unlike ir/json/aot_metadata_json.h, whose form is
/// PyTorch's, this keeps all of them.
namespace aotscope::aot::detail {

inline Json toJson(const ir::TensorMeta& meta, JsonContext&) {
    return ir::valueToJson(meta);
}
inline void fromJson(const Json& json, ir::TensorMeta& meta, JsonContext& context) {
    auto value = ir::valueFromJson(json.is_string() ? json.get_ref<const std::string&>() : std::string());
    const ir::TensorMeta* tensor = value ? ir::asTensor(*value) : nullptr;
    tensor != nullptr ? void(meta = *tensor) : context.complain("expected a tensor's metadata");
}
template<>
inline constexpr bool listsAllMembers<ir::TensorMeta> =
    base::memberCount<ir::TensorMeta> == 9 && base::memberCount<ir::SubclassMeta> == 2;

inline Json toJson(const std::vector<ir::AOTInput>& descriptors, JsonContext&) {
    Json list = Json::array();
    for (const ir::AOTInput& descriptor : descriptors) {
        list.push_back(ir::descriptorText(descriptor));
    }
    return list;
}
inline void fromJson(const Json& json, std::vector<ir::AOTInput>& descriptors, JsonContext& context) {
    std::vector<std::string> texts;
    fromJson(json, texts, context);
    descriptors.clear();
    for (const std::string& text : texts) {
        descriptors.push_back(ir::parseInputDescriptor(text));
    }
}

} // namespace aotscope::aot::detail
