#pragma once

// Shared by the source files of ComparePanel.
#include "common/log_list.h"
#include "common/request.h"
#include "common/selection_hub.h"
#include "common/view_context.h"
#include "compare/compare_panel.h"

#include <QObject>

#include <optional>

class QComboBox;
class QLabel;
class QModelIndex;
class QTabWidget;
class QTreeView;

namespace aotscope::views {

class AlignedModel;
class DifferenceModel;
class EmptyPage;
class GraphListModel;
class UnifiedModel;

/// The widgets of the Compare dock and their behaviour.
class ComparePanel::State : public QObject {
public:
    State(const ViewContext& context, ComparePanel* panel);

    void compare(const session::ArtifactReference& left, const session::ArtifactReference& right);
    [[nodiscard]] const session::DiffSnapshotPtr& shown() const { return m_diff; }
    void activate();
    void deactivate();

private:
    QWidget* makeChoosers();
    QWidget* makeSummary();
    QWidget* makeContent();
    QWidget* makeTabs();
    void connectEngine();
    void choose();
    void swap();
    void showChoice();
    void followRequest();
    void take(const session::DiffSnapshotPtr& diff);
    void refreshSummary();
    void selectRow(const QModelIndex& index);
    void selectDifference(const ir::NodeDifference& difference);
    void showRow(int row);
    void follow(const session::Selection& selection, QObject* source);
    void followSelection();
    void clear();

    ComparePanel* m_panel;
    ViewContext m_context;
    LogList* m_logs;
    GraphListModel* m_graphs;
    AlignedModel* m_aligned;
    DifferenceModel* m_differences;
    UnifiedModel* m_unified;
    QComboBox* m_left = nullptr;
    QComboBox* m_right = nullptr;
    QLabel* m_summary = nullptr;
    QTreeView* m_columns = nullptr;
    QTreeView* m_table = nullptr;
    QTabWidget* m_tabs = nullptr;
    EmptyPage* m_page = nullptr;
    Request<session::DiffSnapshotPtr> m_request;
    std::optional<session::ArtifactReference> m_wantedLeft;
    std::optional<session::ArtifactReference> m_wantedRight;
    session::DiffSnapshotPtr m_diff;
};

} // namespace aotscope::views
