#pragma once

#include "run/execution/operator_watch.h"
#include "wrappers/call_function.h"
#include "wrappers/caller_side.h"
#include "wrappers/compose.h"
#include "wrappers/unwritten_memory.h"

#include "steps/call_record.h"

#include "base/progress.h"

#include <cstddef>
#include <vector>

namespace aotscope::torch {

/// A compiled call with saved-tensors hooks, beside the same call without them. Hooks may lose digits, which
/// is no fault of the compile: so it is the call without hooks that is compared with eager mode, and the one
/// with them is compared with the same halves where the hooks' own graphs pack and unpack what is saved.
class HookComparison {
public:
    /// All must outlive it. `unwritten`: elements that are not compared.
    HookComparison(const CallSubject& subject, const CallerArguments& arguments,
                   const UnwrittenElements& unwritten, const base::Progress& progress);

    /// Whether the call has hooks, inlined or called while it runs.
    [[nodiscard]] bool hasHooks() const { return m_isInlined || m_subject.packHook; }
    /// The calls up to number `last`, without hooks.
    [[nodiscard]] CallerSide plain(std::size_t last) const { return called({}, last, nullptr); }
    /// Adds to what was compared without hooks how far the hooks move each value, and whether they are
    /// inlined rightly.
    void tell(std::vector<steps::ComparedValue>& values, const CallerSide& hooked, const CallerSide& eager,
              std::size_t last) const;

private:
    [[nodiscard]] CallerSide called(const GraphCompiler& compiler, std::size_t last,
                                    OperatorWatch* watch) const;
    [[nodiscard]] GraphCompiler roundTrips() const;

    const CallSubject& m_subject;
    const CallerArguments& m_arguments;
    const UnwrittenElements& m_unwritten;
    base::Progress m_progress;
    bool m_isInlined;
    /// Without inlined hooks.
    aot::CompiledFunction m_function;
};

} // namespace aotscope::torch
