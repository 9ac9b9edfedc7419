#pragma once

#include "common/view_context.h"
#include "contract/trace_pause.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace aotscope::views {

/// A paused trace: reason and place, the next node, the symbols, and a field to add a fact.
class PauseView : public QWidget {
    Q_OBJECT

public:
    explicit PauseView(QWidget* parent = nullptr);

    void showPause(const session::TracePausePtr& pause);
    /// Puts the focus into the field for a fact; without symbols, on the first button.
    void takeKeyboard();
    [[nodiscard]] QTreeWidget* facts() const { return m_facts; }
    [[nodiscard]] QLineEdit* factField() const { return m_field; }
    /// The whole text, for screen readers and tests.
    [[nodiscard]] QString said() const;

Q_SIGNALS:
    void answered(const aotscope::session::PauseAnswer& answer);
    void graphRequested();

private:
    QPushButton* addButton(const QString& title, const QString& tip, session::PauseAnswer::Kind kind);
    void addFact();
    void showFacts(const session::TracePause& pause);

    QLabel* m_title;
    QLabel* m_place;
    QLabel* m_call;
    QLabel* m_refused;
    QTreeWidget* m_facts;
    QLineEdit* m_field;
    QPushButton* m_graph;
};

} // namespace aotscope::views
