#pragma once

#include "aot/fields_json.h"
#include "aot/listed_members.h"

#include "ir/aot_metadata.h"
#include "ir/aot_metadata_fields.h"
#include "ir/json/value_json.h"
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

template<>
struct Fields<ir::InputAliasInfo> {
    static constexpr void visit(auto& field, auto& info) {
        for (const ir::detail::InputField& member : ir::detail::inputFields) {
            field(member.name, info.*member.member);
        }
        field(ir::detail::shallowCopy, info.mutationIsShallowCopyData);
    }
};

template<>
struct Fields<ir::OutputAliasInfo> {
    static constexpr void visit(auto& field, auto& info) {
        field("output_type", info.outputType);
        field("raw_type", info.rawType);
        field("base_idx", info.baseIndex);
        field("dynamic_dims", info.dynamicDims);
        field("requires_grad", info.requiresGrad);
        field(ir::detail::gradForBackward, info.requiresGradForBackward);
        field("views", info.views);
    }
};

template<>
struct Fields<ir::TangentMeta> {
    static constexpr void visit(auto& field, auto& tangent) {
        field("is_subclass", tangent.isSubclass);
        field("unwrapped_idx", tangent.unwrappedIndex);
        field("layout", tangent.layout);
    }
};

template<>
struct Fields<ir::ViewAndMutationMeta> {
    static constexpr void visit(auto& field, auto& metadata) {
        field("input_info", metadata.inputInfo);
        field("output_info", metadata.outputInfo);
        field("num_intermediate_bases", metadata.numIntermediateBases);
        field("keep_input_mutations", metadata.keepInputMutations);
        field("traced_tangents", metadata.tracedTangents);
        field("traced_tangents_descs", metadata.tracedTangentsDescs);
        field(ir::detail::tangentMetas, metadata.tangentMetas);
        field(ir::detail::tangentSources, metadata.tangentSources);
        field("is_train", metadata.isTrain);
        field("grad_enabled_mutation", metadata.gradEnabledMutation);
        field("deterministic", metadata.deterministic);
        field("static_input_indices", metadata.staticInputIndices);
        field(ir::detail::backwardMutations, metadata.indicesOfInputsThatRequireGradWithMutationsInBackward);
        field(ir::detail::collectiveInputs, metadata.collectiveInputs);
        field("other_fields", metadata.otherFields);
        field("unread_fields", metadata.unreadFields);
    }
};

} // namespace aotscope::aot::detail
