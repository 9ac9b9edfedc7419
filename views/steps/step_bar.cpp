#include "steps/step_bar.h"

#include "common/elided_label.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/run_device.h"
#include "steps/current_call.h"
#include "steps/event_model.h"
#include "style/ink.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>

namespace aotscope::views {

using Answer = steps::StepAnswer::Kind;

namespace {

QLineEdit* numberField(const QString& name, const QString& tip, const QString& first, int width) {
    auto* field = new QLineEdit(first);
    field->setAccessibleName(name);
    field->setToolTip(tip);
    field->setFixedWidth(width);
    return field;
}

QLabel* dimLabel(const QString& words) {
    QLabel* label = plainLabel(words);
    setWords(label, Words::Dim);
    return label;
}

} // namespace

StepBar::StepBar(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_call(context.call),
      m_context(context),
      m_callButton(new QPushButton(tr("Call"))),
      m_stepButton(new QPushButton(tr("Step through"))),
      m_cancelButton(new QPushButton(tr("Cancel"))),
      m_state(new ElidedLabel),
      m_transport(new QWidget),
      m_slider(new QSlider(Qt::Horizontal)),
      m_place(new ElidedLabel) {
    m_callButton->setObjectName(QStringLiteral("call"));
    m_stepButton->setObjectName(QStringLiteral("stepThrough"));
    m_cancelButton->setObjectName(QStringLiteral("cancelCall"));
    m_callButton->setToolTip(tr("Compile the function and call it with synthetic inputs, with its backward; "
                                "pauses at breakpoints (Ctrl+Shift+C)"));
    m_stepButton->setToolTip(tr("Call and pause at the first event (Ctrl+Alt+P)"));
    m_cancelButton->setToolTip(tr("End the call (Shift+F5)"));
    makeFields();
    makeTransport();
    setWords(m_state, Words::Dim);
    setWords(m_place, Words::Dim);

    auto* row = controlRow();
    for (QPushButton* button : {m_callButton, m_stepButton, m_cancelButton}) {
        row->addWidget(button);
    }
    row->addSpacing(8);
    row->addWidget(dimLabel(tr("seed")));
    row->addWidget(m_seed);
    row->addWidget(dimLabel(tr("calls")));
    row->addWidget(m_calls);
    row->addWidget(dimLabel(tr("rate")));
    row->addWidget(m_rate);
    row->addWidget(m_twice);
    row->addSpacing(8);
    row->addWidget(m_state, 1);
    flushColumn(this)->addLayout(row);

    connect(m_callButton, &QPushButton::clicked, this, [this] { call(false); });
    connect(m_stepButton, &QPushButton::clicked, this, [this] { call(true); });
    connect(m_cancelButton, &QPushButton::clicked, m_call, &CurrentCall::cancel);
    connect(m_slider, &QSlider::valueChanged, this, [this](int value) {
        m_call->goTo(static_cast<std::size_t>(value));
        showPlace();
    });
    connect(m_call, &CurrentCall::functionChanged, this, &StepBar::follow);
    connect(m_call, &CurrentCall::callChanged, this, &StepBar::follow);
    connect(m_call, &CurrentCall::pointChanged, this, &StepBar::follow);
    connect(m_call, &CurrentCall::stateChanged, this, &StepBar::follow);
    follow();
}

void StepBar::makeFields() {
    m_seed = numberField(tr("Seed of the inputs"), tr("The same seed makes the same inputs"),
                         QStringLiteral("0"), 56);
    m_calls = numberField(tr("Calls in a row"), tr("How many calls in a row, on the same arguments"),
                          QStringLiteral("1"), 40);
    m_rate = numberField(tr("Learning rate"),
                         tr("Learning rate of plain SGD between the calls, as in a training loop; empty: the "
                            "arguments stay as they are"),
                         QString(), 56);
    m_rate->setPlaceholderText(tr("none"));
    m_twice = new QCheckBox(tr("Backward twice"));
    m_twice->setObjectName(QStringLiteral("backwardTwice"));
    m_twice->setToolTip(
        tr("After at least one plain call, the last call's backward is called twice, the first "
           "time with retain_graph=True: PyTorch refuses that where buffers are donated"));
    for (QLineEdit* field : {m_seed, m_calls, m_rate}) {
        connect(field, &QLineEdit::returnPressed, this, [this] { call(false); });
    }
}

void StepBar::makeTransport() {
    auto* row = controlRow(m_transport);
    row->setContentsMargins(0, 0, 0, 0);
    addStep("resumeBack", QStringLiteral("◂◂"),
            tr("Back to the breakpoint before, or the start (Ctrl+Shift+F5)"), Answer::ResumeBack);
    addStep("backOver", tr("◂ Back"), tr("Back by one event, over wrappers and fused kernels (Shift+F10)"),
            Answer::BackOver);
    addStep("over", tr("Over ▸"), tr("To the next event, over wrappers and fused kernels (F10)"),
            Answer::Over);
    addStep("into", tr("Into ▾"), tr("To the next event, into wrappers and fused kernels (F11)"),
            Answer::Into);
    addStep("out", tr("Out ▴"),
            tr("Out of the fused kernel, or to the exit of the wrapper around (Shift+F11)"), Answer::Out);
    addStep("resume", QStringLiteral("▸▸"), tr("On to the next breakpoint, or the end (F5)"), Answer::Resume);
    for (const auto& [button, kind] : m_steps) {
        row->addWidget(button);
    }
    m_slider->setAccessibleName(tr("Event of the call"));
    m_slider->setToolTip(tr("Drag through the events of the call, forward and back in time"));
    m_slider->setPageStep(10);
    m_slider->setMinimumWidth(120);
    row->addWidget(m_slider, 2);
    row->addWidget(m_place, 1);
}

QPushButton* StepBar::addStep(const char* name, const QString& title, const QString& tip, Answer kind) {
    auto* button = new QPushButton(title, this);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    button->setAccessibleName(tip.section(QStringLiteral(" ("), 0, 0));
    connect(button, &QPushButton::clicked, this, [this, kind] { m_call->step(kind); });
    m_steps.emplace_back(button, kind);
    return button;
}

QPushButton* StepBar::button(const QString& name) const {
    auto* found = findChild<QPushButton*>(name);
    return found != nullptr ? found : m_transport->findChild<QPushButton*>(name);
}

std::optional<session::CallOptions> StepBar::options() {
    session::CallOptions options;
    options.device = chosenDevice(m_context);
    bool isNumber = false;
    m_problem.clear();
    options.seed = m_seed->text().toULongLong(&isNumber);
    if (!isNumber) {
        m_problem = tr("The seed “%1” is not a number").arg(m_seed->text());
    }
    constexpr qulonglong mostCalls = 1'000;
    const qulonglong calls = m_calls->text().toULongLong(&isNumber);
    if (!isNumber || calls < 1 || calls > mostCalls) {
        m_problem = tr("Calls: a number from 1 to %1, not “%2”").arg(mostCalls).arg(m_calls->text());
    }
    options.backwardTwice = m_twice->isChecked();
    options.calls = options.backwardTwice ? std::max<qulonglong>(calls, 2) : calls;
    if (!m_rate->text().trimmed().isEmpty()) {
        options.learningRate = m_rate->text().trimmed().toDouble(&isNumber);
        if (!isNumber) {
            m_problem = tr("The rate “%1” is not a number").arg(m_rate->text());
        }
    }
    return m_problem.isEmpty() ? std::optional(options) : std::nullopt;
}

void StepBar::call(bool stepThrough) {
    const std::optional<session::CallOptions> wanted = options();
    if (wanted) {
        // Else the focus would go from the disabled button to the field beside it. Ask the window, because
        // the application has no focus widget while another program is active.
        const QWidget* focus = window()->focusWidget();
        const bool hadFocus = focus == m_callButton || focus == m_stepButton;
        m_call->call(*wanted, stepThrough);
        if (hadFocus) {
            Q_EMIT leftByFocus();
        }
    }
    showState();
}

void StepBar::follow() {
    const CalledFunction* function = m_call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    m_transport->setVisible(record != nullptr);
    if (record && !m_call->wanted()) {
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, static_cast<int>(record->events.size()));
        if (!m_slider->isSliderDown()) {
            m_slider->setValue(static_cast<int>(function->event));
        }
    }
    showPlace();
    showState();
    updateButtons();
}

/// "before mm · 14 of 52"
void StepBar::showPlace() {
    const CalledFunction* function = m_call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    if (!record) {
        m_place->clear();
        return;
    }
    const auto event = static_cast<std::size_t>(m_slider->value());
    const std::size_t count = record->events.size();
    const bool goesOn = m_call->isCallShown() && !m_call->paused();
    QString words = event < count ? tr("before %1").arg(eventTitle(record->events[event]))
                                  : tr("after the last event so far");
    if (event >= count && !m_call->isCallShown()) {
        words = tr("after the call");
    }
    if (const std::string kernel = m_call->kernelAt(event); !kernel.empty()) {
        words = tr("%1 in %2").arg(words, text(kernel));
    }
    words = tr("%1  ·  %2 of %3").arg(words).arg(event).arg(count);
    m_place->setText(goesOn ? words + tr("  ·  going on …") : words);
}

void StepBar::showState() {
    QString words = m_problem;
    bool isWarning = false;
    const RequestBase* request = m_call->callRequest();
    const steps::StepPausePtr& pause = m_call->pause();
    if (words.isEmpty() && m_call->calling() && !m_call->isCallShown()) {
        words = pause ? tr("another function's call is paused") : tr("another function is being called");
    } else if (words.isEmpty() && pause) {
        words = pause->refused.empty() ? tr("Paused: %1").arg(text(pause->reason)) : text(pause->refused);
        if (pause->checkpointLimit > 0) {
            words += tr("  ·  %1 of %2 kept for going back")
                         .arg(formatBytes(pause->checkpointBytes), formatBytes(pause->checkpointLimit));
        }
        // The first in the line, all below it in the tool tip.
        for (const std::string& note : pause->notes) {
            words += (isWarning ? QStringLiteral("\n") : QStringLiteral("  ·  ")) + text(note);
            isWarning = true;
        }
    } else if (words.isEmpty() && request != nullptr) {
        switch (request->state()) {
        case RequestBase::State::Waiting:
        case RequestBase::State::Running:
            words = request->waitsFor() ? waitText(*request->waitsFor()) : tr("Calling …");
            break;
        case RequestBase::State::Canceled:
            words = tr("Canceled.");
            break;
        case RequestBase::State::Failed:
            words = text(request->error()->text());
            break;
        default:
            break;
        }
    }
    setWords(m_state, !m_problem.isEmpty() ? Words::Bad : isWarning ? Words::Warning : Words::Dim);
    m_state->setText(words.section(QLatin1Char('\n'), 0, 0));
    m_state->setToolTip(plainToolTip(words));
}

void StepBar::updateButtons() {
    const bool canCall = m_call->function() != nullptr && !m_call->calling();
    m_callButton->setEnabled(canCall);
    m_stepButton->setEnabled(canCall);
    m_cancelButton->setEnabled(m_call->calling());
    const CalledFunction* function = m_call->function();
    const bool mayGoBack = m_call->canStep() && function && function->event > 0;
    for (const auto& [button, kind] : m_steps) {
        const bool isBack = kind == Answer::BackOver || kind == Answer::ResumeBack;
        button->setEnabled(isBack ? mayGoBack : m_call->canStep());
    }
    m_slider->setEnabled(function && function->record());
}

QString StepBar::said() const {
    return m_state->text() + QLatin1Char('\n') + m_place->text();
}

} // namespace aotscope::views
