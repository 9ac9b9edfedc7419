#pragma once

#include "contract/rerun_request.h"

#include <QString>

/// Reruns in words.
namespace aotscope::views {

/// "12.3 µs", with three digits, because times of kernels differ in the last ones.
[[nodiscard]] QString kernelTime(double nanoseconds);
/// "min 12.3 µs  ·  median 12.9 µs  ·  p95 14.1 µs"
[[nodiscard]] QString timesText(const session::RerunTimes& times);
/// "bfloat16, s0 = 8, cold"; empty if the nodes ran as in the run, with warm caches.
[[nodiscard]] QString settingsText(const session::RerunSettings& settings);
/// "on cuda:0, timed by CUDA events"; empty for the CPU.
[[nodiscard]] QString placeText(const session::RerunResult& result);
/// "equal", "max 0.0021 (relative 0.0004)", or why there is none.
[[nodiscard]] QString differenceText(const std::optional<session::ValueDifference>& difference);
/// The largest of all results, beside the baseline if there is one, else beside the run; empty if there is
/// nothing to compare with.
[[nodiscard]] QString worstDifferenceText(const session::RerunSnapshot& rerun);
/// "moves 3.1 MiB at 24.1 GB/s (61 % of what a copy reaches)"; empty where the cost is unknown.
[[nodiscard]] QString costText(const session::RerunResult& result);

/// What a person writes into the field for sizes: "x=8x16, s0=4". A name is a symbol if it is in `symbols`,
/// else an input. On failure `failure` says what is wrong.
[[nodiscard]] session::RerunChanges readSizes(const QString& words, const std::vector<std::string>& symbols,
                                              QString& failure);

} // namespace aotscope::views
