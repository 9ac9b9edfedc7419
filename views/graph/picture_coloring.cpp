#include "graph/picture_coloring.h"

#include "common/engine_client.h"
#include "common/theme.h"
#include "graph/legend.h"
#include "graph/minimap.h"

#include <utility>

namespace aotscope::views {
namespace {

/// Whether a person chose nothing that bears on what is saved.
bool isPlain(session::PartitionChoices choices) {
    const session::PartitionChoices none;
    choices.torch = none.torch;
    choices.config = none.config;
    choices.rounding = none.rounding;
    choices.donated = none.donated;
    choices.hooks = none.hooks;
    return choices == none;
}

} // namespace

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
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        std::erase_if(m_plain, [log](const auto& entry) { return entry.first.log == log; });
    });
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

void PictureColoring::setPartition(std::optional<ShownPartition> shown) {
    if (shown == m_partition) {
        return;
    }
    const bool isOther = !shown || !m_partition || shown->joint != m_partition->joint;
    const bool isAnswered =
        isOther || shown->split != m_partition->split || shown->isImpossible != m_partition->isImpossible;
    m_partition = std::move(shown);
    if (m_partition && m_partition->split && isPlain(m_partition->split->choices)) {
        m_plain[m_partition->joint] = m_partition->split;
    }
    if (isAnswered) {
        refreshMarks();
        refreshSavedColors();
    } else {
        showChoices();
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

/// The other colours do not tell what is saved.
void PictureColoring::refreshSavedColors() {
    if (m_colorBy == ColorBy::Kind || m_colorBy == ColorBy::Fate) {
        refreshColors();
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
    const bool isAsked = m_partition && (m_partition->split || m_partition->isImpossible);
    if (!m_partition || !ofGraph) {
        m_marks = nullptr;
    }
    if (scene && isAsked) {
        const session::LayoutSnapshot& picture = *scene->snapshot();
        m_request.ask(
            session::MarkSplit{picture.graph->reference, picture.number, m_partition->joint,
                               m_partition->split ? m_partition->split->choices : m_partition->choices});
    } else {
        m_request.forget();
    }
    showMarks();
}

void PictureColoring::takeMarks() {
    m_marks = m_request.takeAnswer();
    showMarks();
    refreshSavedColors();
}

void PictureColoring::showMarks() {
    const GraphScenePtr& scene = m_canvas->scene();
    const bool ofPicture = m_marks && scene && m_marks->picture == scene->snapshot();
    const PartitionMarksPtr marks = ofPicture ? std::make_shared<const PartitionMarks>(m_marks) : nullptr;
    m_canvas->setMarks(marks);
    m_legend->setMarks(marks);
    showChoices();
    m_minimap->refresh();
}

/// At once, before the engine has split again.
void PictureColoring::showChoices() {
    const GraphScenePtr& scene = m_canvas->scene();
    ChoiceMarksPtr choices;
    if (scene && m_partition) {
        const session::PartitionSnapshot* shown = m_marks ? m_marks->split.get() : nullptr;
        const bool pending = shown == nullptr || shown->choices != m_partition->choices;
        const auto plain = m_plain.find(m_partition->joint);
        // A partition under other settings cannot show what the choices changed.
        const bool isAlike = shown != nullptr && plain != m_plain.end() &&
                             plain->second->choices.torch == shown->choices.torch &&
                             plain->second->choices.config == shown->choices.config;
        choices = choiceMarks(*scene, m_partition->choices.nodes, pending, shown,
                              isAlike ? plain->second.get() : nullptr);
    }
    m_canvas->setChoices(choices);
    m_legend->setChoices(choices);
}

} // namespace aotscope::views
