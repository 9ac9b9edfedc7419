#include "aot/saved_tensors_hooks.h"

#include "aot/versions/versions.h"

#include "ir/argument.h"
#include "ir/graph_builder.h"
#include "ir/map_nodes.h"
#include "ir/notes.h"

#include "base/numbers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// What a graph returns.
ir::Argument returnedBy(const ir::Graph& graph) {
    const auto output = graph.output();
    return output && !graph.node(*output).args.empty() ? graph.node(*output).args[0] : ir::Argument();
}

ir::NodeId appendInput(ir::GraphBuilder& graph, std::string name, ir::ValueMeta value) {
    ir::Node input;
    input.op = ir::Opcode::Placeholder;
    input.name = std::move(name);
    input.target = input.name;
    input.value = std::move(value);
    return graph.append(std::move(input));
}

/// PyTorch prints the graphs that it makes of hooks under the name of a function it wraps them into.
void setStyle(ir::GraphBuilder& graph, bool complexCalls) {
    ir::TextStyle& style = graph.editStyle();
    style.className = "<lambda>";
    style.expandedDefinition = true;
    if (complexCalls) {
        style.notes.emplace(ir::notes::complexCalls, "1");
    }
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

ir::GraphPtr packProgram(const ir::Graph& hook, const ir::ValueMeta& tensor) {
    ir::GraphBuilder program(hook);
    for (const ir::NodeId input : hook.placeholders()) {
        program.editMeta(input).value = tensor;
    }
    return program.finish();
}

ir::GraphPtr unpackProgram(ir::GraphPtr hook, const ir::Graph& packed) {
    ir::GraphBuilder program;
    program.editSymbolHints() = packed.symbolHints();
    ir::Node call;
    call.op = ir::Opcode::CallModule;
    call.name = "unpack";
    call.target = "unpack_hook";
    const ir::Argument tree = ir::mapNodes(returnedBy(packed), [&](ir::NodeId id) -> ir::Argument {
        return appendInput(program, "packed_" + std::to_string(program.size()), packed.node(id).value);
    });
    // The inputs of a graph that takes its argument apart itself are the leaves.
    call.args = hook->style().pytree ? ir::treeLeaves(tree) : ir::Arguments{tree};
    const ir::NodeId unpacked = program.append(std::move(call));
    ir::Node output;
    output.op = ir::Opcode::Output;
    output.name = "output";
    output.target = "output";
    output.args = {unpacked};
    program.append(std::move(output));
    program.addSubgraph("unpack_hook", std::move(hook));
    return program.finish();
}

ir::GraphPtr packGraph(const ir::Graph& traced, bool complexCalls) {
    ir::GraphBuilder graph(traced);
    for (const ir::NodeId input : traced.placeholders()) {
        graph.editMeta(input).descriptors.clear();
    }
    setStyle(graph, complexCalls);
    return graph.finish();
}

ir::GraphPtr unpackGraph(const ir::Graph& traced, const ir::Graph& packed, bool complexCalls) {
    ir::GraphBuilder graph;
    graph.editSymbolHints() = traced.symbolHints();
    setStyle(graph, complexCalls);
    const ir::Argument tree = returnedBy(packed);
    const bool isTree = ir::isContainer(tree);
    std::vector<ir::Argument> values(traced.idBound());
    const std::vector<ir::NodeId> taken = traced.placeholders();
    std::size_t next = 0;
    for (const ir::Argument& leaf : ir::treeLeaves(tree)) {
        const auto* node = leaf.as<ir::NodeId>();
        const ir::NodeId input = appendInput(graph, "arg0_" + std::to_string(graph.size() + 1),
                                             node == nullptr ? ir::ValueMeta() : packed.node(*node).value);
        if (node != nullptr && next < taken.size()) {
            values[taken[next++].index()] = input;
        }
    }
    for (const ir::NodeId id : traced.order()) {
        ir::Node node = traced.node(id);
        if (node.op == ir::Opcode::Placeholder) {
            continue;
        }
        ir::mapArguments(node, [&](ir::NodeId input) { return values[input.index()]; });
        if (node.op == ir::Opcode::Output && isTree && !node.args.empty()) {
            node.args = {ir::ListArgument{ir::treeLeaves(node.args[0])}};
        }
        values[id.index()] = graph.append(std::move(node));
    }
    for (const auto& [name, subgraph] : traced.subgraphs()) {
        graph.addSubgraph(name, subgraph);
    }
    for (const auto& [name, value] : traced.constants()) {
        graph.addConstant(name, value);
    }
    if (isTree) {
        graph.editStyle().pytree = true;
        graph.editStyle().pytreeInputs = {"arg0"};
        graph.editStyle().notes.emplace(ir::notes::unflattened, "1");
    }
    return graph.finish();
}

} // namespace aotscope::aot
