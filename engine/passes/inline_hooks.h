#pragma once

#include "passes/partition.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace aotscope::passes {

/// Which saved tensors hooks apply to (torch._functorch.config.saved_tensors_hooks_filtering_mode).
enum class HookFilter : std::uint8_t {
    /// Those that the backward may overwrite: nothing else holds them, so packing frees them.
    Donated,
    /// All but parameters and buffers.
    NoStatic,
    All,
};
AOTSCOPE_WORDS(HookFilter, "donated", "no_static", "all")

/// Traces both hooks for one saved tensor, a node of the forward; `pack` and `unpack` are set in the result,
/// or null for a tensor that is saved as it is.
using TraceHook = std::function<base::Result<InlinedHook>(const ir::Graph& forward, ir::NodeId saved)>;

/// Inlines saved-tensors hooks: the forward packs what it saves, and the backward unpacks it first. Tensors
/// among the packed values are saved in place of the tensor, symbolic integers before those saved already,
/// and constants are written into the backward. Unchanged if the filter leaves no tensor.
///
///     forward:   … mm → pack → return out, mm_hook_1
///     backward:  mm_hook_1, tangents_1 → unpack → …
///
/// `staticInputs` are positions among the forward's inputs. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/graph_compile.py: maybe_inline_graph_saved_tensors_hooks. Errors: those of
/// `trace`; passes.hook (a hook whose graph does not have this form, or a name that is taken).
[[nodiscard]] base::Result<Partition> inlineHooks(const Partition& partition, HookFilter filter,
                                                  const std::vector<std::size_t>& staticInputs,
                                                  const TraceHook& trace, const PassObserver& observer = {});

} // namespace aotscope::passes
