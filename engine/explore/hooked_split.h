#pragma once

#include "contract/partition_snapshot.h"
#include "explore/joint_input.h"

#include "aot/compile.h"
#include "passes/partition_options.h"

#include "base/progress.h"
#include "base/result.h"

/// The partition of a joint graph, and the saved-tensors hooks that are inlined into it.
namespace aotscope::session {

/// Splits the joint graph, and says what the partition saves: sets `partition`, `profile` and `saved` of the
/// snapshot. Errors: those of the partition stage.
[[nodiscard]] base::Result<aot::CompiledFunction> splitFunction(const JointInput& input,
                                                                const passes::PartitionOptions& options,
                                                                PartitionSnapshot& split,
                                                                const base::Progress& progress);

/// Inlines the hooks that were chosen, else those that were traced with the program: sets `function` of the
/// snapshot, and if there are hooks also `hooks` and what follows from them. Errors: those of hooksByRule and
/// of the stages; session.choices_need_min_cut.
[[nodiscard]] base::Result<void> addHooks(const JointInput& input, PartitionSnapshot& split,
                                          aot::CompiledFunction& function, const aot::TraceProgram& traceHook,
                                          const base::Progress& progress);

/// A compile with a person's choices.
struct ChosenCompile {
    /// The traced function, already split where the choices have rules for hooks, which look at what is
    /// saved.
    aot::CompiledFunction begun;
    /// The partition, and the hooks that were chosen, else those that were traced with the program.
    aot::CompileChoices choices;
};
/// Errors: those of partitionOptions; with chosen hooks also those of the partition that their rules look at,
/// session.filter and hooks.unknown.
[[nodiscard]] base::Result<ChosenCompile> chosenCompile(const JointInputPtr& input,
                                                        const aot::CompiledFunction& traced,
                                                        const PartitionChoices& choices,
                                                        const aot::TraceProgram& traceHook,
                                                        const base::Progress& progress);

} // namespace aotscope::session
