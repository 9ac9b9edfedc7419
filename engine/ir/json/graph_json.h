#pragma once

#include "ir/graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::ir {

/// The graph as JSON with the keys of PyTorch's golden graphs (num_nodes; nodes: name, op, target, args,
/// kwargs, val, seq_nr, partitioner_tag, recompute, original_aten, desc, source; subgraphs; constants), plus
/// `origin` and `style`, which hold what the printed text tells and those keys do not. One node per line.
/// Half of it when `progress` says stop.
[[nodiscard]] std::string graphToJson(const Graph& graph, base::Progress progress = {});

/// Reads the same, and the golden files' graphs, where `origin` and `style` are absent and what these hold is
/// read from `text`, the graph as PyTorch printed it, if that is there. Unknown keys of a node are kept in
/// Node::extra. Errors: ir.json_syntax, ir.json_value (with the node's name).
[[nodiscard]] base::Result<GraphPtr> graphFromJson(std::string_view json);

/// The metadata of a value alone, as a graph's JSON has it under `val`. Example values of symbols are left
/// out.
[[nodiscard]] std::string valueToJson(const ValueMeta& value);

/// Reads the same. Errors: ir.json_syntax, ir.json_value.
[[nodiscard]] base::Result<ValueMeta> valueFromJson(std::string_view json);

} // namespace aotscope::ir
