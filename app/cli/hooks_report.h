#pragma once

#include "answer.h"
#include "partition_run.h"

#include "contract/hooks_snapshot.h"
#include "contract/run_time_hooks.h"
#include "recompile/retraced_files.h"

#include <string>
#include <vector>

/// What saved-tensors hooks do to a compile, for people and as JSON.
namespace aotscope::cli {

struct HookedTensorAnswer : session::HookedTensor {
    std::string dtype = {};
    std::string shape = {};
    /// The operator that makes it.
    std::string op = {};
    std::string module = {};
};
AOTSCOPE_MORE_MEMBERS(HookedTensorAnswer, session::HookedTensor, dtype, shape, op, module)

/// Without hooks, those from `mode` on are null or empty.
struct HookedCompileAnswer : HalvesAnswer {
    bool traced = false;
    std::optional<passes::HookFilter> mode = {};
    /// Without hooks, and with them.
    std::optional<std::int64_t> savedBytes = {};
    std::optional<std::int64_t> storedBytes = {};
    std::optional<std::int64_t> peakBytes = {};
    std::optional<std::int64_t> peakBytesWithHooks = {};
    std::vector<HookedTensorAnswer> tensors = {};
    std::vector<hooks::BrokenHook> broken = {};
    std::optional<session::HookErrors> errors = {};
    /// With each of the hooks of `errors` alone.
    std::vector<std::int64_t> peaksAlone = {};
    /// The bytes above are those with it.
    std::optional<session::HookSuggestion> suggestion = {};
    /// Why the requested errors or suggestion are missing.
    std::optional<base::Error> notMeasured = {};
};
AOTSCOPE_MORE_MEMBERS(HookedCompileAnswer, HalvesAnswer, traced, mode, savedBytes, storedBytes, peakBytes,
                      peakBytesWithHooks, tensors, broken, errors, peaksAlone, suggestion, notMeasured)

struct HooksAnswer {
    std::vector<HookedCompileAnswer> compiles;
    /// Not inlined: those that compiled autograd calls when a backward runs.
    std::vector<session::CompiledAutogradHooks> runTimeHooks;
};
AOTSCOPE_MEMBERS(HooksAnswer, compiles, runTimeHooks)
AOTSCOPE_ANSWER(HooksAnswer, "aotscope.hooks/3")

/// A line per saved tensor, then totals and what could not be applied.
[[nodiscard]] std::string hooksTable(const PartitionRun& run);
/// A line per compile.
[[nodiscard]] std::string hooksSummary(const std::vector<PartitionRun>& runs);
/// Without what is measured.
[[nodiscard]] HookedCompileAnswer hooksAnswer(const PartitionRun& run);
/// A line per hook: the error of its round trip, and of the gradients with it alone.
[[nodiscard]] std::string errorsTable(const session::HookErrorsSnapshot& measured);
/// What was suggested, as the options that choose it.
[[nodiscard]] std::string suggestionText(const session::HookSuggestionSnapshot& suggestion);

/// The hooks that compiled autograd calls when a backward runs, a line per graph of it.
[[nodiscard]] std::string runTimeHooksTable(const std::vector<session::CompiledAutogradHooks>& graphs);

/// What `--out` writes into the folder of a compile.
[[nodiscard]] std::vector<session::NamedText> hooksFiles(const PartitionRun& run);

/// The hooks that ship with the program.
[[nodiscard]] std::string libraryTable();

} // namespace aotscope::cli
