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

/// The Saved dock: every tensor that the forward keeps for the backward with the reason, its life and its
/// share of the peak; filtered by a line (session::SavedFilter), summed up below, written as CSV. Beside it
/// the choices a person made, which can be taken back.
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

    /// What can be written: the rows that are shown, or what the backward computes again.
    enum class Rows { Saved, Recomputed };
    void exportDialog(Rows rows);
    /// Off the window's thread; `done` is told an empty text, or why it failed.
    void exportTo(const QString& path, Rows rows, std::function<void(const QString&)> done = {});
    void releaseChosen();
    void releaseAll();

private:
    void makeChoices();
    void followPartition();
    void followNode();
    void followChoices();
    void applyFilter();
    void followSpotlight();
    void refreshFooter();
    void selectRow(int row);

    ViewContext m_context;
    SavedModel* m_model;
    QTreeView* m_view;
    QLineEdit* m_filter;
    QLabel* m_problem;
    QLabel* m_footer;
    QPushButton* m_export;
    QWidget* m_choicesBox;
    QListWidget* m_choices;
    QPushButton* m_release;
    QPushButton* m_releaseAll;
    EmptyPage* m_pages;
    QString m_written;
    bool m_following = false;
};

} // namespace aotscope::views
