#include "aot/saved_tensors_hooks.h"

#include "aot/hook_programs.h"
#include "aot/versions/versions.h"

#include "base/numbers.h"

#include <algorithm>
#include <memory>
#include <string>
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
    request.decomposedOperators = function.configuration.decomposedOperators;
    request.functorch = function.configuration.functorch;
    request.state = function.configuration.state;
    request.state.gradEnabled = false;
    request.state.autocasts.clear();
    request.lazyArithmetic = true;
    request.returnsTree = true;
    for (const RetraceGuard& guard : function.guards) {
        request.symbolGuards.push_back(guard.expression.text());
    }
    return request;
}

/// One more than the largest number of an unbacked symbol (u0, u1, …) in a graph.
std::size_t unbackedNumbers(const ir::Graph& graph) {
    std::size_t count = 0;
    for (const std::string& symbol : graph.symbols()) {
        const auto number = symbol.starts_with('u')
                                ? base::wholeNumber<std::size_t>(std::string_view(symbol).substr(1))
                                : std::nullopt;
        count = number ? std::max(count, *number + 1) : count;
    }
    return count;
}

base::Result<ir::GraphPtr> traced(RetraceRequest request, ir::GraphPtr program,
                                  const ir::SymbolBindings& hints, const TraceProgram& trace) {
    request.inputs.resize(program->placeholders().size());
    request.symbolHints = hints;
    request.program = std::move(program);
    AOTSCOPE_TRY(result, trace(request));
    if (mutatesInputs(result.function.metadata)) {
        return base::Error{.code = "hooks.mutation",
                           .message = "A saved-tensors hook writes to the tensor that it gets.",
                           .hint = "PyTorch does not compile this either: change a copy."};
    }
    return std::move(result.function.graph);
}

base::Error placed(base::Error error, std::string_view hook) {
    if (error.place.file.empty()) {
        error.place.file = hook;
    }
    return error;
}

} // namespace

std::optional<SavedTensorsHooks> hooksOf(const ir::Graph& program) {
    SavedTensorsHooks hooks{program.trySubgraph("saved_tensors_hooks_pack_0"),
                            program.trySubgraph("saved_tensors_hooks_unpack_0")};
    return hooks.pack && hooks.unpack ? std::optional(std::move(hooks)) : std::nullopt;
}

passes::TraceHook hookTracer(const CompiledFunction& function, SavedTensorsHooks hooks, TraceProgram trace) {
    const bool complexCalls = torchRules(function.configuration.torch).trace.complexNumbersAreCalls;
    // The symbols of one hook are not those of the next.
    const auto unbacked = std::make_shared<std::size_t>(0);
    return [request = requestFor(function), counted = static_cast<const ir::Graph*>(nullptr), unbacked,
            complexCalls, hooks = std::move(hooks), trace = std::move(trace)](
               const ir::Graph& forward, ir::NodeId saved) mutable -> base::Result<passes::InlinedHook> {
        const auto numberOn = [&](const ir::Graph& graph) {
            request.unbackedNumbers = *unbacked = std::max(*unbacked, unbackedNumbers(graph));
        };
        if (counted != &forward) {
            counted = &forward;
            numberOn(forward);
        }
        const ir::SymbolBindings& hints = forward.symbolHints();
        auto packed = traced(request, packProgram(*hooks.pack, forward.node(saved).value), hints, trace);
        if (!packed) {
            return placed(std::move(packed).error(), packHookPlace);
        }
        passes::InlinedHook hook{forward.node(saved).name, packGraph(**packed, complexCalls), nullptr};
        numberOn(**packed);
        auto unpacked = traced(request, unpackProgram(hooks.unpack, *hook.pack), hints, trace);
        if (!unpacked) {
            return placed(std::move(unpacked).error(), unpackHookPlace);
        }
        numberOn(**unpacked);
        hook.unpack = unpackGraph(**unpacked, *hook.pack, complexCalls);
        return hook;
    };
}

passes::HookFilter hookFilterOf(const FunctorchConfig& config) {
    return base::fromWord<passes::HookFilter>(config.savedTensorsHooksFilteringMode)
        .value_or(passes::HookFilter::Donated);
}

std::optional<HookInlining> hookInlining(const CompiledFunction& function, TraceProgram trace) {
    auto hooks = function.program ? hooksOf(*function.program) : std::nullopt;
    if (!hooks) {
        return std::nullopt;
    }
    return HookInlining{hookFilterOf(function.configuration.functorch),
                        hookTracer(function, *std::move(hooks), std::move(trace))};
}

} // namespace aotscope::aot
