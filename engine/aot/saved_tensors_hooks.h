#pragma once

#include "aot/compiled_function.h"
#include "aot/functorch_config.h"
#include "aot/retrace.h"

#include "ir/graph.h"
#include "passes/inline_hooks.h"

#include "base/describe.h"
#include "base/result.h"

#include <functional>
#include <optional>
#include <string_view>

/// Saved-tensors hooks that Dynamo recorded with a program, traced for the tensors that a compile saves.
/// Hooks pass on any Python value between them, while a traced program takes tensors and symbolic numbers.
/// Follows torch 2.15, torch/_functorch/_aot_autograd/graph_compile.py: prepare_hook_gm, create_wrap_fn.
namespace aotscope::aot {

/// A pair of graphs that pack a tensor when it is saved for the backward and unpack it there.
struct SavedTensorsHooks {
    ir::GraphPtr pack;
    ir::GraphPtr unpack;
};
AOTSCOPE_MEMBERS(SavedTensorsHooks, pack, unpack)

/// The hooks that were active around the call of the compiled function; nothing if there were none, or if
/// they are no graphs: PyTorch does not inline those.
[[nodiscard]] std::optional<SavedTensorsHooks> hooksOf(const ir::Graph& program);

/// How hooks are inlined.
struct HookInlining {
    passes::HookFilter filter = passes::HookFilter::Donated;
    passes::TraceHook trace;
};

/// Traces a function without autograd, as RetraceCall does.
using TraceProgram = std::function<base::Result<RetraceResult>(const RetraceRequest&)>;

/// The file in the place of an error that one of the hooks gave.
inline constexpr std::string_view packHookPlace = "pack hook";
inline constexpr std::string_view unpackHookPlace = "unpack hook";

/// A tracer for the hooks of a compile, with its release, decompositions and guards. As in PyTorch grad mode
/// and autocast are off. Its errors: those of `trace`; hooks.mutation (a hook writes to the tensor that it
/// gets).
[[nodiscard]] passes::TraceHook hookTracer(const CompiledFunction& function, SavedTensorsHooks hooks,
                                           TraceProgram trace);

/// Which saved tensors hooks apply to.
[[nodiscard]] passes::HookFilter hookFilterOf(const FunctorchConfig& config);

/// How the hooks that were recorded with a compile's program are inlined; nothing: it has none.
[[nodiscard]] std::optional<HookInlining> hookInlining(const CompiledFunction& function, TraceProgram trace);

/// The pack hook for a tensor with this metadata. Its trace returns what the hook returns
/// (RetraceRequest::returnsTree).
[[nodiscard]] ir::GraphPtr packProgram(const ir::Graph& hook, const ir::ValueMeta& tensor);
/// The unpack hook for what a traced pack hook returns: takes the tensors and symbolic numbers of it.
[[nodiscard]] ir::GraphPtr unpackProgram(ir::GraphPtr hook, const ir::Graph& packed);

/// A traced pack hook as PyTorch's graph. `complexCalls`: TraceRules::complexNumbersAreCalls.
[[nodiscard]] ir::GraphPtr packGraph(const ir::Graph& traced, bool complexCalls);
/// A traced unpack hook as PyTorch's graph: it takes every value that the pack hook returns, constants too.
[[nodiscard]] ir::GraphPtr unpackGraph(const ir::Graph& traced, const ir::Graph& packed, bool complexCalls);

} // namespace aotscope::aot
