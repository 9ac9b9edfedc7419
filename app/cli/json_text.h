#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

/// JSON for programs: keys in the order they are written, a schema name first, invalid UTF-8 replaced.
namespace aotscope::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template<typename T>
[[nodiscard]] Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

[[nodiscard]] inline Json errorJson(const base::Error& error) {
    Json json{{"code", error.code}, {"message", error.message}};
    json["file"] = error.place.file;
    json["line"] = error.place.line;
    json["column"] = error.place.column;
    json["node"] = error.place.node;
    json["notes"] = error.notes;
    json["hint"] = error.hint;
    return json;
}

} // namespace aotscope::cli
