#pragma once

#include "json_text.h"
#include "partition_run.h"

#include "contract/hooks_snapshot.h"
#include "contract/run_time_hooks.h"
#include "recompile/retraced_files.h"

#include <string>
#include <vector>

/// What saved-tensors hooks do to a compile, for people and as JSON.
namespace aotscope::cli {

/// A line per saved tensor, then totals and what could not be applied.
[[nodiscard]] std::string hooksTable(const PartitionRun& run);
/// A line per compile.
[[nodiscard]] std::string hooksSummary(const std::vector<PartitionRun>& runs);
[[nodiscard]] Json hooksJson(const PartitionRun& run);
/// A line per hook: the error of its round trip, and of the gradients with it alone.
[[nodiscard]] std::string errorsTable(const session::HookErrorsSnapshot& measured);
[[nodiscard]] Json errorsJson(const session::HookErrors& errors, const std::vector<std::int64_t>& peaksAlone);
/// What was suggested, as the options that choose it.
[[nodiscard]] std::string suggestionText(const session::HookSuggestionSnapshot& suggestion);
[[nodiscard]] Json suggestionJson(const session::HookSuggestionSnapshot& suggestion);

/// The hooks that compiled autograd calls when a backward runs, a line per graph of it.
[[nodiscard]] std::string runTimeHooksTable(const std::vector<session::CompiledAutogradHooks>& graphs);
[[nodiscard]] Json runTimeHooksJson(const std::vector<session::CompiledAutogradHooks>& graphs);

/// What `--out` writes into the folder of a compile.
[[nodiscard]] std::vector<session::NamedText> hooksFiles(const PartitionRun& run);

/// The hooks that ship with the program.
[[nodiscard]] std::string libraryTable();

} // namespace aotscope::cli
