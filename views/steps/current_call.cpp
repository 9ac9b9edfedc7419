#include "steps/current_call.h"

#include "common/compile_settings.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "common/shown_kernels.h"
#include "files/retrace_targets.h"
#include "partition/current_partition.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

bool canBeTraced(const session::RetraceTarget& target) {
    return target.program || target.logged;
}

/// The function that the graph belongs to, else the first of its compile.
std::optional<session::RetraceTarget> targetOf(const session::LogSnapshot& log,
                                               const session::ArtifactReference& graph) {
    const std::vector<session::RetraceTarget> targets = session::retraceTargets(log, graph);
    const auto isOf = [&](const session::RetraceTarget& target) {
        return canBeTraced(target) && (target.program == graph || target.logged == graph);
    };
    auto found = std::ranges::find_if(targets, isOf);
    if (found == targets.end()) {
        found = std::ranges::find_if(targets, canBeTraced);
    }
    return found == targets.end() ? std::nullopt : std::optional(*found);
}

} // namespace

steps::CallRecordPtr CalledFunction::record() const {
    const steps::CallRecordPtr last = pause ? pause->record : call ? call->record : nullptr;
    return last && !last->events.empty() ? last : nullptr;
}

const std::vector<aot::WrapperStep>* CalledFunction::wrappers() const {
    if (call && call->function) {
        return &call->function->wrappers;
    }
    return retraced && retraced->result ? &retraced->result->function.wrappers : nullptr;
}

CurrentCall::CurrentCall(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                         const CurrentPartition* partition, const CompileSettings* settings,
                         const ShownKernels* kernels, QObject* parent)
    : QObject(parent),
      m_engine(engine),
      m_selection(selection),
      m_logs(logs),
      m_partition(partition),
      m_settings(settings),
      m_kernels(kernels),
      m_trace(engine, wrappersTag()),
      m_call(engine, callTag()) {
    connect(selection, &SelectionHub::selectionChanged, this, &CurrentCall::follow);
    connect(logs, &LogList::changed, this, [this] {
        if (!m_shown && m_selection->current()) {
            follow(*m_selection->current()); // The log has just been read as far as this.
        }
    });
    connect(logs, &LogList::closed, this, &CurrentCall::forgetLog);
    connect(settings, &CompileSettings::changed, this, &CurrentCall::forgetTraces);
    connect(engine, &EngineClient::told, this, &CurrentCall::takeEvent);
    connect(kernels, &ShownKernels::changed, this, &CurrentCall::stateChanged);
    connect(&m_trace, &RequestBase::changed, this, &CurrentCall::wrappersChanged);
    connect(&m_call, &RequestBase::told, this, [this](const session::Event& event) {
        if (const auto* pause = std::get_if<steps::StepPausePtr>(&event.body)) {
            takePause(*pause);
        }
    });
    connect(&m_call, &RequestBase::answered, this, [this] { takeCall(m_call.takeAnswer()); });
    connect(&m_call, &RequestBase::changed, this, &CurrentCall::followCall);
}

CurrentCall::~CurrentCall() = default;

const CalledFunction* CurrentCall::function() const {
    return m_shown;
}

QString CurrentCall::nameOfFunction() const {
    return m_shown ? inLog(text(m_shown->target.name), m_logs->nameOf(m_shown->log)) : QString();
}

CurrentPoint CurrentCall::point() const {
    CurrentPoint point;
    if (const auto& selection = m_selection->current()) {
        point.selection = *selection;
        const session::RetraceSnapshotPtr& stages = m_selection->stages();
        point.stage = stages ? session::stageOf(*stages, selection->artifact) : std::nullopt;
    }
    if (m_shown && m_shown->record()) {
        point.event = m_shown->event;
    }
    return point;
}

CalledFunction* CurrentCall::find(std::uint32_t log, const session::RetraceTarget& target) {
    const auto found = std::ranges::find_if(m_functions, [&](const auto& each) {
        return each->log == log && each->target.compile == target.compile && each->target.name == target.name;
    });
    return found == m_functions.end() ? nullptr : found->get();
}

void CurrentCall::follow(const session::Selection& selection) {
    const session::LogSnapshotPtr log = m_logs->tryLog(selection.artifact.log);
    const std::optional<session::RetraceTarget> target =
        log ? targetOf(*log, selection.artifact) : std::nullopt;
    CalledFunction* function = target ? find(log->log, *target) : nullptr;
    if (target && !function) {
        m_functions.push_back(std::make_unique<CalledFunction>());
        function = m_functions.back().get();
        function->log = log->log;
    }
    if (function) {
        function->target = *target; // A log that grows may have more of it by now.
    }
    if (function != m_shown) {
        m_shown = function;
        Q_EMIT functionChanged();
        Q_EMIT wrappersChanged();
        Q_EMIT callChanged();
        Q_EMIT pointChanged();
    }
}

