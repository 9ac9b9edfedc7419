#pragma once

#include "aot/fields_json.h"

#include "base/member_count.h"

#include <cstddef>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Checks while compiling that the lists for fields_json.h leave out no member. A member that is added to a
/// struct and not to its list does not compile.
namespace aotscope::aot::detail {

/// Whether each member of T, and each of theirs, is listed. False for a struct without a list: one with a
/// separate writer says there how many members it knows. Behind a pointer nothing is looked at.
template<typename T>
inline constexpr bool listsAllMembers = !std::is_class_v<T> || !std::is_aggregate_v<T>;

template<typename T>
inline constexpr bool listsAllMembers<std::optional<T>> = listsAllMembers<T>;
template<typename T>
inline constexpr bool listsAllMembers<std::vector<T>> = listsAllMembers<T>;
template<typename K, typename V, typename C>
inline constexpr bool listsAllMembers<std::map<K, V, C>> = listsAllMembers<V>;
template<typename... T>
inline constexpr bool listsAllMembers<std::variant<T...>> = (listsAllMembers<T> && ...);

/// Visits a list to count it.
class MemberCounter {
public:
    template<typename T>
    constexpr void operator()(const char* /*name*/, const T& /*value*/, NotInKey /*mark*/ = {}) {
        ++m_count;
        m_areWhole = m_areWhole && listsAllMembers<T>;
    }
    template<typename T>
    constexpr void elsewhere(const T& /*value*/, NotInKey /*mark*/ = {}) {
        ++m_count;
    }
    [[nodiscard]] constexpr bool sawAll(std::size_t members) const {
        return m_areWhole && m_count == members;
    }

private:
    std::size_t m_count = 0;
    bool m_areWhole = true;
};

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif

/// An object whose members have places but no values, because there is none.
template<typename T>
extern const T neverMade;

template<HasFields T>
consteval bool listIsWhole() {
    MemberCounter counter;
    Fields<T>::visit(counter, neverMade<T>);
    return counter.sawAll(base::memberCount<T>);
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

template<HasFields T>
inline constexpr bool listsAllMembers<T> = listIsWhole<T>();

} // namespace aotscope::aot::detail
