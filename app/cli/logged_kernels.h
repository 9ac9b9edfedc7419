#pragma once

#include "json_text.h"

#include "session/generated_code.h"

#include <string>

namespace aotscope::cli {

/// The kernels of a compile's generated code: one table per half, then what could not be linked. `id` as a
/// person writes it.
[[nodiscard]] std::string loggedKernelsText(const session::GeneratedCodeSnapshot& snapshot,
                                            const std::string& id);
/// One entry of `compiles` in aotscope.kernels/1.
[[nodiscard]] Json loggedKernelsJson(const session::GeneratedCodeSnapshot& snapshot, const std::string& id);

} // namespace aotscope::cli
