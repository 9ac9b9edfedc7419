#pragma once

#include "common/view_context.h"
#include "contract/call_options.h"
#include "steps/step_pause.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSlider;

namespace aotscope::views {

class ElidedLabel;

/// Controls for calls: begin one and cancel it; and, as a separate widget, go forward and back in it, with a
/// slider over its events.
class StepBar : public QWidget {
    Q_OBJECT

public:
    explicit StepBar(const ViewContext& context, QWidget* parent = nullptr);

    /// Calls with the options in the fields; says what is wrong with them if they cannot be read.
    void call(bool stepThrough);
    /// Nothing: a field cannot be read; the bar says so.
    [[nodiscard]] std::optional<session::CallOptions> options();
    [[nodiscard]] QLineEdit* seedField() const { return m_seed; }
    [[nodiscard]] QLineEdit* callsField() const { return m_calls; }
    [[nodiscard]] QLineEdit* rateField() const { return m_rate; }
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    /// The controls for a call that is under way or recorded, hidden while there is none. The caller places
    /// them.
    [[nodiscard]] QWidget* transport() const { return m_transport; }
    [[nodiscard]] QPushButton* button(const QString& name) const;
    /// The state of the call, and the place on the slider.
    [[nodiscard]] QString said() const;

Q_SIGNALS:
    /// A button had the focus and a call began, so that it is disabled now.
    void leftByFocus();

private:
    void makeFields();
    void makeTransport();
    QPushButton* addStep(const char* name, const QString& title, const QString& tip,
                         steps::StepAnswer::Kind kind);
    void follow();
    void showPlace();
    void showState();
    void updateButtons();

    CurrentCall* m_call;
    ViewContext m_context;
    QPushButton* m_callButton;
    QPushButton* m_stepButton;
    QPushButton* m_cancelButton;
    QLineEdit* m_seed;
    QLineEdit* m_calls;
    QLineEdit* m_rate;
    QCheckBox* m_twice;
    ElidedLabel* m_state;
    QWidget* m_transport;
    std::vector<std::pair<QPushButton*, steps::StepAnswer::Kind>> m_steps;
    QSlider* m_slider;
    ElidedLabel* m_place;
    /// What is wrong with a field; empty: nothing.
    QString m_problem;
};

} // namespace aotscope::views
