#pragma once

#include "common/request.h"
#include "graph/coloring.h"
#include "graph/graph_canvas.h"
#include "session/explore/partition_snapshot.h"
#include "session/snapshots.h"

#include <QObject>

namespace aotscope::views {

class EngineClient;
class Legend;
class Minimap;
class ThemeSource;

/// The colours and marks of the shown picture, and their legend: what the colours tell, what a stage changed,
/// and what a partition does with the nodes, which the engine is asked for each picture.
class PictureColoring : public QObject {
public:
    PictureColoring(EngineClient* engine, const QString& tag, ThemeSource* theme, GraphCanvas* canvas,
                    Legend* legend, Minimap* minimap, QObject* parent = nullptr);

    void setColorBy(ColorBy colorBy);
    void setRun(const session::RunSnapshotPtr& run);
    void setPartition(const session::PartitionSnapshotPtr& split);
    [[nodiscard]] bool hasPartition() const { return m_split != nullptr; }
    [[nodiscard]] ColoringPtr coloringOf(const GraphScene& scene) const;
    /// The canvas shows another scene, in the colours of `coloringOf`, or none.
    void followScene();

private:
    void refreshColors();
    void showChanges();
    void refreshMarks();
    void takeMarks();
    void showMarks();

    ThemeSource* m_theme;
    GraphCanvas* m_canvas;
    Legend* m_legend;
    Minimap* m_minimap;
    ColorBy m_colorBy = ColorBy::Kind;
    session::RunSnapshotPtr m_run;
    session::PartitionSnapshotPtr m_split;
    /// The last answer. It is of the shown graph, but possibly of an earlier picture or partition.
    session::SplitMarksSnapshotPtr m_marks;
    Request<session::SplitMarksSnapshotPtr> m_request;
};

} // namespace aotscope::views
