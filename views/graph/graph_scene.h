#pragma once

#include "common/theme.h"
#include "contract/snapshots.h"
#include "graph/spatial_index.h"
#include "graph/stage_marks.h"

#include <QString>

#include <memory>
#include <span>
#include <vector>

namespace aotscope::views {

using layout::BoxId;
using layout::GroupId;

/// A layout prepared for drawing and picking: categories, neighbours and spatial indexes. Immutable, so that
/// another thread can paint it for an export.
class GraphScene {
public:
    /// Null if the snapshot has no layout or no graph.
    [[nodiscard]] static std::shared_ptr<const GraphScene> make(const session::LayoutSnapshotPtr& snapshot);

    explicit GraphScene(const session::LayoutSnapshotPtr& snapshot);

    [[nodiscard]] const session::LayoutSnapshotPtr& snapshot() const { return m_snapshot; }
    [[nodiscard]] const ir::Graph& graph() const { return *m_snapshot->graph->graph; }
    [[nodiscard]] const layout::Layout& layout() const { return *m_snapshot->layout; }
    [[nodiscard]] std::size_t boxCount() const { return layout().boxes.size(); }
    [[nodiscard]] const layout::Box& box(BoxId id) const { return layout().boxes[id.index()]; }
    [[nodiscard]] const QRectF& rect(BoxId id) const { return m_boxes.rect(id.index()); }
    [[nodiscard]] QRectF frame(GroupId id) const;
    [[nodiscard]] const QRectF& bounds() const { return m_bounds; }
    /// Without any partition: a saved parameter is a parameter.
    [[nodiscard]] Category category(ir::NodeId node) const { return m_categories[node.index()]; }
    [[nodiscard]] const std::vector<Category>& categories() const { return m_categories; }
    /// For a closed group: the category of most of its nodes.
    [[nodiscard]] Category boxCategory(BoxId id) const { return m_boxCategories[id.index()]; }

    [[nodiscard]] const StageMark& mark(BoxId id) const { return m_marks[id.index()]; }

    [[nodiscard]] const SpatialIndex& boxes() const { return m_boxes; }
    /// Spatial indexes of layout().edges by kind. Item i of an index is entry i of that list.
    [[nodiscard]] const SpatialIndex& dataEdges() const { return m_dataEdges; }
    [[nodiscard]] std::uint32_t dataEdge(std::uint32_t item) const { return m_dataEdgeIds[item]; }
    [[nodiscard]] const SpatialIndex& acrossEdges() const { return m_acrossEdges; }
    [[nodiscard]] std::uint32_t acrossEdge(std::uint32_t item) const { return m_acrossIds[item]; }
    /// Edges that begin or end at a box.
    [[nodiscard]] std::span<const std::uint32_t> edgesOf(BoxId id) const;
    /// Open groups, outer before inner.
    [[nodiscard]] const std::vector<GroupId>& frames() const { return m_frames; }

    [[nodiscard]] BoxId boxOf(ir::NodeId node) const;
    [[nodiscard]] BoxId boxAt(const QPointF& point) const;
    /// The place of a group's title while the top of its frame is visible.
    [[nodiscard]] QRectF titleRect(GroupId id) const;
    /// The distinct boxes at the other ends of its edges.
    [[nodiscard]] std::vector<BoxId> neighbours(BoxId id) const;

    static constexpr double titleHeight = 20;

private:
    void indexEdges();
    void collectFrames();

    session::LayoutSnapshotPtr m_snapshot;
    std::vector<Category> m_categories;
    std::vector<Category> m_boxCategories;
    std::vector<StageMark> m_marks;
    SpatialIndex m_boxes;
    SpatialIndex m_dataEdges;
    SpatialIndex m_acrossEdges;
    std::vector<std::uint32_t> m_dataEdgeIds;
    std::vector<std::uint32_t> m_acrossIds;
    std::vector<std::uint32_t> m_edgeOffsets;
    std::vector<std::uint32_t> m_edgesOfBox;
    std::vector<GroupId> m_frames;
    QRectF m_bounds;
};
using GraphScenePtr = std::shared_ptr<const GraphScene>;

} // namespace aotscope::views
