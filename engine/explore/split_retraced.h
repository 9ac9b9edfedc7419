#pragma once

#include "contract/retrace_snapshot.h"

#include "aot/compile.h"
#include "passes/inline_hooks.h"

#include "base/progress.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <vector>

/// The stages after the trace, from a re-traced compile on: partition, saved-tensors hooks, wrappers.
namespace aotscope::session {

/// The compile without halves: used when the partition fails.
[[nodiscard]] aot::CompiledFunction functionOf(const RetraceSnapshot& retraced);
/// Whether splitRetraced splits it: it was traced and has a backward.
[[nodiscard]] bool isSplittable(const RetraceSnapshot& retraced);
/// What it is split by: partitioned as aot_eager's compiler does, with the program's hooks unless they could
/// not be traced. Only if it is splittable.
[[nodiscard]] aot::CompileChoices splitChoices(const RetraceSnapshot& retraced, const LogSnapshot& log);

/// The compile, with its joint graph partitioned and its hooks inlined. Unchanged if it has no backward or
/// was not traced. Errors: those of aot::compile.
[[nodiscard]] base::Result<aot::CompiledFunction>
splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log, const base::Progress& progress);

/// How the hooks of a re-trace are inlined with any choices: those that were traced with it, and `trace` for
/// other saved tensors. Nothing if RetraceSnapshot::hooked is null.
[[nodiscard]] std::optional<aot::HookInlining> hookInlining(const RetraceSnapshot& retraced,
                                                            aot::TraceProgram trace);

/// Finds hooks among those that were traced before, by the name of the saved tensor; else asks `otherwise`.
/// Empty: others have none.
[[nodiscard]] passes::TraceHook tracedBefore(std::vector<passes::InlinedHook> hooks,
                                             passes::TraceHook otherwise = {});
/// Splits a compile and traces its saved-tensors hooks for each tensor that is saved; null if it has none.
/// Errors: those of aot::compile and of aot::hookTracer.
[[nodiscard]] base::Result<std::shared_ptr<const aot::CompiledFunction>>
splitWithHooks(const RetraceSnapshot& retraced, const LogSnapshot& log, aot::TraceProgram trace);

} // namespace aotscope::session
