#pragma once

#include "remote/values.h"

#include "aot/request_fields_json.h"
#include "contract/run_fields_json.h"
#include "ir/text/descriptor_text.h"

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

/// What is sent to an engine and back, for aot/fields_json.h, where its lists of members are not enough.
namespace aotscope::aot::detail {

inline Json toJson(const ir::Descriptor& descriptor, JsonContext&) {
    return {{"input", descriptor.input() != nullptr},
            {"text", ir::descriptorText(descriptor)},
            {"derived", descriptor.derived}};
}
inline void fromJson(const Json& json, ir::Descriptor& descriptor, JsonContext& context) {
    FieldReader field(json, context);
    bool isInput = false;
    std::string text;
    bool derived = false;
    field("input", isInput);
    field("text", text);
    field("derived", derived);
    descriptor = isInput ? ir::parsePlaceholderDescriptor(text) : ir::parseReturnedDescriptor(text);
    descriptor.derived = derived;
}
/// All members but those of the compiled function.
template<>
struct Fields<RetraceResult> {
    static void visit(auto& field, auto& result) {
        field("nanoseconds", result.nanoseconds);
        field("libtorch", result.libTorch);
        field("stages", result.stages);
        field("numbers", result.numbers);
        field("notes", result.notes);
    }
};
inline Json toJson(const RetraceResult& result, JsonContext& context) {
    Json json = toJson<RetraceResult>(result, context);
    json["function"] = toJson(static_cast<const CompiledFunction&>(result), context);
    return json;
}
inline void fromJson(const Json& json, RetraceResult& result, JsonContext& context) {
    fromJson<RetraceResult>(json, result, context);
    FieldReader(json, context)("function", static_cast<CompiledFunction&>(result));
}

/// What the receiver has already or cannot have.
template<typename T>
concept StaysBehind = std::same_as<T, session::GraphSnapshotPtr> || std::same_as<T, session::ProfilePtr> ||
    std::same_as<T, std::function<void(session::HookErrors)>>;
template<StaysBehind T>
Json toJson(const T&, JsonContext&) {
    return nullptr;
}
template<StaysBehind T>
void fromJson(const Json&, T&, JsonContext&) {}

/// Shared values are written where they are.
template<typename T>
requires(!StaysBehind<std::shared_ptr<const T>>) Json
    toJson(const std::shared_ptr<const T>& value, JsonContext& context) {
    return value ? toJson(*value, context) : Json(nullptr);
}
template<typename T>
requires(!StaysBehind<std::shared_ptr<const T>>) void fromJson(const Json& json,
                                                               std::shared_ptr<const T>& value,
                                                               JsonContext& context) {
    value = nullptr;
    if (!json.is_null()) {
        T read{};
        fromJson(json, read, context);
        value = std::make_shared<const T>(std::move(read));
    }
}

} // namespace aotscope::aot::detail
