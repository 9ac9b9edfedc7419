#include "api/outputs.h"

#include "trace/export.h"

#include "ir/argument.h"

#include <algorithm>

namespace aotscope::torch::api {

namespace {

/// The returned tuple or list; null: the graph returns something else.
const ir::Arguments* returnedItems(const Graph& graph) {
    const ir::GraphPtr& shown = graph.impl().graph;
    const auto output = shown->output();
    if (!output || shown->node(*output).args.empty()) {
        return nullptr;
    }
    return ir::itemsOf(shown->node(*output).args[0]);
}

} // namespace

void checkTuple(const Graph& graph) {
    if (returnedItems(graph) == nullptr) {
        ban("The graph does not return a tuple or a list.", "Let it return a tuple, or use aot_function.",
            "Graph output must be a (). This is so that we can avoid pytree processing of the outputs. "
            "Please change the module to have tuple outputs or use aot_module instead.",
            "trace.outputs");
    }
}

void checkFlatTuple(const Graph& graph) {
    const ir::Arguments* items = returnedItems(graph);
    if (items == nullptr) {
        ban("The graph does not return a tuple or a list.", "Let it return a tuple.",
            "aot_export_joint_simple requires outputs to be a single list/tuple.");
    }
    if (std::ranges::any_of(*items, ir::isContainer)) {
        ban("An output of the graph is itself a tuple, list or dictionary.", "Return its elements.",
            "aot_export_joint_simple requires individual outputs not to be pytrees.");
    }
}

} // namespace aotscope::torch::api
