#pragma once

#include "common/request.h"
#include "common/view_context.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace aotscope::views {

class EmptyPage;
class KernelModel;
class KernelPage;
class KernelVariants;
class RerunHistory;

/// The Kernels dock: what the shown graph launches, with times and shares of the last run, and the page of
/// the chosen kernel, which can be run again alone. Several rows together are run as one.
class KernelsPanel : public QWidget {
    Q_OBJECT

public:
    enum Grouping { Nodes, Operators, FusedKernels };
    explicit KernelsPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] KernelModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* list() const { return m_list; }
    [[nodiscard]] QComboBox* groupingBox() const { return m_grouping; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    [[nodiscard]] KernelPage* page() const { return m_page; }
    [[nodiscard]] RerunHistory* history() const { return m_history; }
    /// Texts that a person kept; the window saves them for the next one.
    [[nodiscard]] KernelVariants* variants() const { return m_variants; }
    [[nodiscard]] static QString planTag() { return QStringLiteral("plan kernels"); }
    [[nodiscard]] EmptyPage* pages() const { return m_pages; }
    [[nodiscard]] QString summary() const;

private:
    void buildList();
    void followGraph();
    void followNode(QObject* source);
    void followRows();
    void showSummary();
    void followGrouping();
    void followPlan();

    ViewContext m_context;
    RerunHistory* m_history;
    KernelVariants* m_variants;
    KernelModel* m_model;
    QTreeView* m_list;
    QLineEdit* m_filter;
    QComboBox* m_grouping;
    QLabel* m_summary;
    KernelPage* m_page;
    EmptyPage* m_pages;
    Request<session::KernelPlanSnapshotPtr> m_plan;
    /// Set while the rows follow the selection, so that they do not set it.
    bool m_following = false;
};

} // namespace aotscope::views
