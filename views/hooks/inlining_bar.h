#pragma once

#include "common/view_context.h"

#include <QWidget>

class QAction;
class QComboBox;
class QProgressBar;
class QPushButton;

namespace aotscope::views {

class ElidedLabel;
class HookMeasures;

/// What applies to all saved tensors: their hook, the mode, measuring, comparing the halves, Python text; and
/// the totals.
class InliningBar : public QWidget {
    Q_OBJECT

public:
    /// `measures` must outlive the bar.
    InliningBar(const ViewContext& context, HookMeasures* measures, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* hookForAllChoice() const { return m_hook; }
    [[nodiscard]] QComboBox* modeChoice() const { return m_mode; }
    [[nodiscard]] QPushButton* measureButton() const { return m_measure; }
    [[nodiscard]] QPushButton* cancelButton() const { return m_cancel; }
    [[nodiscard]] QAction* compareForward() const { return m_compareForward; }
    [[nodiscard]] QAction* compareBackward() const { return m_compareBackward; }
    [[nodiscard]] QAction* copyPython() const { return m_copyPython; }
    [[nodiscard]] QAction* savePython() const { return m_savePython; }
    [[nodiscard]] QString summary() const;

    /// The hooks that can be chosen.
    [[nodiscard]] QStringList hookNames() const;
    /// Says in place of the totals that a file was written, or why not.
    void say(const QString& message);

Q_SIGNALS:
    /// A person wants to write a hook for all.
    void ownTextAsked();

private:
    void makeChoices();
    void makeMenus();
    void chooseHook();
    void chooseMode();
    void follow();
    void followMeasures();
    void addMeasured(QStringList& parts) const;
    void showTotals();

    ViewContext m_context;
    HookMeasures* m_measures;
    QComboBox* m_hook;
    QComboBox* m_mode;
    QPushButton* m_measure;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
    QPushButton* m_compare;
    QPushButton* m_python;
    QAction* m_compareForward;
    QAction* m_compareBackward;
    QAction* m_copyPython;
    QAction* m_savePython;
    ElidedLabel* m_summary;
    QString m_said;
};

} // namespace aotscope::views
