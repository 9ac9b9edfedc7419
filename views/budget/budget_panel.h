#pragma once

#include "budget/budget_sweeps.h"
#include "common/view_context.h"

#include <QWidget>

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QToolButton;

namespace aotscope::views {

class BudgetCanvas;
class EmptyPage;

/// The Budget dock: for each activation-memory budget the saved bytes, the peak and the recomputed
/// operations, and the current budget, which dragging changes for all panels. Curves are requested while the
/// panel is visible and computed in a lane of their own, so that nothing else waits for them.
class BudgetPanel : public QWidget {
    Q_OBJECT

public:
    explicit BudgetPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] BudgetCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] const BudgetSweeps* sweeps() const { return m_sweeps; }
    [[nodiscard]] QComboBox* solverChoice() const { return m_solver; }
    [[nodiscard]] QComboBox* stepsChoice() const { return m_steps; }
    [[nodiscard]] QCheckBox* inputsChoice() const { return m_inputs; }
    [[nodiscard]] QProgressBar* progress() const { return m_progress; }
    [[nodiscard]] QAction* cancelAction() const { return m_cancel; }
    [[nodiscard]] QAction* sweepAction() const { return m_sweep; }
    [[nodiscard]] QString summary() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeBar();
    void fillChoices();
    void connectParts();
    void follow();
    void showNothing();
    void ask();
    void refreshCurves();
    void refreshProgress();
    void refreshPartition();
    void refreshLegend();
    [[nodiscard]] BudgetSweeps::Question question() const;
    [[nodiscard]] QString describe(const session::BudgetSweepPoint& point) const;

    ViewContext m_context;
    BudgetSweeps* m_sweeps;
    BudgetCanvas* m_canvas;
    QComboBox* m_solver;
    QComboBox* m_runtime;
    QComboBox* m_steps;
    QCheckBox* m_inputs;
    QProgressBar* m_progress;
    QToolButton* m_cancelButton;
    QToolButton* m_sweepButton;
    QAction* m_cancel;
    QAction* m_sweep;
    QLabel* m_summary;
    QLabel* m_legend;
    EmptyPage* m_pages;
};

} // namespace aotscope::views
