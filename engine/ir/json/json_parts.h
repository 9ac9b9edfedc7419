#pragma once

#include "ir/json/document.h"

#include <optional>
#include <string_view>

namespace aotscope::ir::detail {

[[nodiscard]] inline std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Nothing for a value of another type.
template<typename T>
[[nodiscard]] std::optional<T> tryAs(simdjson::dom::element value) {
    T read{};
    return value.get(read) == simdjson::SUCCESS ? std::optional<T>(read) : std::nullopt;
}

/// Nothing for a field that is missing or of another type; any type: simdjson::dom::element.
template<typename T>
[[nodiscard]] std::optional<T> tryField(simdjson::dom::object from, std::string_view key) {
    T read{};
    return from.at_key(key).get(read) == simdjson::SUCCESS ? std::optional<T>(read) : std::nullopt;
}

} // namespace aotscope::ir::detail
