#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

/// JSON output: keys in insertion order, the schema name first, invalid UTF-8 replaced.
namespace aotscope::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::string jsonText(const Json& json);

template<typename T>
[[nodiscard]] Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

[[nodiscard]] Json errorJson(const base::Error& error);

/// JSON has no infinities and NaN, so they are written as text; null: there is no number.
[[nodiscard]] Json numberJson(std::optional<double> number);

} // namespace aotscope::cli
