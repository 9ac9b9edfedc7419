#pragma once

#include "aot/wrapper_step.h"
#include "json_text.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// One line per wrapper: whether it applies and why. Below it, the state of a wrapper that applies.
[[nodiscard]] std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers);
[[nodiscard]] Json wrappersJson(const std::vector<aot::WrapperStep>& wrappers);

} // namespace aotscope::cli
