#pragma once

#include "run/run_context.h"

#include "contract/rerun_request.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace aotscope::torch {

/// Calls `before` and then `work` as often as the settings say, and returns how long each `work` that counts
/// took, in nanoseconds: on the CPU by the computer's clock, on a GPU between two CUDA events in the stream.
/// With cold caches these are emptied after `before`. Throws Canceled between two repetitions, what the two
/// throw, and RunFailure (cuda.failed, cuda.lost, run.too_large) with what the GPU says of the work.
[[nodiscard]] std::vector<std::int64_t> timeRepetitions(const session::RerunSettings& settings,
                                                        c10::Device device, base::Progress& progress,
                                                        const std::function<void()>& before,
                                                        const std::function<void()>& work);

/// The median time of the same loop in nanoseconds, around work that leaves out what is measured.
[[nodiscard]] double medianOverhead(c10::Device device, base::Progress& progress,
                                    const std::function<void()>& work);

} // namespace aotscope::torch
