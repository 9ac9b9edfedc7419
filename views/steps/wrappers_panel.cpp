#include "steps/wrappers_panel.h"

#include "common/code_view.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "common/verdict_label.h"
#include "steps/alive_view.h"
#include "steps/current_call.h"
#include "steps/eager_view.h"
#include "steps/stack_canvas.h"
#include "steps/step_bar.h"
#include "steps/value_model.h"
#include "steps/wrapper_text.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QTabBar>
#include <QTextBrowser>
#include <QTreeView>

namespace aotscope::views {

namespace {

/// "forward", "backward", "call 3, forward"
QString passageWords(const steps::WrapperCall& passage, bool isLoop) {
    const QString half = passage.backward ? WrappersPanel::tr("backward") : WrappersPanel::tr("forward");
    return isLoop ? WrappersPanel::tr("call %1, %2").arg(passage.call + 1).arg(half) : half;
}

/// The passage in which the call stands, as an index in the record's wrappers; -1: in none.
qsizetype passageHere(const CalledFunction& function) {
    const steps::CallRecordPtr record = function.record();
    if (!record || function.event >= record->events.size()) {
        return -1;
    }
    const std::size_t wrapper = record->events[function.event].wrapper.value_or(record->wrappers.size());
    return wrapper < record->wrappers.size() ? static_cast<qsizetype>(wrapper) : -1;
}

} // namespace

void WrappersPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_context.call->wantWrappers();
}

void WrappersPanel::followFunction() {
    m_step.reset();
    if (isVisible()) {
        m_context.call->wantWrappers();
    }
    followWrappers();
}

void WrappersPanel::followWrappers() {
    showState();
    showStack();
    const CalledFunction* function = m_context.call->function();
    const std::vector<aot::WrapperStep>* wrappers = function ? function->wrappers() : nullptr;
    std::optional<std::size_t> step = m_step;
    if (wrappers == nullptr || (step && *step >= wrappers->size())) {
        step.reset();
    }
    // The outermost that does something.
    for (std::size_t i = wrappers != nullptr ? wrappers->size() : 0; !step && i-- > 0;) {
        step = (*wrappers)[i].applies ? std::optional(i) : std::nullopt;
    }
    showStep(step);
    showVerdict();
}

/// The wrapper in which the call stands is the one at hand.
void WrappersPanel::followPoint() {
    showStack();
    const CalledFunction* function = m_context.call->function();
    m_alive->setPause(function ? function->pause : nullptr);
    if (const qsizetype here = function ? passageHere(*function) : -1; here >= 0) {
        m_step = function->record()->wrappers[static_cast<std::size_t>(here)].step;
    }
    showStep(m_step);
}

void WrappersPanel::showState() {
    CurrentCall* call = m_context.call;
    const CalledFunction* function = call->function();
    const steps::StepPausePtr pause = function ? function->pause : nullptr;
    m_alive->setPause(pause);
    if (pause) {
        m_alivePage->showContent();
    } else {
        m_alivePage->showMessage(tr("No call is paused"),
                                 tr("The values that are alive where a call stands appear here.\nPress “Step "
                                    "through”, or set a breakpoint and press Call."));
    }
    if (!function) {
        m_pages->showMessage(
            tr("Nothing to call is selected"),
            tr("The runtime wrappers around a compiled graph appear here, and what they do to "
               "a call.\nPick a compile that has a Dynamo, joint or inference graph."));
    } else if (function->wrappers() != nullptr) {
        m_pages->showContent();
    } else if (function->retraced) {
        m_pages->showMessage(tr("%1 cannot be traced").arg(call->nameOfFunction()),
                             function->retraced->error ? text(function->retraced->error->text()) : QString());
    } else if (RequestBase* request = call->wrappersRequest();
               request != nullptr && (request->isUnderWay() || request->gaveUp())) {
        m_pages->showRequest(request, call->wrappersWords());
    } else {
        m_pages->showMessage(tr("%1 has not been traced again").arg(call->nameOfFunction()),
                             tr("Re-trace the compile (Ctrl+Shift+R) or call it to see its wrappers."));
    }
}

