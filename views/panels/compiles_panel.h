#pragma once

#include "common/view_context.h"
#include "session/snapshots.h"

#include <QWidget>

#include <optional>
#include <set>

class QLabel;
class QLineEdit;
class QTreeView;

namespace aotscope::views {

class CompileModel;
class EmptyPage;

/// The Compiles dock: every log, compile and artifact that is open. Selecting a compile shows its joint
/// graph, or the kind of graph that is shown now.
class CompilesPanel : public QWidget {
    Q_OBJECT

public:
    explicit CompilesPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] CompileModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }

Q_SIGNALS:
    void compareRequested(const aotscope::session::ArtifactReference& left,
                          const aotscope::session::ArtifactReference& right);
    void openRequested();
    void closeRequested(quint32 log);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rowActivated(const QModelIndex& index);
    void followSelection(const session::Selection& selection, QObject* source);
    void followLog(const session::LogSnapshotPtr& log);
    void restoreView();
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
    /// Compiles whose rows a person opened; they stay open when other rows are shown.
    std::set<session::ArtifactReference> m_opened;
    bool m_following = false;
    /// Of the status: as its words want it, and as it was set last.
    int m_usualStatus = 0;
    /// The width of the status is a person's, and stays.
    bool m_isStatusChosen = false;
    bool m_isFitting = false;
    int m_guardsWidth = 0;
    /// Of the longest among the first compiles.
    int m_usualWhat = 0;
};

} // namespace aotscope::views
