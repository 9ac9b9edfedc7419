#include "compare/compare_panel.h"

#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/theme.h"
#include "compare/compare_models.h"
#include "compare/compare_panel_state.h"
#include "compare/graph_list_model.h"

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTreeView>

namespace aotscope::views {

void ComparePanel::State::activate() {
    m_graphs->activate();
}

void ComparePanel::State::deactivate() {
    m_graphs->deactivate();
}

void ComparePanel::State::clear() {
    m_wantedLeft.reset();
    m_wantedRight.reset();
    m_request.forget();
    take(nullptr);
    showChoice();
    m_page->showMessage(
        tr("Nothing to compare yet"),
        tr("Choose two graphs above: any two of the open logs, for example the joint graphs of "
           "0/0 and 0/1 to see why a function was compiled again."));
}

void ComparePanel::State::choose() {
    const auto chosen = [&](const QComboBox* combo) -> std::optional<session::ArtifactReference> {
        const int row = combo->currentIndex();
        return row < 0 ? std::nullopt : std::optional(m_graphs->reference(row));
    };
    m_wantedLeft = m_left->currentIndex() < 0 ? m_wantedLeft : chosen(m_left);
    m_wantedRight = m_right->currentIndex() < 0 ? m_wantedRight : chosen(m_right);
    if (m_wantedLeft && m_wantedRight) {
        compare(*m_wantedLeft, *m_wantedRight);
    }
}

void ComparePanel::State::swap() {
    std::swap(m_wantedLeft, m_wantedRight);
    showChoice();
    if (m_wantedLeft && m_wantedRight) {
        compare(*m_wantedLeft, *m_wantedRight);
    }
}

/// Shows the compared graphs in the choosers. A graph that is not in the list (a subgraph) is shown by name.
void ComparePanel::State::showChoice() {
    const auto show = [&](QComboBox* combo, const std::optional<session::ArtifactReference>& wanted,
                          const QString& placeholder) {
        combo->setCurrentIndex(wanted ? m_graphs->rowOf(*wanted) : -1);
        combo->setPlaceholderText(wanted ? referenceText(*wanted) : placeholder);
    };
    show(m_left, m_wantedLeft, tr("Left graph"));
    show(m_right, m_wantedRight, tr("Right graph"));
}

void ComparePanel::State::compare(const session::ArtifactReference& left,
                                  const session::ArtifactReference& right) {
    m_wantedLeft = left;
    m_wantedRight = right;
    m_graphs->activate();
    showChoice();
    m_request.ask(session::CompareGraphs{left, right});
}

/// The previous comparison stays until the next one arrives.
void ComparePanel::State::followRequest() {
    if (m_request.gaveUp()) {
        take(nullptr);
    }
    if (!m_diff && m_wantedLeft && m_wantedRight) {
        m_page->showRequest(&m_request,
                            {.running = tr("Comparing %1 with %2 …")
                                            .arg(referenceText(*m_wantedLeft), referenceText(*m_wantedRight)),
                             .canceled = tr("Comparing was canceled"),
                             .failed = tr("These graphs can't be compared")});
    }
}

void ComparePanel::State::take(const session::DiffSnapshotPtr& diff) {
    m_diff = diff;
    m_aligned->setDiff(diff);
    m_differences->setDiff(diff);
    m_unified->setDiff(diff);
    if (!diff) {
        return;
    }
    m_tabs->setTabText(0, tr("Differences (%1)").arg(formatCount(diff->diff.differences.size())));
    refreshSummary();
    m_page->showContent();
    followSelection();
}

void ComparePanel::State::refreshSummary() {
    if (!m_diff) {
        return;
    }
    const Theme& theme = m_context.theme->theme();
    const std::size_t nodes = m_diff->right->graph->size();
    if (m_diff->diff.equal()) {
        m_summary->setText(tr("<b>The graphs are equal</b>: %1, same operations, arguments and values.")
                               .arg(formatCount(nodes, "node", "nodes")));
        return;
    }
    const DifferenceCounts counts = countDifferences(m_diff->diff);
    QStringList parts;
    const auto part = [&](std::size_t count, ir::NodeDifference::Kind kind) {
        if (count > 0) {
            parts << QStringLiteral("<span style='color:%1'>%2 <b>%3</b> %4</span>")
                         .arg(differenceColor(kind, theme).name(), differenceGlyph(kind), formatCount(count),
                              differenceWord(kind));
        }
    };
    part(counts.added, ir::NodeDifference::Kind::Added);
    part(counts.removed, ir::NodeDifference::Kind::Removed);
    part(counts.changed, ir::NodeDifference::Kind::Changed);
    part(counts.moved, ir::NodeDifference::Kind::Moved);
    part(counts.renamed, ir::NodeDifference::Kind::Renamed);
    const QString lead = m_diff->diff.equalUpToNames() ? tr("<b>Equal except for names</b>: ") : QString();
    m_summary->setText(lead + parts.join(QStringLiteral(" &nbsp; ")));
}

void ComparePanel::State::selectRow(const QModelIndex& index) {
    if (!index.isValid()) {
        return;
    }
    const AlignedRow& row = m_aligned->row(index.row());
    // The clicked side, or the only side with a node.
    const bool left = !row.right.valid() || (index.column() == AlignedModel::Left && row.left.valid());
    const session::GraphSnapshotPtr& graph = left ? m_diff->left : m_diff->right;
    m_context.selection->select({graph->reference, graph->graph->node(left ? row.left : row.right).name},
                                m_panel);
}

void ComparePanel::State::selectDifference(const ir::NodeDifference& difference) {
    const bool left = !difference.right.valid();
    const ir::NodeId node = left ? difference.left : difference.right;
    if (!node.valid()) {
        return;
    }
    showRow(m_aligned->rowOf(node, left));
    const session::GraphSnapshotPtr& graph = left ? m_diff->left : m_diff->right;
    m_context.selection->select({graph->reference, graph->graph->node(node).name}, m_panel);
}

void ComparePanel::State::showRow(int row) {
    if (row >= 0) {
        const QModelIndex index = m_aligned->index(row, AlignedModel::Left);
        m_columns->setCurrentIndex(index);
        m_columns->scrollTo(index, QAbstractItemView::PositionAtCenter);
    }
}

void ComparePanel::State::follow(const session::Selection& selection, QObject* source) {
    if (!m_diff || source == m_panel || selection.node.empty()) {
        return;
    }
    for (const bool left : {true, false}) {
        const session::GraphSnapshotPtr& graph = left ? m_diff->left : m_diff->right;
        if (selection.artifact == graph->reference) {
            showRow(m_aligned->rowOf(graph->graph->tryFind(selection.node).value_or(ir::NodeId()), left));
            return;
        }
    }
}

void ComparePanel::State::followSelection() {
    if (const std::optional<session::Selection>& current = m_context.selection->current()) {
        follow(*current, nullptr);
    }
}

ComparePanel::ComparePanel(const ViewContext& context, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("comparePanel"));
    m_state = std::make_unique<State>(context, this);
}

ComparePanel::~ComparePanel() = default;

void ComparePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_state->activate();
}

void ComparePanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_state->deactivate();
}

void ComparePanel::compare(const session::ArtifactReference& left, const session::ArtifactReference& right) {
    m_state->compare(left, right);
}

session::DiffSnapshotPtr ComparePanel::shown() const {
    return m_state->shown();
}

} // namespace aotscope::views
