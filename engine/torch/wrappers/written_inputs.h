#pragma once

#include "aot/compiled_function.h"

#include <cstddef>
#include <vector>

namespace aotscope::torch {

/// Which of the caller's arguments a compiled function writes to, by its metadata. All that share memory
/// where one of several is written to.
[[nodiscard]] std::vector<bool> writtenArguments(const aot::CompiledFunction& function, std::size_t count);

} // namespace aotscope::torch
