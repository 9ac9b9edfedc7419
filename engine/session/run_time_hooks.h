#pragma once

#include "session/reference.h"
#include "session/snapshots.h"

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
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

/// The hooks of a graph of compiled autograd, in the order in which they are called.
[[nodiscard]] std::vector<RunTimeHook> runTimeHooks(const ir::Graph& compiledAutograd);

/// Whether a graph of compiled autograd runs that backward of a compiled function.
[[nodiscard]] bool runsBackward(const ir::Graph& compiledAutograd, const ir::Graph& backward);

/// A graph of compiled autograd in a log.
struct CompiledAutogradHooks {
    ArtifactReference graph;
    /// "!0"
    std::string id;
    std::vector<RunTimeHook> hooks;
    friend bool operator==(const CompiledAutogradHooks&, const CompiledAutogradHooks&) = default;
};

using ReadGraph = std::function<base::Result<GraphSnapshotPtr>(const ArtifactReference&)>;

/// All graphs of compiled autograd in a log, also those without hooks; with `backward` only those that run
/// it. Graphs that cannot be read are left out.
[[nodiscard]] std::vector<CompiledAutogradHooks>
compiledAutogradHooks(const LogSnapshot& log, const ReadGraph& read, const ir::Graph* backward = nullptr);

/// "2 × unpack_hook: primals_3, tanh; 1 × tensor_pre_hook: AccumulateGrad (NodeCall 4)"; "none". Of each type
/// at most `most` places are named.
[[nodiscard]] std::string runTimeHooksText(std::span<const RunTimeHook> hooks, std::size_t most = 8);

} // namespace aotscope::session
