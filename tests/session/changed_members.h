#pragma once

#include "contract/run_fields_json.h"

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Values that differ from the default in every member that a list for aot/fields_json.h names.
namespace aotscope::test {

// Another value than the one that is there.

inline void change(bool& value) {
    value = !value;
}
inline void change(std::string& value) {
    value += "x";
}
inline void change(ir::DType& value) {
    value = value == ir::DType::Float64 ? ir::DType::Float16 : ir::DType::Float64;
}
inline void change(aot::ReducedSums& value) {
    value = aot::ReducedSums::NeitherNorSplit;
}
inline void change(session::DeviceChoice& value) {
    value = {session::DeviceChoice::Kind::Cuda, 3};
}
inline void change(aot::TensorData& value) {
    value = {"uint8", {3}, std::string("\xFF\0a", 3)};
}
template<std::integral T>
void change(T& value) {
    value += 7;
}
template<aot::detail::HasFields T>
void change(T& value);
template<typename T>
void change(std::optional<T>& value) {
    change(value.emplace());
}
template<typename T>
void change(std::vector<T>& values) {
    change(values.emplace_back());
}
template<typename T, typename C>
void change(std::map<std::string, T, C>& values) {
    change(values["first"]);
}
/// Changes each member of a list and counts them.
struct MemberChange {
    std::size_t members = 0;
    template<typename T>
    void operator()(const char* /*name*/, T& value, aot::detail::NotInKey /*mark*/ = {}) {
        ++members;
        change(value);
    }
};
template<aot::detail::HasFields T>
void change(T& value) {
    MemberChange members;
    aot::detail::Fields<T>::visit(members, value);
}

} // namespace aotscope::test
