#pragma once

#include "contract/retrace_snapshot.h"

#include "aot/pipeline.h"
#include "passes/partition_options.h"

#include "base/progress.h"
#include "base/result.h"

#include <optional>
#include <vector>

/// The stages after the trace, from a re-traced compile on: partition, saved-tensors hooks, wrappers.
namespace aotscope::session {

/// The compile without halves: used when the partition fails.
[[nodiscard]] aot::CompiledFunction functionOf(const RetraceSnapshot& retraced);
/// Whether splitRetraced splits it: it was traced and has a backward.
[[nodiscard]] bool isSplittable(const RetraceSnapshot& retraced);
/// What it is split by: partitioned as aot_eager's compiler does, with the hooks that were traced with it.
/// Only if it is splittable.
[[nodiscard]] aot::PipelineChoices splitChoices(const RetraceSnapshot& retraced, const LogSnapshot& log);

/// The compile, with its joint graph partitioned and its hooks inlined. Unchanged if it has no backward or
/// was not traced; then an observer sees no stage. Errors: those of the stages, aot.broken_graph,
/// session.canceled.
[[nodiscard]] base::Result<aot::CompiledFunction> splitRetraced(const RetraceSnapshot& retraced,
                                                                const LogSnapshot& log,
                                                                base::Progress progress,
                                                                const aot::Observer& observer = {});

/// How the hooks of a re-trace are inlined with any choices: those that were traced with it, and `trace` for
/// other saved tensors. Nothing if RetraceSnapshot::hooks is nothing.
[[nodiscard]] std::optional<aot::HookInlining> hookInlining(const RetraceSnapshot& retraced,
                                                            aot::TraceProgram trace);

/// Traces the saved-tensors hooks of a compile for each tensor that its partition saves, and returns them;
/// nothing if it has none. Errors: those of the partition, of `trace`, and of aot::hookTracer.
[[nodiscard]] base::Result<std::optional<std::vector<passes::InlinedHook>>>
traceHooks(const RetraceSnapshot& retraced, const LogSnapshot& log, aot::TraceProgram trace);

} // namespace aotscope::session
