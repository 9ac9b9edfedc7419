#pragma once

#include "common/request.h"
#include "contract/partition_snapshot.h"
#include "contract/snapshots.h"
#include "graph/coloring.h"
#include "graph/graph_canvas.h"

#include <QObject>

#include <map>
#include <optional>

namespace aotscope::views {

class EngineClient;
class Legend;
class Minimap;
class ThemeSource;

/// The partition that a picture is marked with.
struct ShownPartition {
    session::ArtifactReference joint;
    /// A person's choices as they are now; `split` may be of earlier ones.
    session::PartitionChoices choices;
    /// Null: there is none yet, or the joint graph cannot be split here.
    session::PartitionSnapshotPtr split;
    /// The engine ended without a partition, so that the picture shows what the log says instead.
    bool isImpossible = false;
    friend bool operator==(const ShownPartition&, const ShownPartition&) = default;
};

/// The colours and marks of the shown picture, and their legend: the meaning of the colours, what a stage
/// changed, and what a partition does with the nodes, which is requested from the engine for each picture.
class PictureColoring : public QObject {
public:
    PictureColoring(EngineClient* engine, const QString& tag, ThemeSource* theme, GraphCanvas* canvas,
                    Legend* legend, Minimap* minimap, QObject* parent = nullptr);

    void setColorBy(ColorBy colorBy);
    void setRun(const session::RunSnapshotPtr& run);
    void setPartition(std::optional<ShownPartition> shown);
    [[nodiscard]] bool hasPartition() const { return m_partition && m_partition->split; }
    [[nodiscard]] ColoringPtr coloringOf(const GraphScene& scene) const;
    /// The canvas shows another scene, in the colours of `coloringOf`, or none.
    void followScene();

private:
    void refreshColors();
    void refreshSavedColors();
    void showChanges();
    void refreshMarks();
    void takeMarks();
    void showMarks();
    void showChoices();

    ThemeSource* m_theme;
    GraphCanvas* m_canvas;
    Legend* m_legend;
    Minimap* m_minimap;
    ColorBy m_colorBy = ColorBy::Kind;
    session::RunSnapshotPtr m_run;
    std::optional<ShownPartition> m_partition;
    /// By joint graph: the last partition without a person's choices.
    std::map<session::ArtifactReference, session::PartitionSnapshotPtr> m_plain;
    /// The last answer. It is of the shown graph, but possibly of an earlier picture or partition.
    session::SplitMarksSnapshotPtr m_marks;
    Request<session::SplitMarksSnapshotPtr> m_request;
};

} // namespace aotscope::views
