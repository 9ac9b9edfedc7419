#pragma once

#include "contract/reference.h"

#include "base/describe.h"

#include <string>
#include <vector>

/// Hooks under compiled autograd. AOTAutograd inlines none of them: they are Python functions that compiled
/// autograd calls while a backward runs, and its graph says where. Follows torch 2.11 and 2.15,
/// torch/_dynamo/compiled_autograd.py: AutogradCompilerInstance.proxy_call_hook, unpack_hook,
/// tensor_pre_hook, pre_hook, post_hook, post_acc_grad_hook, proxy_call_aot_backward.
namespace aotscope::session {

/// One call of a hook.
struct RunTimeHook {
    /// PyTorch's `hook_type`: "unpack_hook" (a saved-tensors hook), "tensor_pre_hook", "pre_hook",
    /// "post_hook", "post_acc_grad_hook".
    std::string type;
    /// The node of compiled autograd's graph that calls it.
    std::string node;
    /// The autograd node at which it is called: "TanhBackward0 (NodeCall 6)"; empty: unknown.
    std::string autogradNode;
    /// What it unpacks, if that is a saved tensor of a compiled function: its name among the inputs of the
    /// compiled backward ("primals_3").
    std::string saved = {};
    friend bool operator==(const RunTimeHook&, const RunTimeHook&) = default;
};
AOTSCOPE_MEMBERS(RunTimeHook, type, node, autogradNode, saved)

/// A graph of compiled autograd in a log.
struct CompiledAutogradHooks {
    ArtifactReference graph;
    /// "!0"
    std::string id;
    std::vector<RunTimeHook> hooks;
    friend bool operator==(const CompiledAutogradHooks&, const CompiledAutogradHooks&) = default;
};
AOTSCOPE_MEMBERS(CompiledAutogradHooks, graph, id, hooks)

} // namespace aotscope::session
