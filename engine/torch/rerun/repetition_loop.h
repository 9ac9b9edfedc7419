#pragma once

#include "run/run_context.h"

#include "session/rerun_request.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace aotscope::torch {

/// Calls `before` and then `work` as often as the settings say, and returns how long each `work` that counts
/// took on the computer's clock, in nanoseconds. With cold caches these are emptied after `before`. Throws
/// Canceled between two repetitions, and what the two throw.
[[nodiscard]] std::vector<std::int64_t> timeRepetitions(const session::RerunSettings& settings,
                                                        base::Progress& progress,
                                                        const std::function<void()>& before,
                                                        const std::function<void()>& work);

} // namespace aotscope::torch
