#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/backend.h"
#include "contract/reference_run.h"
#include "contract/snapshots.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace aotscope::views {

class EmptyPage;
class RunModel;

/// The Run dock: runs the shown graph on generated inputs and shows each node's time and results.
class RunPanel : public QWidget {
    Q_OBJECT

public:
    explicit RunPanel(const ViewContext& context, QWidget* parent = nullptr);

    void run();
    /// Runs the graph beside a float64 reference and selects the first node whose error its dtype does not
    /// explain.
    void findFirstWrong();
    void cancel();
    [[nodiscard]] bool running() const { return m_request.isUnderWay() || m_comparison.isUnderWay(); }
    [[nodiscard]] QPushButton* firstWrongButton() const { return m_firstWrongButton; }
    [[nodiscard]] RunModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }
    /// The text beside the buttons: progress or result.
    [[nodiscard]] QString summary() const;

private:
    void followGraph();
    void followNode(QObject* source);
    /// What the fields say; nothing, and a message, if one of them cannot be read.
    [[nodiscard]] std::optional<session::RunOptions> readOptions();
    void followComparison();
    void showComparison();
    void showRun();
    void showNoRun();
    void showSummary();
    void showNotes(const session::RunSnapshotPtr& run);
    void followRequest();
    void say(const QString& message);
    void updateButtons();

    ViewContext m_context;
    RunModel* m_model;
    QTreeView* m_view;
    EmptyPage* m_pages;
    QPushButton* m_runButton;
    QPushButton* m_cancelButton;
    QPushButton* m_firstWrongButton;
    QLineEdit* m_seed;
    QLineEdit* m_symbols;
    /// Options that are on or off, as members of the run's options.
    std::vector<std::pair<bool session::RunOptions::*, QCheckBox*>> m_flags;
    QLabel* m_summary;
    /// What a person needs to judge the run: stand-ins, replaced devices.
    QLabel* m_notes;
    Request<session::RunSnapshotPtr> m_request;
    Request<session::ReferenceSnapshotPtr> m_comparison;
    bool m_following = false;
};

/// Parses "s0 = 8, u1=3". What cannot be parsed is named in `failure`.
[[nodiscard]] ir::SymbolBindings readBindings(const QString& text, QString* failure);

} // namespace aotscope::views
