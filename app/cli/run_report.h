#pragma once

#include "json_text.h"

#include "session/snapshots.h"

#include <optional>
#include <string>

namespace aotscope::cli {

/// What to show of numbers that are made up or follow from made-up ones.
enum class MadeUpNumbers { Withheld, Shown };

/// A run as a table for people, one line per value a node produced, and its totals.
[[nodiscard]] std::string runTable(const session::RunSnapshot& run, MadeUpNumbers madeUp);
/// "58 nodes in 3.2 ms, at most 1.5 MB alive, seed 0, s0 = 8, LibTorch 2.11.0 (CPU)"
[[nodiscard]] std::string runTotals(const session::RunSnapshot& run);
/// The run as an object of schema aotscope.run/1, without the schema's name.
[[nodiscard]] Json runJson(const session::RunSnapshot& run, MadeUpNumbers madeUp);
/// Nodes whose result contradicts the log.
[[nodiscard]] std::size_t mismatchCount(const session::RunSnapshot& run);

/// Nodes whose numbers are made up or follow from made-up ones.
[[nodiscard]] std::size_t madeUpCount(const session::RunSnapshot& run);
/// "corpus.accum_, corpus.scaled_add"; empty when everything was computed.
[[nodiscard]] std::string standInNames(const session::RunSnapshot& run);
/// What a person is told of a run with stand-ins, in one or two sentences.
[[nodiscard]] std::string standInText(const session::RunSnapshot& run);
/// Why a run with stand-ins does not count, where a person has not allowed them. Nothing when all was
/// computed.
[[nodiscard]] std::optional<base::Error> standInError(const session::RunSnapshot& run);

} // namespace aotscope::cli
