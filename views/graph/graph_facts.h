#pragma once

#include "graph/graph_scene.h"
#include "graph/partition_marks.h"

#include <QString>

namespace aotscope::views {

/// "addmm" of "aten.addmm.default"; the full name for other namespaces and for overloads that matter.
[[nodiscard]] QString shortOp(const ir::Node& node);
/// "f32[8, 10]"; "Sym(s0)"; "(f32[8], i64[8])" for a tuple; empty if unknown.
[[nodiscard]] QString shortValue(const ir::ValueMeta& value);

/// Logical size in bytes of a node's tensors, computed with the graph's symbol hints; 0: unknown.
[[nodiscard]] std::int64_t nodeBytes(const ir::Graph& graph, ir::NodeId node);

/// Everything known of a node, for a tooltip; rich text.
/// `marks` says what of it is saved; null: unknown.
[[nodiscard]] QString nodeToolTip(const GraphScene& scene, ir::NodeId node,
                                  const PartitionMarks* marks = nullptr);
[[nodiscard]] QString groupToolTip(const GraphScene& scene, GroupId group,
                                   const PartitionMarks* marks = nullptr);
/// Which values a band carries, with their bytes: the numbers of its label.
[[nodiscard]] QString bandToolTip(const GraphScene& scene, const PartitionMarks& marks, std::size_t band);
/// One line for a screen reader.
[[nodiscard]] QString boxDescription(const GraphScene& scene, BoxId box,
                                     const PartitionMarks* marks = nullptr);
/// "saved relu and 2 more, 30 KiB, to mm_2"
[[nodiscard]] QString bandName(const GraphScene& scene, const PartitionMarks& marks, std::size_t band);

} // namespace aotscope::views
