#include "steps/events_panel.h"

#include "common/chosen_row.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/fitting_column.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "partition/current_partition.h"
#include "steps/current_call.h"
#include "steps/event_model.h"
#include "steps/wrapper_text.h"
#include "style/ink.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTreeView>

namespace aotscope::views {

namespace {

/// Above that only headings and wrappers are opened at first.
constexpr std::size_t mostOpened = 5'000;

QString joinedBreakpoints(const std::vector<steps::StepBreakpoint>& breakpoints) {
    QStringList texts;
    for (const steps::StepBreakpoint& breakpoint : breakpoints) {
        texts.append(text(breakpoint.toText()));
    }
    return texts.join(QStringLiteral(", "));
}

} // namespace

EventsPanel::EventsPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new EventModel(context.theme, this)),
      m_view(new QTreeView),
      m_filter(new QLineEdit),
      m_breakpoints(new QLineEdit),
      m_problem(plainLabel()),
      m_footer(new ElidedLabel) {
    makeView();
    m_filter->setObjectName(filterFieldName());
    m_filter->setAccessibleName(tr("Filter of the events"));
    m_filter->setPlaceholderText(tr("filter: relu  /^add_/  kind:saving  time>10us"));
    m_filter->setToolTip(tr("Words or /regular expressions/ in event or operator; kind:entry, exit, wrapper, "
                            "forward, backward, node, saving or gradient; time>10us; - before a term: not "
                            "(Ctrl+F)"));
    m_filter->setClearButtonEnabled(true);
    m_breakpoints->setObjectName(QStringLiteral("stepBreakpoints"));
    m_breakpoints->setAccessibleName(tr("Where calls pause"));
    m_breakpoints->setPlaceholderText(tr("pause at: node:mm, op:mm, model.py:41, nan, above:1e4"));
    m_breakpoints->setToolTip(
        tr("Where calls pause, with commas between: wrapper:NAME, node:NAME, op:mm, model.py:41, nan, inf, "
           "above:1e4, shape, mutated:arg 2, memory:64MB. F9 sets or clears one at the chosen row."));
    m_breakpoints->setClearButtonEnabled(true);
    setWords(m_problem, Words::Bad);
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(8, 0, 8, 4);
    m_problem->hide();
    setWords(m_footer, Words::Dim);

    auto* footer = controlRow();
    footer->addWidget(m_footer, 1);
    auto* content = new QWidget;
    auto* inside = flushColumn(content);
    inside->addWidget(m_view, 1);
    inside->addLayout(footer);
    auto* fields = new QVBoxLayout;
    fields->setContentsMargins(8, 4, 8, 4);
    fields->setSpacing(4);
    fields->addWidget(m_filter);
    fields->addWidget(m_breakpoints);
    m_pages = new EmptyPage(content);
    auto* outer = flushColumn(this);
    outer->addLayout(fields);
    outer->addWidget(m_problem);
    outer->addWidget(m_pages, 1);
    setKeyboardPlace(this, m_view);

    CurrentCall* call = context.call;
    connect(m_filter, &QLineEdit::textChanged, this, &EventsPanel::applyFilter);
    connect(m_breakpoints, &QLineEdit::editingFinished, this, &EventsPanel::applyBreakpoints);
    connect(call, &CurrentCall::functionChanged, this, &EventsPanel::followCall);
    connect(call, &CurrentCall::callChanged, this, &EventsPanel::followCall);
    connect(call, &CurrentCall::pointChanged, this, &EventsPanel::followPoint);
    connect(call, &CurrentCall::stateChanged, this, &EventsPanel::showState);
    connect(call, &CurrentCall::breakpointsChanged, this, &EventsPanel::followBreakpoints);
    connect(context.selection, &SelectionHub::selectionChanged, this, &EventsPanel::followSelection);
    followBreakpoints();
    followCall();
}

void EventsPanel::makeView() {
    m_view->setModel(m_model);
    m_view->setObjectName(QStringLiteral("events"));
    m_view->setAccessibleName(tr("Events of the call"));
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setTreePosition(EventModel::Event);
    m_view->setIndentation(16);
    m_view->setExpandsOnDoubleClick(false);
    QHeaderView* header = m_view->header();
    header->setMinimumSectionSize(28);
    m_view->setTextElideMode(Qt::ElideMiddle);
    static constexpr int widths[EventModel::ColumnCount] = {36, 220, 132, 76};
    for (int column = 0; column < EventModel::ColumnCount; ++column) {
        header->resizeSection(column, widths[column]);
    }
    header->setStretchLastSection(false);
    fitColumn(m_view, EventModel::Event, 120);
    connect(m_view, &QTreeView::clicked, this, &EventsPanel::goTo);
    connect(m_view, &QTreeView::activated, this, &EventsPanel::goTo);
    connect(m_view, &QTreeView::collapsed, this, [this](const QModelIndex& row) { fold(row, true); });
    connect(m_view, &QTreeView::expanded, this, [this](const QModelIndex& row) { fold(row, false); });
}

void EventsPanel::followCall() {
    const CalledFunction* function = m_context.call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    if (record != m_model->record()) {
        showEvents();
        followPoint();
    }
    showState();
}

/// Each pause brings a record with some events more. What a person has closed stays so.
void EventsPanel::showEvents() {
    const CalledFunction* function = m_context.call->function();
    QString problem;
    const EventFilter filter = EventFilter::parse(m_filter->text(), &problem);
    if (function != m_shown) {
        m_shown = function;
        m_folded.clear();
    }
    m_following = true;
    m_model->setRecord(function ? function->record() : nullptr, filter);
    if (m_model->tree().rows.size() <= mostOpened) {
        m_view->expandAll();
    } else {
        m_view->expandToDepth(1);
    }
    for (const std::size_t event : m_folded) {
        m_view->collapse(m_model->indexOf(event, 0));
    }
    m_following = false;
}

