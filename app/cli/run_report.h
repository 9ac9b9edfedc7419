#pragma once

#include "json_text.h"

#include "contract/snapshots.h"

#include <optional>
#include <string>

namespace aotscope::cli {

/// Whether to show numbers that are stand-ins or depend on them.
enum class MadeUpNumbers { Withheld, Shown };

/// A run as a table for people: one line per value that a node returned, and totals.
[[nodiscard]] std::string runTable(const session::RunSnapshot& run, MadeUpNumbers madeUp);
/// "58 nodes in 3.2 ms, at most 1.5 MB alive, seed 0, s0 = 8, LibTorch 2.11.0 (CPU)"
[[nodiscard]] std::string runTotals(const session::RunSnapshot& run);
/// The run as an object of schema aotscope.run/1, without the schema's name.
[[nodiscard]] Json runJson(const session::RunSnapshot& run, MadeUpNumbers madeUp);
/// A kept value: its tensors with statistics and histogram.
[[nodiscard]] Json valueJson(const session::RunSnapshot& run, const session::NodeValue& value,
                             MadeUpNumbers madeUp);
/// Number of nodes whose result contradicts the log.
[[nodiscard]] std::size_t mismatchCount(const session::RunSnapshot& run);

/// Number of nodes whose numbers are stand-ins or depend on them.
[[nodiscard]] std::size_t madeUpCount(const session::RunSnapshot& run);
/// "corpus.accum_, corpus.scaled_add"; empty when everything was computed.
[[nodiscard]] std::string standInNames(const session::RunSnapshot& run);
/// One or two sentences for people about a run with stand-ins.
[[nodiscard]] std::string standInText(const session::RunSnapshot& run);
/// Why a run with stand-ins counts as failed if they are not allowed. Nothing if there are none.
[[nodiscard]] std::optional<base::Error> standInError(const session::RunSnapshot& run);

} // namespace aotscope::cli
