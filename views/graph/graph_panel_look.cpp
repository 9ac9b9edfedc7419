// The look of GraphPanel's picture: colours, marks, search hits, fading.
#include "graph/graph_panel_state.h"

#include "graph/graph_search.h"
#include "graph/legend.h"
#include "graph/minimap.h"

#include <QComboBox>

namespace aotscope::views {

void GraphPanel::State::showMarks() {
    StageMark all;
    for (std::uint32_t box = 0; box < m_canvas->scene()->boxCount(); ++box) {
        const StageMark& mark = m_canvas->scene()->mark(BoxId(box));
        all.added += mark.added;
        all.changed += mark.changed;
    }
    m_legend->setChanges(all.added, all.changed);
}

void GraphPanel::State::showSpotlight() {
    const GraphScenePtr& scene = m_canvas->scene();
    const SpotlightPtr& spotlight = m_hub->spotlight();
    const bool fades = spotlight && !spotlight->filters;
    if (!scene || !fades || !spotlight->covers(m_shown->graph->reference)) {
        m_canvas->setSpotlight(std::nullopt);
        return;
    }
    std::unordered_set<std::uint32_t> boxes;
    for (const std::string& name : spotlight->nodes) {
        const auto node = scene->graph().tryFind(name);
        const BoxId box = node ? scene->boxOf(*node) : BoxId();
        if (box.valid()) {
            boxes.insert(box.index());
        }
    }
    m_canvas->setSpotlight(std::move(boxes));
}

void GraphPanel::State::refreshHits() {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene || m_search->pattern().isEmpty() || !m_search->error().isEmpty()) {
        m_canvas->setHits(nullptr);
        return;
    }
    auto hits = std::make_shared<std::vector<std::uint32_t>>(scene->boxCount(), 0);
    for (const ir::NodeId node : m_search->found()) {
        if (const BoxId box = scene->boxOf(node); box.valid()) {
            ++(*hits)[box.index()];
        }
    }
    m_canvas->setHits(std::move(hits));
}

ColoringPtr GraphPanel::State::coloringOf(const GraphScene& scene) const {
    return makeColoring(scene, ColorBy(m_colorBy->currentData().toInt()), m_theme->theme(), m_run.get(),
                        m_marks.get());
}

void GraphPanel::State::refreshColors() {
    if (const GraphScenePtr& scene = m_canvas->scene()) {
        const ColoringPtr coloring = coloringOf(*scene);
        m_canvas->setColoring(coloring);
        m_legend->setColoring(coloring);
        m_minimap->refresh();
    }
}

/// Asks the engine what the partition does with the picture's nodes. Until the answer arrives, earlier marks
/// for the same picture stay.
void GraphPanel::State::refreshMarks() {
    const GraphScenePtr& scene = m_canvas->scene();
    const bool ofGraph = m_marks && scene && m_marks->picture->graph == scene->snapshot()->graph;
    if (!m_split || !ofGraph) {
        m_marks = nullptr;
    }
    if (scene && m_split) {
        const session::LayoutSnapshot& picture = *scene->snapshot();
        m_marksRequest.ask(session::MarkSplit{picture.graph->reference, picture.number,
                                              m_split->joint->reference, m_split->choices});
    } else {
        m_marksRequest.forget();
    }
    showPartitionMarks();
}

void GraphPanel::State::takeMarks() {
    m_marks = m_marksRequest.takeAnswer();
    showPartitionMarks();
    if (ColorBy(m_colorBy->currentData().toInt()) == ColorBy::Fate) {
        refreshColors();
    }
}

void GraphPanel::State::showPartitionMarks() {
    const GraphScenePtr& scene = m_canvas->scene();
    const bool ofPicture = m_marks && scene && m_marks->picture == scene->snapshot();
    const PartitionMarksPtr marks = ofPicture ? marksIn(m_marks) : nullptr;
    m_canvas->setMarks(marks);
    m_legend->setMarks(marks);
}

void GraphPanel::State::setPartition(const session::PartitionSnapshotPtr& split) {
    if (split == m_split) {
        return;
    }
    m_split = split;
    refreshMarks();
    if (!m_split && ColorBy(m_colorBy->currentData().toInt()) == ColorBy::Fate) {
        refreshColors();
    }
}

void GraphPanel::State::setRun(const session::RunSnapshotPtr& run) {
    m_run = run;
    if (ColorBy(m_colorBy->currentData().toInt()) == ColorBy::RunTime) {
        refreshColors();
    }
}

} // namespace aotscope::views
