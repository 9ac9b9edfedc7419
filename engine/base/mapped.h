#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace aotscope::base {

/// What a function returns for each member of a list, in the list's order, as a vector or as the named type.
/// C++23's std::ranges::to is not in every supported compiler.
template<typename Named = void, typename List, typename PartOf>
[[nodiscard]] auto mapped(List&& list, PartOf partOf) {
    using Part = std::decay_t<std::invoke_result_t<PartOf&, decltype(*std::begin(list))>>;
    std::conditional_t<std::is_void_v<Named>, std::vector<Part>, Named> parts;
    if constexpr (requires { parts.reserve(list.size()); }) {
        parts.reserve(list.size());
    }
    for (auto&& each : list) {
        parts.push_back(std::invoke(partOf, each));
    }
    return parts;
}

/// The same with a function that may return nothing: if it does for one, there is no vector.
template<typename List, typename PartOf>
[[nodiscard]] auto mappedIfAll(const List& list, PartOf partOf) {
    using Part = typename std::invoke_result_t<PartOf&, decltype(*std::begin(list))>::value_type;
    std::optional<std::vector<Part>> parts(std::in_place);
    for (const auto& each : list) {
        auto part = std::invoke(partOf, each);
        if (!part) {
            return std::optional<std::vector<Part>>();
        }
        parts->push_back(*std::move(part));
    }
    return parts;
}

} // namespace aotscope::base
