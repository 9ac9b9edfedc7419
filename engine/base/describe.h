#pragma once

#include "base/member_count.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

/// A struct's members, and an enumeration's words, are listed once, right under it:
///
///     struct Guard { std::string expression; std::optional<ir::SourceLocation> givenAt; };
///     AOTSCOPE_MEMBERS(Guard, expression, givenAt)
///     enum class Severity { Error, Warning };
///     AOTSCOPE_WORDS(Severity, "error", "warning")
///
/// What writes, reads, compares or hashes such values goes through these lists, so that a member cannot be
/// missing in one of them; a member that is not listed does not compile. In text a member is written in snake
/// case: "given_at"; the underscore of `default_`, a member whose name C++ has for itself, is left out.
///
/// AOTSCOPE_MORE_MEMBERS(Derived, Base, extra) lists the members of the base before those that are added.
///
/// Boost.Describe does the same for at most 52 members of a struct; FunctorchConfig has more.
namespace aotscope::base {
namespace detail {

/// A text as a template argument.
template<std::size_t Size>
struct Literal {
    char text[Size] = {};
    // NOLINTNEXTLINE(google-explicit-constructor): a string literal becomes one
    consteval Literal(const char (&literal)[Size]) { std::ranges::copy(literal, text); }
};

template<std::size_t Size>
consteval auto snakeCase(const Literal<Size>& camel) {
    std::array<char, 2 * Size> snake{};
    std::size_t end = 0;
    std::string_view text(camel.text, Size - 1);
    text.remove_suffix(text.ends_with('_') ? 1 : 0);
    for (const char letter : text) {
        const bool isCapital = letter >= 'A' && letter <= 'Z';
        if (isCapital) {
            snake[end++] = '_';
        }
        snake[end++] = isCapital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return snake;
}

template<Literal Camel>
inline constexpr auto snakeName = snakeCase(Camel);

/// Whether a list, as text, has as many members as the struct. Structs with constructors or base classes
/// cannot be counted.
template<typename T>
consteval bool listsAll(std::string_view list, std::size_t bases = 0) {
    const auto listed = static_cast<std::size_t>(std::ranges::count(list, ',') + 1) + bases;
    if constexpr (std::is_aggregate_v<T>) {
        return memberCount<T> == listed;
    }
    return true;
}

template<std::size_t... Sizes>
constexpr std::array<std::string_view, sizeof...(Sizes)> wordList(const char (&... words)[Sizes]) {
    return {std::string_view(words, Sizes - 1)...};
}

template<typename Value, typename Base>
using SameConst = std::conditional_t<std::is_const_v<Value>, const Base, Base>;

struct IgnoreMember {
    constexpr void operator()(const char* /*name*/, const auto& /*member*/) const {}
};

} // namespace detail

/// An enumeration that AOTSCOPE_WORDS lists.
template<typename T>
concept HasWords = std::is_enum_v<T> && requires(T value) {
    aotscopeWords(value);
};
/// A struct that AOTSCOPE_MEMBERS lists.
template<typename T>
concept HasMembers = std::is_class_v<T> && requires(T& value) {
    aotscopeMembers(value, detail::IgnoreMember());
};

/// In the order of the values, which begin at 0 and leave none out.
template<HasWords T>
[[nodiscard]] std::span<const std::string_view> words() {
    return aotscopeWords(T());
}
/// "unknown" for a number that is none of the values.
template<HasWords T>
[[nodiscard]] std::string_view wordOf(T value) {
    const auto all = words<T>();
    const auto index = static_cast<std::size_t>(value);
    return index < all.size() ? all[index] : std::string_view("unknown");
}
template<HasWords T>
[[nodiscard]] std::optional<T> fromWord(std::string_view word) {
    const auto all = words<T>();
    const auto found = std::ranges::find(all, word);
    return found == all.end() ? std::nullopt : std::optional(static_cast<T>(found - all.begin()));
}

/// Calls `visit(name, member, same member of others…)` for each listed member, in order. The name is in snake
/// case and lives as long as the program.
template<typename T, typename Visit, typename... Others>
requires HasMembers<std::remove_const_t<T>>
constexpr void visitMembers(T& value, Visit&& visit, Others&... others) {
    aotscopeMembers(value, visit, others...);
}

} // namespace aotscope::base

// Repeats its argument up to 256 times: the scan of each level starts the expansions again that the
// preprocessor stopped as recursive.
#define AOTSCOPE_SCAN_1(...) __VA_ARGS__
#define AOTSCOPE_SCAN_4(...) AOTSCOPE_SCAN_1(AOTSCOPE_SCAN_1(AOTSCOPE_SCAN_1(AOTSCOPE_SCAN_1(__VA_ARGS__))))
#define AOTSCOPE_SCAN_16(...) AOTSCOPE_SCAN_4(AOTSCOPE_SCAN_4(AOTSCOPE_SCAN_4(AOTSCOPE_SCAN_4(__VA_ARGS__))))
#define AOTSCOPE_SCAN_64(...)                                                                                \
    AOTSCOPE_SCAN_16(AOTSCOPE_SCAN_16(AOTSCOPE_SCAN_16(AOTSCOPE_SCAN_16(__VA_ARGS__))))
#define AOTSCOPE_NO_ARGUMENTS ()
#define AOTSCOPE_VISIT_MEMBER(member, ...)                                                                   \
    visit(::aotscope::base::detail::snakeName<#member>.data(), value.member, others.member...);              \
    __VA_OPT__(AOTSCOPE_VISIT_MEMBER_AGAIN AOTSCOPE_NO_ARGUMENTS(__VA_ARGS__))
#define AOTSCOPE_VISIT_MEMBER_AGAIN() AOTSCOPE_VISIT_MEMBER

#define AOTSCOPE_VISIT_MEMBERS(Type, visitBase, ...)                                                         \
    [[maybe_unused]] constexpr std::string_view aotscopeName(const Type*) {                                  \
        return #Type;                                                                                        \
    }                                                                                                        \
    template<typename Value, typename Visit, typename... Others>                                             \
    requires std::is_same_v<std::remove_const_t<Value>, Type>                                                \
    constexpr void aotscopeMembers(Value& value, Visit&& visit, Others&... others) {                         \
        visitBase AOTSCOPE_SCAN_64(AOTSCOPE_VISIT_MEMBER(__VA_ARGS__))                                       \
    }

#define AOTSCOPE_MEMBERS(Type, ...)                                                                          \
    static_assert(::aotscope::base::detail::listsAll<Type>(#__VA_ARGS__), "a member is not listed");         \
    AOTSCOPE_VISIT_MEMBERS(Type, , __VA_ARGS__)

#define AOTSCOPE_MORE_MEMBERS(Type, Base, ...)                                                               \
    static_assert(::aotscope::base::detail::listsAll<Type>(#__VA_ARGS__, 1), "a member is not listed");      \
    AOTSCOPE_VISIT_MEMBERS(                                                                                  \
        Type, (::aotscope::base::visitMembers<::aotscope::base::detail::SameConst<Value, Base>>(             \
                  value, visit, others...));                                                                 \
        , __VA_ARGS__)

#define AOTSCOPE_WORDS(Type, ...)                                                                            \
    inline std::span<const std::string_view> aotscopeWords(Type) {                                           \
        static constexpr auto all = ::aotscope::base::detail::wordList(__VA_ARGS__);                         \
        return all;                                                                                          \
    }
