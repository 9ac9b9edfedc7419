#pragma once

#include "aot/wrapper_step.h"
#include "json_text.h"
#include "load/wrapper_sources.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// One line per wrapper: whether it applies and why. Below it, the state of a wrapper that applies, and which
/// of the logged `sources` are its code.
[[nodiscard]] std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers,
                                       const std::vector<load::WrapperSource>& sources);
[[nodiscard]] Json wrappersJson(const std::vector<aot::WrapperStep>& wrappers,
                                const std::vector<load::WrapperSource>& sources);

} // namespace aotscope::cli
