#pragma once

#include <functional>
#include <iterator>
#include <type_traits>
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

} // namespace aotscope::base