std::size_t WrappersPanel::callOfPoint() const {
    const CalledFunction* function = m_context.call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    if (!record || record->events.empty()) {
        return 0;
    }
    return record->events[std::min(function->event, record->events.size() - 1)].call;
}

void WrappersPanel::showStack() {
    const CalledFunction* function = m_context.call->function();
    const std::vector<aot::WrapperStep>* wrappers = function ? function->wrappers() : nullptr;
    if (wrappers == nullptr) {
        m_stack->setLevels({});
        return;
    }
    const steps::CallRecordPtr record = function->record();
    std::vector<StackLevel> levels;
    for (std::size_t step = wrappers->size(); step-- > 0;) {
        const std::string name(aot::wrapperName((*wrappers)[step].wrapper));
        StackLevel level;
        level.step = step;
        level.name = text(name);
        level.reason = text((*wrappers)[step].reason);
        level.applies = (*wrappers)[step].applies;
        level.nanoseconds = record ? ownNanoseconds(*record, step, callOfPoint()) : std::nullopt;
        level.isBreakpoint = m_context.call->hasBreakpoint({steps::StepBreakpoint::Kind::Wrapper, name, 0});
        levels.push_back(std::move(level));
    }
    StackLevel graph;
    graph.name = tr("compiled graph");
    graph.reason = compiledGraphWords(*function);
    levels.push_back(std::move(graph));
    m_stack->setLevels(std::move(levels));
    std::optional<std::size_t> standing;
    if (record && function->event < record->events.size()) {
        const steps::CallEvent& event = record->events[function->event];
        const bool isNode =
            event.kind == steps::EventKind::ForwardNode || event.kind == steps::EventKind::BackwardNode;
        if (isNode) {
            standing = wrappers->size();
        } else if (const qsizetype here = passageHere(*function); here >= 0) {
            standing = wrappers->size() - 1 - record->wrappers[static_cast<std::size_t>(here)].step;
        }
    }
    m_stack->setStanding(standing);
}

void WrappersPanel::showStep(std::optional<std::size_t> step) {
    m_step = step;
    const CalledFunction* function = m_context.call->function();
    const std::vector<aot::WrapperStep>* wrappers = function ? function->wrappers() : nullptr;
    if (wrappers == nullptr) {
        m_stack->setChosen(std::nullopt);
    } else {
        m_stack->setChosen(step ? wrappers->size() - 1 - *step : wrappers->size());
    }
    showPassages();
}

/// Chooses the passage in which the call stands, else one of the same call: the chosen one, or the first.
void WrappersPanel::showPassages() {
    const CalledFunction* function = m_context.call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    const QSignalBlocker quiet(m_passages);
    const std::optional<std::size_t> before = passage();
    m_passages->clear();
    if (record && m_step) {
        const bool isLoop = !record->events.empty() && record->events.back().call > 0;
        const qsizetype here = passageHere(*function);
        const bool standsInIt = here >= 0 && record->wrappers[static_cast<std::size_t>(here)].step == *m_step;
        int chosen = -1;
        for (std::size_t i = 0; i < record->wrappers.size(); ++i) {
            const steps::WrapperCall& each = record->wrappers[i];
            if (each.step != *m_step) {
                continue;
            }
            m_passages->addItem(passageWords(each, isLoop), QVariant::fromValue(qulonglong(i)));
            const bool isHere = here == static_cast<qsizetype>(i);
            const bool fits = !standsInIt && each.call == callOfPoint() && (chosen < 0 || before == i);
            chosen = isHere || fits ? m_passages->count() - 1 : chosen;
        }
        m_passages->setCurrentIndex(std::max(chosen, 0));
    }
    m_passages->setVisible(m_passages->count() > 1);
    showValues();
    showDetails();
}

