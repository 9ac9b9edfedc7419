#pragma once

#include "common/view_context.h"
#include "contract/snapshots.h"

#include <QWidget>

#include <optional>
#include <set>

class QLabel;
class QLineEdit;
class QTreeView;

namespace aotscope::views {

class CompileModel;
class EmptyPage;

/// The Compiles dock: every open log with its compiles and artifacts. Selecting a compile shows the same kind
/// of graph as before, else its joint graph.
class CompilesPanel : public QWidget {
    Q_OBJECT

public:
    explicit CompilesPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] CompileModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }

Q_SIGNALS:
    void compareRequested(const aotscope::session::ArtifactReference& left,
                          const aotscope::session::ArtifactReference& right);
    void closeRequested(quint32 log);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rowActivated(const QModelIndex& index);
    void followSelection(const session::Selection& selection, QObject* source);
    void followLog(const session::LogSnapshotPtr& log);
    void restoreView();
    void followRows();
    void contextMenu(QPoint position);
    void fitColumns();
    void rememberOpened(const QModelIndex& index, bool opened);
    void updateEmpty();
    void showUsedColumns();
    bool measureWords();
    [[nodiscard]] std::optional<session::ArtifactReference> referenceAt(const QModelIndex& index) const;

    ViewContext m_context;
    CompileModel* m_model;
    QTreeView* m_view;
    QLineEdit* m_filter;
    QLabel* m_count;
    EmptyPage* m_pages;
    std::optional<session::ArtifactReference> m_compareLeft;
    /// Compiles whose rows a person opened. They stay open when the rows are rebuilt.
    std::set<session::ArtifactReference> m_opened;
    bool m_following = false;
    /// The selected compile has no row yet.
    bool m_isAwaited = false;
    /// Width of the status column: as its words need, and as last set.
    int m_usualStatus = 0;
    /// A person set the width of the status column, so it stays.
    bool m_isStatusChosen = false;
    bool m_isFitting = false;
    int m_guardsWidth = 0;
    /// Width of the longest text among the first compiles.
    int m_usualWhat = 0;
};

} // namespace aotscope::views
