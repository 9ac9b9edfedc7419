#pragma once

#include "base/described_json.h"
#include "base/result.h"

#include <optional>
#include <string>

/// JSON output: keys in insertion order, the schema name first, invalid UTF-8 replaced.
namespace aotscope::cli {

using base::Json;

[[nodiscard]] std::string jsonText(const Json& json);

template<typename T>
[[nodiscard]] Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

[[nodiscard]] Json errorJson(const base::Error& error);

/// JSON has no infinities and NaN, so they are written as text; null: there is no number.
[[nodiscard]] Json numberJson(std::optional<double> number);

} // namespace aotscope::cli