void CurrentCall::wantWrappers() {
    const bool isAsked = m_traced == m_shown && m_trace.state() != RequestBase::State::Idle;
    if (!m_shown || m_shown->retraced || isAsked) {
        return;
    }
    session::Retrace command{m_shown->log, {m_shown->target}, {}};
    command.options.torch = m_settings->torch();
    command.options.config = m_settings->options();
    m_traced = m_shown;
    m_trace.ask(std::move(command));
}

RequestBase* CurrentCall::wrappersRequest() {
    return m_shown && m_traced == m_shown ? &m_trace : nullptr;
}

RequestWords CurrentCall::wrappersWords() const {
    const QString name = nameOfFunction();
    return {.running = tr("Tracing %1 for its wrappers …").arg(name),
            .canceled = tr("The trace of %1 was canceled").arg(name),
            .failed = tr("%1 cannot be traced").arg(name)};
}

/// Takes every re-trace of a function, also those that other panels requested.
void CurrentCall::takeEvent(const session::Event& event) {
    const auto* retraced = std::get_if<session::RetraceSnapshotPtr>(&event.body);
    if (retraced == nullptr || !m_logs->tryLog((*retraced)->log)) {
        return;
    }
    CalledFunction* function = find((*retraced)->log, (*retraced)->target);
    if (function) {
        function->retraced = *retraced;
        if (function == m_shown) {
            Q_EMIT wrappersChanged();
        }
    }
}

void CurrentCall::call(const session::CallOptions& options, bool stepThrough) {
    if (!m_shown) {
        return;
    }
    session::CallCompiled command;
    command.log = m_shown->log;
    command.target = m_shown->target;
    command.options.torch = m_settings->torch();
    command.options.config = m_settings->options();
    if (m_partition->joint() && m_selection->current()) {
        command.choices = m_partition->choices();
    }
    command.call = options;
    command.breakpoints = m_breakpoints;
    command.pauseAtStart = stepThrough;
    command.byFusedKernel = m_kernels->wanted();
    m_open = nullptr;
    m_wanted.reset();
    if (m_called) {
        m_called->pause = nullptr;
    }
    m_called = m_shown;
    m_called->call = nullptr;
    m_called->event = 0;
    m_call.ask(std::move(command));
}

void CurrentCall::cancel() {
    m_call.cancel();
}

RequestBase* CurrentCall::callRequest() {
    return m_shown && m_called == m_shown ? &m_call : nullptr;
}

RequestWords CurrentCall::callWords() const {
    const QString name = nameOfFunction();
    return {.running = tr("Calling %1 …").arg(name),
            .canceled = tr("The call of %1 was canceled").arg(name),
            .failed = tr("%1 cannot be called").arg(name)};
}

bool CurrentCall::isCallShown() const {
    // The answer of a call comes before the end of its job.
    return m_shown && m_called == m_shown && calling() && !m_called->call;
}

void CurrentCall::takeCall(const session::CallSnapshotPtr& call) {
    CalledFunction* function = find(call->log, call->target);
    if (!function) {
        return;
    }
    const bool wasStepped = function->pause != nullptr;
    function->pause = nullptr;
    function->call = call;
    const std::size_t end = call->record ? call->record->events.size() : 0;
    // If a person chose an event while the call ran, show that one.
    const std::optional<std::size_t> wanted =
        function == m_called ? std::exchange(m_wanted, std::nullopt) : std::nullopt;
    function->event = std::min(wanted.value_or(wasStepped ? end : 0), end);
    if (call->retraced) {
        function->retraced = call->retraced;
    }
    if (function == m_shown) {
        Q_EMIT wrappersChanged();
        Q_EMIT callChanged();
        Q_EMIT pointChanged();
    }
}

void CurrentCall::followCall() {
    if (!m_call.isUnderWay()) {
        m_open = nullptr;
        m_wanted.reset();
        if (m_call.gaveUp() && m_called) {
            m_called->pause = nullptr;
        }
    }
    Q_EMIT callChanged();
    Q_EMIT stateChanged();
}

void CurrentCall::forgetLog(quint32 log) {
    if (m_called && m_called->log == log) {
        m_call.forget();
        m_called = nullptr;
        m_open = nullptr;
        m_wanted.reset();
    }
    if (m_traced && m_traced->log == log) {
        m_trace.forget();
        m_traced = nullptr;
    }
    const bool wasShown = m_shown && m_shown->log == log;
    m_shown = wasShown ? nullptr : m_shown;
    std::erase_if(m_functions, [&](const auto& each) { return each->log == log; });
    if (wasShown) {
        Q_EMIT functionChanged();
        Q_EMIT wrappersChanged();
        Q_EMIT callChanged();
        Q_EMIT pointChanged();
    }
    Q_EMIT stateChanged();
}

/// Under other settings other wrappers may apply.
void CurrentCall::forgetTraces() {
    m_trace.forget();
    m_traced = nullptr;
    for (const auto& function : m_functions) {
        function->retraced = nullptr;
    }
    Q_EMIT wrappersChanged();
}

} // namespace aotscope::views
