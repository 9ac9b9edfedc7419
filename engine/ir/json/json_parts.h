#pragma once

#include "ir/json/document.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace aotscope::ir::detail {

[[nodiscard]] inline std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Nothing for a value of another type.
[[nodiscard]] inline std::optional<std::string_view> asString(simdjson::dom::element value) {
    std::string_view text;
    return value.get(text) == simdjson::SUCCESS ? std::optional(text) : std::nullopt;
}

[[nodiscard]] inline std::optional<std::int64_t> asInteger(simdjson::dom::element value) {
    std::int64_t integer = 0;
    return value.get(integer) == simdjson::SUCCESS ? std::optional(integer) : std::nullopt;
}

[[nodiscard]] inline std::optional<simdjson::dom::element> tryField(simdjson::dom::object from,
                                                                    std::string_view key) {
    simdjson::dom::element found;
    return from.at_key(key).get(found) == simdjson::SUCCESS ? std::optional(found) : std::nullopt;
}

} // namespace aotscope::ir::detail
