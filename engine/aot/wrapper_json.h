#pragma once

#include "aot/wrapper_step.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::aot {

/// Wrappers as a JSON list: class name ("wrapper"), "applies", "reason", and under "state" the fields with
/// PyTorch's names where it has some.
[[nodiscard]] std::string wrappersToJson(const std::vector<WrapperStep>& wrappers);

/// Reads the same. Errors: aot.json_syntax, aot.json_form (names the field).
[[nodiscard]] base::Result<std::vector<WrapperStep>> wrappersFromJson(std::string_view json);

} // namespace aotscope::aot
