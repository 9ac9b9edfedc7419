#pragma once

#include "hooks/hook_plan.h"

#include "aot/saved_tensors_hooks.h"

#include <map>
#include <optional>
#include <string>

namespace aotscope::hooks {

/// What is written for PyTorch.
struct PythonHooks {
    const HookPlan& plan;
    /// The hook of each saved tensor, by the tensor's name in the forward.
    std::map<std::string, std::string> hookOf;
    passes::HookFilter filter = passes::HookFilter::Donated;
    /// Those that were traced with the program, for tensors whose hook is `logged`.
    std::optional<aot::SavedTensorsHooks> logged = {};
};

/// A Python module with `saved_tensors_hooks()`, a context manager for calls of the compiled function. Its
/// hooks are graph modules, so that AOTAutograd inlines them, and choose by the name of the saved tensor's
/// node, which AOTAutograd tells while it traces them: torch/_functorch/_aot_autograd/graph_compile.py,
/// _get_saved_tensor_hook_context (torch 2.11 and 2.15).
[[nodiscard]] std::string pythonText(const PythonHooks& hooks);

} // namespace aotscope::hooks
