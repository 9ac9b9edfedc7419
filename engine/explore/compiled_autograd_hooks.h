#pragma once

#include "contract/run_time_hooks.h"
#include "contract/snapshots.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// The hooks that graphs of compiled autograd call.
namespace aotscope::session {

/// The hooks of a graph of compiled autograd, in the order in which they are called.
[[nodiscard]] std::vector<RunTimeHook> runTimeHooks(const ir::Graph& compiledAutograd);

/// Whether a graph of compiled autograd runs that backward of a compiled function.
[[nodiscard]] bool runsBackward(const ir::Graph& compiledAutograd, const ir::Graph& backward);

/// All graphs of compiled autograd in a log, also those without hooks; with `backward` only those that run
/// it. Graphs that cannot be read are left out.
[[nodiscard]] std::vector<CompiledAutogradHooks>
compiledAutogradHooks(const LogSnapshot& log, const ReadGraph& read, const ir::Graph* backward = nullptr);

/// "2 × unpack_hook: primals_3, tanh; 1 × tensor_pre_hook: AccumulateGrad (NodeCall 4)"; "none". Of each type
/// at most `most` places are named.
[[nodiscard]] std::string runTimeHooksText(std::span<const RunTimeHook> hooks, std::size_t most = 8);

} // namespace aotscope::session
