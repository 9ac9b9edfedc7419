#include "graph/picture_coloring.h"

#include "common/theme.h"
#include "graph/legend.h"
#include "graph/minimap.h"

#include <utility>

namespace aotscope::views {

PictureColoring::PictureColoring(EngineClient* engine, const QString& tag, ThemeSource* theme,
                                 GraphCanvas* canvas, Legend* legend, Minimap* minimap, QObject* parent)
    : QObject(parent),
      m_theme(theme),
      m_canvas(canvas),
      m_legend(legend),
      m_minimap(minimap),
      m_request(engine, tag) {
    connect(&m_request, &RequestBase::answered, this, &PictureColoring::takeMarks);
    connect(theme, &ThemeSource::changed, this, &PictureColoring::refreshColors);
}

void PictureColoring::setColorBy(ColorBy colorBy) {
    m_colorBy = colorBy;
    refreshColors();
}

void PictureColoring::setRun(const session::RunSnapshotPtr& run) {
    m_run = run;
    if (m_colorBy == ColorBy::RunTime) {
        refreshColors();
    }
}

void PictureColoring::setPartition(const session::PartitionSnapshotPtr& split) {
    if (split == m_split) {
        return;
    }
    m_split = split;
    refreshMarks();
    if (!m_split && m_colorBy == ColorBy::Fate) {
        refreshColors();
    }
}

ColoringPtr PictureColoring::coloringOf(const GraphScene& scene) const {
    return makeColoring(scene, m_colorBy, m_theme->theme(), m_run.get(), m_marks.get());
}

void PictureColoring::followScene() {
    m_legend->setColoring(m_canvas->look().coloring);
    showChanges();
    refreshMarks();
}

void PictureColoring::refreshColors() {
    if (const GraphScenePtr& scene = m_canvas->scene()) {
        const ColoringPtr coloring = coloringOf(*scene);
        m_canvas->setColoring(coloring);
        m_legend->setColoring(coloring);
        m_minimap->refresh();
    }
}

void PictureColoring::showChanges() {
    StageMark all;
    if (const GraphScenePtr& scene = m_canvas->scene()) {
        for (std::uint32_t box = 0; box < scene->boxCount(); ++box) {
            const StageMark& mark = scene->mark(BoxId(box));
            all.added += mark.added;
            all.changed += mark.changed;
        }
    }
    m_legend->setChanges(all.added, all.changed);
}

/// Asks the engine what the partition does with the picture's nodes. Until the answer arrives, earlier marks
/// for the same picture stay.
void PictureColoring::refreshMarks() {
    const GraphScenePtr& scene = m_canvas->scene();
    const bool ofGraph = m_marks && scene && m_marks->picture->graph == scene->snapshot()->graph;
    if (!m_split || !ofGraph) {
        m_marks = nullptr;
    }
    if (scene && m_split) {
        const session::LayoutSnapshot& picture = *scene->snapshot();
        m_request.ask(session::MarkSplit{picture.graph->reference, picture.number, m_split->joint->reference,
                                         m_split->choices});
    } else {
        m_request.forget();
    }
    showMarks();
}

void PictureColoring::takeMarks() {
    m_marks = m_request.takeAnswer();
    showMarks();
    if (m_colorBy == ColorBy::Fate) {
        refreshColors();
    }
}

void PictureColoring::showMarks() {
    const GraphScenePtr& scene = m_canvas->scene();
    const bool ofPicture = m_marks && scene && m_marks->picture == scene->snapshot();
    const PartitionMarksPtr marks = ofPicture ? marksIn(m_marks) : nullptr;
    m_canvas->setMarks(marks);
    m_legend->setMarks(marks);
}

} // namespace aotscope::views
