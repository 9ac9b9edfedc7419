#pragma once

#include <cstddef>
#include <utility>

namespace aotscope::base {

namespace detail {

/// Stands for a value of any type, where values are only counted.
struct AnyValue {
    template<typename T>
    operator T() const; // NOLINT(google-explicit-constructor): it initializes members
};

template<typename T, std::size_t... Position>
consteval bool takes(std::index_sequence<Position...> /*values*/) {
    return requires {
        T{(static_cast<void>(Position), AnyValue())...};
    };
}

template<typename T, std::size_t Count = 0>
consteval std::size_t countMembers() {
    if constexpr (takes<T>(std::make_index_sequence<Count + 1>())) {
        return countMembers<T, Count + 1>();
    } else {
        return Count;
    }
}

} // namespace detail

/// The number of members of an aggregate, which is the number of values that initialize it. A base class
/// counts as one; arrays are not supported.
template<typename T>
inline constexpr std::size_t memberCount = detail::countMembers<T>();

} // namespace aotscope::base
