#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace aotscope::base {

/// "a, b, c" for a list of texts, of whole numbers, of what has a text(), or of what `partOf` makes one of
/// these; nothing for an empty list.
template<typename List = std::vector<std::string>, typename PartOf = std::identity>
[[nodiscard]] std::string joined(const List& list, std::string_view between = ", ", PartOf partOf = {}) {
    std::string text;
    std::string_view before;
    for (const auto& each : list) {
        text += before;
        before = between;
        decltype(auto) part = std::invoke(partOf, each);
        using Part = std::remove_cvref_t<decltype(part)>;
        if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
            text += std::string_view(part);
        } else if constexpr (std::is_integral_v<Part>) {
            static_assert(!std::is_same_v<Part, bool> && !std::is_same_v<Part, char>);
            text += std::to_string(part);
        } else {
            text += part.text();
        }
    }
    return text;
}

} // namespace aotscope::base
