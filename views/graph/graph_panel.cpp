#include "graph/graph_panel.h"

#include "graph/graph_hits.h"
#include "graph/graph_menu.h"
#include "graph/graph_panel_state.h"
#include "graph/picture_coloring.h"
#include "graph/picture_saver.h"
#include "graph/picture_selection.h"

#include <QSettings>

namespace aotscope::views {

GraphPanel::GraphPanel(const ViewContext& context, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("graphPanel"));
    m_state = std::make_unique<State>(context, this);
}

GraphPanel::~GraphPanel() = default;

void GraphPanel::rememberViews(QSettings& settings) const {
    settings.setValue(QStringLiteral("graph/views"), m_state->views().toList());
}

void GraphPanel::restoreViews(const QSettings& settings) {
    m_state->views().takeList(settings.value(QStringLiteral("graph/views")).toList());
}

session::LayoutSnapshotPtr GraphPanel::shown() const {
    return m_state->shown();
}

void GraphPanel::setRun(const session::RunSnapshotPtr& run) {
    m_state->coloring().setRun(run);
}

void GraphPanel::setPartition(std::optional<ShownPartition> shown) {
    m_state->coloring().setPartition(std::move(shown));
}

void GraphPanel::setNodeActions(NodeActionsOf actions) {
    m_state->menu().setActions(std::move(actions));
}

std::vector<ir::NodeId> GraphPanel::picked() const {
    return m_state->selection().picked();
}

void GraphPanel::focusSearch() {
    m_state->hits().open();
}

void GraphPanel::openAllGroups(bool open) {
    m_state->setAllGroups(open);
}

std::vector<std::string> GraphPanel::found() const {
    return m_state->hits().names();
}

PictureRequest GraphPanel::picture(bool selectionOnly) const {
    return m_state->saver().picture(selectionOnly);
}

} // namespace aotscope::views
