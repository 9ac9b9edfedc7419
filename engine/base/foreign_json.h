#pragma once

#include "base/describe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Reads JSON that other programs wrote, PyTorch's records for one, into structs with lists of members: a
/// member that is missing or of another type keeps its value, and what the list does not have is skipped.
namespace aotscope::base {

/// Whether the JSON has the type of the value. A list has a value for each item, by default where the item is
/// of another type. A member that is JSON itself takes a value, or a list or an object
/// of values, so that nothing deeply nested is copied.
template<typename Json, typename T>
bool readForeign(const Json& json, T& value) {
    if constexpr (std::same_as<T, Json>) {
        const bool isFlat = std::ranges::all_of(json, [](const Json& item) { return item.is_primitive(); });
        if (isFlat) {
            value = json;
        }
        return isFlat;
    } else if constexpr (HasMembers<T>) {
        if (json.is_object()) {
            visitMembers(value, [&](const char* name, auto& member) {
                if (const auto found = json.find(name); found != json.end()) {
                    static_cast<void>(readForeign(*found, member));
                }
            });
        }
        return json.is_object();
    } else if constexpr (requires { value.has_value(); }) {
        typename T::value_type found{};
        const bool isThere = readForeign(json, found);
        if (isThere) {
            value = std::move(found);
        }
        return isThere;
    } else if constexpr (requires { value.push_back({}); } && !std::same_as<T, std::string>) {
        if (json.is_array()) {
            value.clear();
            for (const Json& item : json) {
                typename T::value_type read{};
                static_cast<void>(readForeign(item, read));
                value.push_back(std::move(read));
            }
        }
        return json.is_array();
    } else {
        bool fits = json.is_string();
        if constexpr (std::same_as<T, bool>) {
            fits = json.is_boolean();
        } else if constexpr (std::unsigned_integral<T>) {
            fits = json.is_number_unsigned();
        } else if constexpr (std::signed_integral<T>) {
            constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
            fits = json.is_number_integer() &&
                   !(json.is_number_unsigned() && json.template get<std::uint64_t>() > most);
        } else if constexpr (std::floating_point<T>) {
            fits = json.is_number();
        }
        if (fits) {
            value = json.template get<T>();
        }
        return fits;
    }
}

/// A text that is no such JSON leaves all members as they are by default.
template<typename T>
[[nodiscard]] T foreignFrom(std::string_view text) {
    T value{};
    static_cast<void>(readForeign(nlohmann::json::parse(text, nullptr, false), value));
    return value;
}

} // namespace aotscope::base
