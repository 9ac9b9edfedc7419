#pragma once

#include "common/view_context.h"

#include <QWidget>

#include <functional>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTreeView;

namespace aotscope::views {

class EmptyPage;
class SavedModel;
class VerdictLabel;

/// The Saved dock: all tensors that the forward saves for the backward, with reason, life and share of the
/// peak; can be filtered with a line of text (session::SavedFilter) and exported as CSV. Beside it a list of
/// the person's choices, which can be removed.
class SavedPanel : public QWidget {
    Q_OBJECT

public:
    explicit SavedPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QTreeView* view() const { return m_view; }
    [[nodiscard]] SavedModel* model() const { return m_model; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    [[nodiscard]] QLabel* footer() const { return m_footer; }
    [[nodiscard]] QLabel* filterProblem() const { return m_problem; }
    [[nodiscard]] QListWidget* choices() const { return m_choices; }
    /// Beside the log's halves; hidden where there are none.
    [[nodiscard]] VerdictLabel* savedVerdict() const { return m_savedVerdict; }
    [[nodiscard]] VerdictLabel* graphsVerdict() const { return m_graphsVerdict; }

    /// What to export: the shown rows, or the recomputed values.
    enum class Rows { Saved, Recomputed };
    void exportDialog(Rows rows);
    /// Writes on another thread. `done` gets an empty text, or the reason for a failure.
    void exportTo(const QString& path, Rows rows, std::function<void(const QString&)> done = {});
    void releaseChosen();
    void releaseAll();

private:
    void makeChoices();
    [[nodiscard]] QWidget* makeVerdicts();
    void followPartition();
    void followNode();
    void followChoices();
    void applyFilter();
    void followSpotlight();
    void refreshFooter();
    void refreshVerdicts();
    void selectRow(int row);

    ViewContext m_context;
    SavedModel* m_model;
    QTreeView* m_view;
    QLineEdit* m_filter;
    QLabel* m_problem;
    QLabel* m_footer;
    QPushButton* m_export;
    QWidget* m_verdicts;
    VerdictLabel* m_savedVerdict;
    VerdictLabel* m_graphsVerdict;
    QWidget* m_choicesBox;
    QListWidget* m_choices;
    QPushButton* m_release;
    QPushButton* m_releaseAll;
    EmptyPage* m_pages;
    QString m_written;
    bool m_following = false;
};

} // namespace aotscope::views
