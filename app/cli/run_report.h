#pragma once

#include "json_text.h"

#include "session/snapshots.h"

#include <string>

namespace aotscope::cli {

/// A run as a table for people, one line per value a node produced, and its totals.
[[nodiscard]] std::string runTable(const session::RunSnapshot& run);
/// "58 nodes in 3.2 ms, at most 1.5 MB alive, seed 0, s0 = 8, LibTorch 2.11.0 (CPU)"
[[nodiscard]] std::string runTotals(const session::RunSnapshot& run);
/// The run as an object of schema aotscope.run/1, without the schema's name.
[[nodiscard]] Json runJson(const session::RunSnapshot& run);
/// Nodes whose result contradicts the log.
[[nodiscard]] std::size_t mismatchCount(const session::RunSnapshot& run);

} // namespace aotscope::cli
