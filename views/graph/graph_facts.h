#pragma once

#include "graph/graph_scene.h"

#include <QString>

namespace aotscope::views {

/// "addmm" of "aten.addmm.default"; the full name for other namespaces and for overloads that matter.
[[nodiscard]] QString shortOp(const ir::Node& node);
/// "f32[8, 10]"; "Sym(s0)"; "(f32[8], i64[8])" for a tuple; empty if unknown.
[[nodiscard]] QString shortValue(const ir::ValueMeta& value);

/// Logical size in bytes of a node's tensors, computed with the graph's symbol hints; 0: unknown.
[[nodiscard]] std::int64_t nodeBytes(const ir::Graph& graph, ir::NodeId node);

/// Everything known of a node, for a tooltip; rich text.
[[nodiscard]] QString nodeToolTip(const GraphScene& scene, ir::NodeId node);
[[nodiscard]] QString groupToolTip(const GraphScene& scene, GroupId group);
[[nodiscard]] QString edgeToolTip(const GraphScene& scene, std::size_t edge);
/// One line for a screen reader.
[[nodiscard]] QString boxDescription(const GraphScene& scene, BoxId box);

} // namespace aotscope::views
