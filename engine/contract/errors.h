#pragma once

#include "base/result.h"

#include <cstdint>

/// Errors that more than one room returns.
namespace aotscope::session {

[[nodiscard]] base::Error noSuchLog(std::uint32_t log);
[[nodiscard]] base::Error outOfMemory();

} // namespace aotscope::session