void EventsPanel::fold(const QModelIndex& row, bool folded) {
    const std::optional<std::size_t> event = m_following ? std::nullopt : m_model->eventAt(row);
    if (event && folded) {
        m_folded.insert(*event);
    } else if (event) {
        m_folded.erase(*event);
    }
}

void EventsPanel::showState() {
    const CurrentCall& call = *m_context.call;
    const steps::CallRecordPtr& record = m_model->record();
    if (record) {
        m_pages->showContent();
    } else if (RequestBase* request = m_context.call->callRequest();
               request != nullptr && request->state() != RequestBase::State::Idle &&
               request->state() != RequestBase::State::Ready) {
        m_pages->showRequest(request, call.callWords());
    } else if (call.function()) {
        const bool failed = call.function()->call != nullptr;
        m_pages->showMessage(
            failed ? tr("%1 was not called").arg(call.nameOfFunction())
                   : tr("%1 has not been called").arg(call.nameOfFunction()),
            failed ? tr("The Wrappers panel says why.")
                   : tr("What happens in a call appears here, event by event: wrappers, nodes, what is "
                        "saved, gradients.\nPress Call (F10 steps through it) in the Wrappers panel."));
    } else {
        m_pages->showMessage(tr("Nothing to call is selected"),
                             tr("What happens in a call of a compiled function appears here.\nPick a compile "
                                "that has a Dynamo, joint or inference graph."));
    }
    QStringList parts;
    if (record) {
        const std::size_t all = record->events.size();
        parts.append(m_model->tree().matching == all ? formatCount(all, "event", "events")
                                                     : tr("%1 of %2")
                                                           .arg(formatCount(m_model->tree().matching),
                                                                formatCount(all, "event", "events")));
        if (call.isCallShown()) {
            parts.prepend(call.paused() ? tr("paused: %1").arg(text(call.pause()->reason))
                                        : tr("going on …"));
        }
        if (const std::int64_t worked = workNanoseconds(*record); worked > 0) {
            parts.append(formatNanoseconds(worked));
        }
        if (record->error) {
            parts.append(tr("ended early: %1").arg(text(record->error->message)));
        }
    }
    m_footer->setText(parts.join(QStringLiteral("  ·  ")));
}

void EventsPanel::followPoint() {
    const CalledFunction* function = m_context.call->function();
    const bool stands = function && function->record();
    m_model->setCurrent(stands ? std::optional(function->event) : std::nullopt);
    if (stands) {
        choose(function->event);
    }
}

/// Makes the row of an event the chosen one, in sight, without going there.
void EventsPanel::choose(std::size_t event) {
    const QModelIndex row = m_model->indexOf(event);
    m_following = true;
    m_view->setCurrentIndex(row);
    m_following = false;
    if (row.isValid()) {
        m_view->scrollTo(row);
    }
}

/// A node that is selected elsewhere is shown here; the current point stays.
void EventsPanel::followSelection(const session::Selection& selection, const QObject* source) {
    const CalledFunction* function = m_context.call->function();
    const steps::CallRecordPtr record = function ? function->record() : nullptr;
    if (!record || source == m_context.call || selection.node.empty()) {
        return;
    }
    const auto& split = m_context.partition->snapshot();
    const bool backward =
        selection.artifact.artifact == "backward" || (split && selection.artifact == split->backward);
    std::optional<std::size_t> event = eventOfNode(*record, selection.node, backward, function->event);
    if (!event) {
        event = eventOfNode(*record, selection.node, !backward, function->event);
    }
    if (event && event != function->event) {
        choose(*event);
    }
}

void EventsPanel::followBreakpoints() {
    m_model->setBreakpoints(m_context.call->breakpoints());
    m_breakpoints->setText(joinedBreakpoints(m_context.call->breakpoints()));
    m_problem->hide();
}

void EventsPanel::applyFilter() {
    QString problem;
    const EventFilter filter = EventFilter::parse(m_filter->text(), &problem);
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (problem.isEmpty()) { // While a person types an invalid filter, the rows stay.
        showEvents();
        followPoint();
        showState();
    }
}

void EventsPanel::applyBreakpoints() {
    std::vector<steps::StepBreakpoint> all;
    for (const QString& part : m_breakpoints->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty()) {
            continue;
        }
        const auto breakpoint = steps::StepBreakpoint::parse(part.trimmed().toStdString());
        if (!breakpoint) {
            m_problem->setText(text(breakpoint.error().text()));
            m_problem->show();
            return;
        }
        all.push_back(*breakpoint);
    }
    m_problem->hide();
    m_context.call->setBreakpoints(std::move(all));
}

std::optional<std::size_t> EventsPanel::chosenEvent() const {
    return m_model->eventAt(m_view->currentIndex());
}

void EventsPanel::toggleBreakpoint() {
    const std::optional<std::size_t> event = chosenEvent();
    const auto breakpoint =
        event ? CurrentCall::breakpointAt(m_model->record()->events[*event]) : std::nullopt;
    if (breakpoint) {
        m_context.call->toggleBreakpoint(*breakpoint);
    } else {
        Q_EMIT noPlaceToPause();
    }
}

void EventsPanel::runToCursor() {
    if (const std::optional<std::size_t> event = chosenEvent()) {
        m_context.call->goTo(*event);
    }
}

void EventsPanel::goTo(const QModelIndex& row) {
    if (const std::optional<std::size_t> event = m_model->eventAt(row); event && !m_following) {
        m_context.call->goTo(*event);
    }
}

QString EventsPanel::said() const {
    return m_footer->text();
}

} // namespace aotscope::views
