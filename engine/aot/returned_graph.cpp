#include "aot/returned_graph.h"

#include "aot/versions/versions.h"

#include "ir/graph_builder.h"
#include "ir/notes.h"

namespace aotscope::aot {
namespace {

/// PyTorch's sequence numbers count per process. They are counted from the graph's smallest, so that graphs
/// can be compared.
void makeNumbersRelative(ir::GraphBuilder& graph) {
    std::optional<std::int64_t> smallest;
    for (const ir::NodeId id : graph.order()) {
        const auto number = graph.node(id).sequenceNumber;
        if (number && *number >= 0 && (!smallest || *number < *smallest)) {
            smallest = number;
        }
    }
    if (smallest.value_or(0) == 0) {
        return;
    }
    for (const ir::NodeId id : graph.order()) {
        if (auto& number = graph.editMeta(id).sequenceNumber; number && *number >= 0) {
            *number -= *smallest;
        }
    }
}

/// AOTAutograd traces a joint graph from `inner_f(primals, tangents)` and an inference graph from a lambda,
/// and prints both with one input per line.
void setPrintedStyle(ir::GraphBuilder& graph, bool joint, const TraceRules& rules) {
    ir::TextStyle& style = graph.editStyle();
    if (rules.complexNumbersAreCalls) {
        style.notes[ir::notes::complexCalls] = "1";
    }
    style.expandedDefinition = true;
    style.className = joint ? "inner_f" : "<lambda>";
    const auto output = graph.output();
    if (!joint && output && graph.node(*output).args.size() == 1) {
        const auto* returned = graph.node(*output).args[0].as<ir::TupleArgument>();
        if (returned != nullptr && returned->items.empty()) {
            style.notes["empty_return_list"] = "1";
        }
    }
    if (joint) {
        style.pytree = true;
        style.pytreeInputs = {"primals", "tangents"};
        style.notes["unflattened"] = "1";
        // The joint function returns a list, which the pytree unflattens.
        if (output) {
            const ir::Arguments& arguments = graph.node(*output).args;
            if (const auto* tuple = arguments.empty() ? nullptr : arguments[0].as<ir::TupleArgument>()) {
                graph.setArguments(*output, {ir::ListArgument{tuple->items}});
            }
        }
    }
}

void dropSources(ir::GraphBuilder& graph) {
    const auto none = std::make_shared<const ir::NodeOrigin>();
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).origin) {
            graph.editMeta(id).origin = none;
        }
    }
}

} // namespace

ir::GraphPtr asReturned(const CompiledFunction& traced, const ir::SymbolBindings& hints, bool isWrapped) {
    ir::GraphBuilder finished(*traced.graph);
    makeNumbersRelative(finished);
    if (!traced.graph->symbols().empty()) {
        finished.editSymbolHints().insert(hints.begin(), hints.end());
    }
    setPrintedStyle(finished, traced.joint, torchRules(traced.configuration.torch).trace);
    if (isWrapped) {
        dropSources(finished);
    }
    return finished.finish();
}

} // namespace aotscope::aot