std::optional<std::size_t> WrappersPanel::passage() const {
    const CalledFunction* function = m_context.call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    const QVariant chosen = m_passages->currentData();
    const auto index = static_cast<std::size_t>(chosen.toULongLong());
    return chosen.isValid() && record && index < record->wrappers.size() ? std::optional(index)
                                                                         : std::nullopt;
}

void WrappersPanel::showValues() {
    const CalledFunction* function = m_context.call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    const std::vector<aot::WrapperStep>* wrappers = function ? function->wrappers() : nullptr;
    const std::optional<std::size_t> shown = passage();
    if (shown) {
        m_model->setSections(valueSections(record->wrappers[*shown]));
        for (int section = 0; section < m_model->rowCount(); ++section) {
            m_view->setFirstColumnSpanned(section, {}, true);
        }
        m_view->expandAll();
        m_values->showContent();
        return;
    }
    m_model->setSections({});
    if (!m_step) {
        m_values->showMessage(
            tr("The compiled graph"),
            tr("The Events panel shows its nodes as they run, the Graph panel its picture."));
    } else if (wrappers != nullptr && !(*wrappers)[*m_step].applies) {
        m_values->showMessage(tr("This wrapper does nothing here"), text((*wrappers)[*m_step].reason));
    } else {
        m_values->showMessage(
            record ? tr("Not reached yet") : tr("What it does to the arguments"),
            record ? tr("Step on (F10), or resume (F5).")
                   : tr("Press Call: the values before and after the wrapper appear here, with "
                        "what was added, removed, replaced, aliased and mutated."));
    }
}

void WrappersPanel::showDetails() {
    const CalledFunction* function = m_context.call->function();
    const Theme& theme = m_context.theme->theme();
    QString source;
    if (!function || function->wrappers() == nullptr) {
        m_details->clear();
    } else if (m_step) {
        m_details->setHtml(wrapperHtml(*function, *m_step, passage(), theme));
        source = wrapperSource(*function, *m_step);
    } else {
        m_details->setHtml(compiledGraphHtml(*function, theme));
    }
    m_source->setText(source, CodeLanguage::Python);
    m_source->setVisible(!source.isEmpty());
}

void WrappersPanel::showVerdict() {
    const CalledFunction* function = m_context.call->function();
    const std::optional<base::Verdict> verdict = function ? callVerdict(*function) : std::nullopt;
    if (!verdict && m_verdict->hasFocus()) {
        // It hides while the next call runs; the keys then go where they go after Call.
        giveKeyboard(this, Qt::OtherFocusReason);
    }
    m_verdict->setVerdict(verdict, tr("The call beside Dynamo's graph in eager mode"));
    m_verdictTitle->setVisible(verdict.has_value());
    const steps::CallRecordPtr record = function && function->call ? function->call->record : nullptr;
    m_eager->setRecord(record);
    if (record && record->eager && !record->eager->values.empty()) {
        m_compared->showContent();
    } else if (verdict) {
        m_compared->showMessage(tr("Nothing was compared"), m_verdict->line());
    } else {
        m_compared->showMessage(
            tr("Not called yet"),
            tr("After a call its outputs, mutated arguments and gradients stand here beside "
               "those of Dynamo's graph in eager mode on equal inputs.\nPress Call."));
    }
}

void WrappersPanel::selectValue(const std::string& name) {
    if (const auto& selected = m_context.selection->current()) {
        m_context.selection->select({selected->artifact, name}, this);
    }
}

void WrappersPanel::showPage(Page page) {
    m_tabs->setCurrentIndex(static_cast<int>(page));
}

void WrappersPanel::call(bool stepThrough) {
    m_bar->call(stepThrough);
}

void WrappersPanel::toggleBreakpoint() {
    const CalledFunction* function = m_context.call->function();
    if (m_step && function && function->wrappers() != nullptr) {
        const std::string name(aot::wrapperName((*function->wrappers())[*m_step].wrapper));
        m_context.call->toggleBreakpoint({steps::StepBreakpoint::Kind::Wrapper, name, 0});
    }
}

} // namespace aotscope::views
