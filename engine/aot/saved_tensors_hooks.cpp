#include "aot/saved_tensors_hooks.h"

#include "aot/hook_programs.h"
#include "aot/versions/versions.h"

#include <algorithm>
#include <utility>

namespace aotscope::aot {
namespace {

bool mutatesInputs(const ir::ViewAndMutationMeta& metadata) {
    return std::ranges::any_of(metadata.inputInfo, [](const ir::InputAliasInfo& info) {
        return info.mutatesData || info.mutatesMetadata;
    });
}

/// What both hooks are traced with; the program is set for each.
RetraceRequest requestFor(const CompiledFunction& function) {
    RetraceRequest request;
    request.torch = function.configuration.torch;
    request.decompositions = function.configuration.decompositions;
    request.gradEnabled = false;
    request.lazyArithmetic = true;
    request.returnsTree = true;
    for (const RetraceGuard& guard : function.guards) {
        request.symbolGuards.push_back(guard.expression);
    }
    return request;
}

base::Result<ir::GraphPtr> traced(RetraceRequest request, ir::GraphPtr program,
                                  const ir::SymbolBindings& hints, const TraceProgram& trace) {
    request.inputs.resize(program->placeholders().size());
    request.symbolHints = hints;
    request.program = std::move(program);
    auto result = trace(request);
    if (!result) {
        return std::move(result).error();
    }
    if (mutatesInputs(result->metadata)) {
        return base::Error{.code = "hooks.mutation",
                           .message = "A saved-tensors hook writes to the tensor that it gets.",
                           .hint = "PyTorch does not compile this either: change a copy."};
    }
    return std::move(result->graph);
}

} // namespace

std::optional<SavedTensorsHooks> hooksOf(const ir::Graph& program) {
    SavedTensorsHooks hooks{program.trySubgraph("saved_tensors_hooks_pack_0"),
                            program.trySubgraph("saved_tensors_hooks_unpack_0")};
    return hooks.pack && hooks.unpack ? std::optional(std::move(hooks)) : std::nullopt;
}

passes::TraceHook hookTracer(const CompiledFunction& function, SavedTensorsHooks hooks, TraceProgram trace) {
    const bool complexCalls = torchRules(function.configuration.torch).trace.complexNumbersAreCalls;
    return [request = requestFor(function), complexCalls, hooks = std::move(hooks), trace = std::move(trace)](
               const ir::Graph& forward, ir::NodeId saved) -> base::Result<passes::InlinedHook> {
        const ir::SymbolBindings& hints = forward.symbolHints();
        auto packed = traced(request, packProgram(*hooks.pack, forward.node(saved).value), hints, trace);
        if (!packed) {
            return std::move(packed).error();
        }
        passes::InlinedHook hook{forward.node(saved).name, packGraph(**packed, complexCalls), nullptr};
        auto unpacked = traced(request, unpackProgram(hooks.unpack, *hook.pack), hints, trace);
        if (!unpacked) {
            return std::move(unpacked).error();
        }
        hook.unpack = unpackGraph(**unpacked, *hook.pack, complexCalls);
        return hook;
    };
}

} // namespace aotscope::aot
