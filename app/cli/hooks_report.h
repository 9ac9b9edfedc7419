#pragma once

#include "json_text.h"
#include "partition_run.h"

#include "session/retraced_files.h"

#include <string>
#include <vector>

/// What saved-tensors hooks do to a compile, for people and as JSON.
namespace aotscope::cli {

/// A line per saved tensor, then totals and what could not be applied.
[[nodiscard]] std::string hooksTable(const PartitionRun& run);
/// A line per compile.
[[nodiscard]] std::string hooksSummary(const std::vector<PartitionRun>& runs);
[[nodiscard]] Json hooksJson(const PartitionRun& run);
/// What `--out` writes into the folder of a compile.
[[nodiscard]] std::vector<session::NamedText> hooksFiles(const PartitionRun& run);

/// The hooks that ship with the program.
[[nodiscard]] std::string libraryTable();

} // namespace aotscope::cli
