#pragma once

#include "ir/graph_builder.h"

namespace aotscope::ir::detail {

/// What only the printed text of a golden graph tells, taken from it into the graph read from its nodes: the
/// comments above them (source lines, checkpoint policies, annotations), nested graphs that stand nowhere
/// else (of an autograd.Function, say) and the style of the printing.
/// `printed` is the graph read from what stands under "text" beside "nodes". Nothing is taken from it when
/// its nodes are not those of `graph`, name by name: the nodes are the graph, the text only describes it.
void takePrinted(GraphBuilder& graph, const Graph& printed);

} // namespace aotscope::ir::detail
