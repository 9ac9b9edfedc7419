#pragma once

#include "aot/wrapper_step.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::aot {

/// Wrappers as a JSON list. Each has its class name ("wrapper"), "applies", "reason", and its fields under
/// "state", with PyTorch's names where there are any.
[[nodiscard]] std::string wrappersToJson(const std::vector<WrapperStep>& wrappers);

/// Reads the same. Errors: aot.json_syntax, aot.json_form (names the field).
[[nodiscard]] base::Result<std::vector<WrapperStep>> wrappersFromJson(std::string_view json);

} // namespace aotscope::aot
