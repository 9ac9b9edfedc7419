#pragma once

#include "aot/compiled_function.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::aot {

/// "version" in the JSON: grows when a key is added or changes its meaning. Another version is not read.
inline constexpr int compiledFunctionVersion = 5;

/// Wrappers as a JSON list. Each has its class name ("wrapper"), "applies", "reason", and its fields under
/// "state", with PyTorch's names where there are any.
[[nodiscard]] std::string wrappersToJson(const std::vector<WrapperStep>& wrappers);

/// The whole value as JSON: graphs as ir::graphToJson writes them, wrappers as wrappersToJson.
[[nodiscard]] std::string compiledFunctionToJson(const CompiledFunction& function);

/// Reads what compiledFunctionToJson wrote; only the node ids of the graphs may differ. Errors:
/// aot.json_syntax, aot.json_form (names the field), aot.json_version, and those of the graphs and the
/// signature inside.
[[nodiscard]] base::Result<CompiledFunction> compiledFunctionFromJson(std::string_view json);

} // namespace aotscope::aot
