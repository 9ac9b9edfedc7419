#pragma once

#include "base/describe.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Values as JSON by the lists of base/describe.h: structs are objects with all their members, enumerations
/// are words, an empty optional is null.
///
/// `Context` is what the writer of a file or message has beside the value. Types that need it, or that have
/// no list, have a `toJson(value, context)` of their own in the namespace of the context; that namespace
/// repeats these ones with `using base::toJson`.
namespace aotscope::base {

using Json = nlohmann::ordered_json;

/// JSON as text has no infinities and NaN: there they are words.
[[nodiscard]] inline Json numberOrWord(double value) {
    return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

/// Vectors, sets, spans and arrays.
template<typename T>
concept IsList =
    std::ranges::input_range<const T> && !std::convertible_to<const T&, std::string_view> && requires {
    typename std::ranges::range_value_t<const T>;
}
&&!requires {
    typename T::mapped_type;
}
&&!std::same_as<T, Json> && !std::same_as<std::ranges::range_value_t<const T>, T>;

template<typename Context>
Json toJson(const std::string& value, Context&) {
    return value;
}
template<std::integral T, typename Context>
Json toJson(T value, Context&) {
    return value;
}
template<std::floating_point T, typename Context>
Json toJson(T value, Context&) {
    return value;
}
template<HasWords T, typename Context>
Json toJson(T value, Context&) {
    const auto all = words<T>();
    const auto index = static_cast<std::size_t>(value);
    if (index >= all.size()) {
        throw std::out_of_range("an enumeration has no such value");
    }
    return std::string(all[index]);
}
template<HasMembers T, typename Context>
Json toJson(const T& value, Context& context);
template<IsList T, typename Context>
Json toJson(const T& values, Context& context);
template<typename K, typename V, typename C, typename Context>
Json toJson(const std::map<K, V, C>& values, Context& context);
template<typename V, typename C, typename Context>
Json toJson(const std::map<std::string, V, C>& values, Context& context);

template<typename T, typename Context>
Json toJson(const std::optional<T>& value, Context& context) {
    return value ? toJson(*value, context) : Json(nullptr);
}
template<HasMembers T, typename Context>
Json toJson(const T& value, Context& context) {
    Json object = Json::object();
    visitMembers(value,
                 [&](const char* name, const auto& member) { object[name] = toJson(member, context); });
    return object;
}
template<IsList T, typename Context>
Json toJson(const T& values, Context& context) {
    Json::array_t list;
    list.reserve(static_cast<std::size_t>(std::ranges::distance(values)));
    for (const auto& value : values) {
        list.push_back(toJson(value, context));
    }
    return list;
}
/// A list of pairs, because a key may be any text or number.
template<typename K, typename V, typename C, typename Context>
Json toJson(const std::map<K, V, C>& values, Context& context) {
    Json list = Json::array();
    for (const auto& [key, value] : values) {
        list.push_back(Json::array({toJson(key, context), toJson(value, context)}));
    }
    return list;
}
template<typename V, typename C, typename Context>
Json toJson(const std::map<std::string, V, C>& values, Context& context) {
    Json object = Json::object();
    for (const auto& [key, value] : values) {
        object[key] = toJson(value, context);
    }
    return object;
}

} // namespace aotscope::base
