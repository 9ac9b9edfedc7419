#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

/// JSON of single values of a Python repr, for python_repr.cpp.
namespace aotscope::ir::detail {

/// "None", "True", "-3", "1e-05", "torch.float32", "s0".
[[nodiscard]] nlohmann::ordered_json wordJson(std::string_view word);

/// What stands between angles: "OutputType.non_alias: 1", "class 'a.B'", "function f at 0x…".
[[nodiscard]] nlohmann::ordered_json angledJson(std::string_view inside);

/// `FakeTensor(..., size=(8, 4))`: fields that a tensor's repr omits have their default, or are unknown.
[[nodiscard]] nlohmann::ordered_json tensorJson(const nlohmann::ordered_json& fields);

} // namespace aotscope::ir::detail
