#include "common/request.h"

#include "common/engine_client.h"
#include "files/generated_code.h"
#include "runs/profile.h"

#include <type_traits>

namespace aotscope::views {

namespace {

// Whether a snapshot answers a command. Checked here, so that panels need not rely on the engine.
bool isAnswer(const session::LoadGraph& asked, const session::GraphSnapshotPtr& graph) {
    return graph->reference == asked.graph;
}
bool isAnswer(const session::LayOutGraph& asked, const session::LayoutSnapshotPtr& layout) {
    return layout->graph->reference == asked.graph;
}
bool isAnswer(const session::LoadPayload& asked, const session::PayloadSnapshotPtr& payload) {
    return payload->reference.log == asked.log && payload->record == asked.record;
}
bool isAnswer(const session::LoadGeneratedCode& asked, const session::GeneratedCodeSnapshotPtr& code) {
    return code->compile == asked.compile;
}
bool isAnswer(const session::CompareGraphs& asked, const session::DiffSnapshotPtr& diff) {
    return diff->left->reference == asked.left && diff->right->reference == asked.right;
}
bool isAnswer(const session::RunGraph& asked, const session::RunSnapshotPtr& run) {
    return run->graph && run->graph->reference == asked.graph;
}
bool isAnswer(const session::LoadValue& asked, const session::ValueSnapshotPtr& value) {
    return value->graph && value->graph->reference == asked.graph && value->seed == asked.run.seed &&
           value->graph->graph->node(value->node).name == asked.node;
}
bool isAnswer(const session::CompareWithReference& asked, const session::ReferenceSnapshotPtr& compared) {
    return compared->graph && compared->graph->reference == asked.graph;
}
bool isAnswer(const session::CheckKernels& asked, const session::KernelCheckSnapshotPtr& checked) {
    return checked->graph->reference == asked.graph;
}
bool isAnswer(const session::RerunNodes& asked, const session::RerunSnapshotPtr& rerun) {
    return rerun->graph->reference == asked.graph && rerun->settings == asked.settings;
}
bool isAnswer(const session::PlanKernels& asked, const session::KernelPlanSnapshotPtr& plan) {
    return plan->graph->reference == asked.graph && plan->symbols == asked.symbols;
}
bool isAnswer(const session::BuildKernel& asked, const session::KernelBuildSnapshotPtr& build) {
    return build->request == asked.kernel;
}
bool isAnswer(const session::RunTrainingStep& asked, const session::TrainingStepSnapshotPtr& run) {
    return run->forward->graph->reference == asked.forward &&
           run->backward->graph->reference == asked.backward;
}
bool isAnswer(const session::Retrace& asked, const session::RetraceSnapshotPtr& traced) {
    return traced->log == asked.log;
}
bool isAnswer(const session::CallCompiled& asked, const session::CallSnapshotPtr& called) {
    return called->log == asked.log && called->target == asked.target;
}
bool isAnswer(const session::PartitionJoint& asked, const session::PartitionSnapshotPtr& split) {
    return split->joint->reference == asked.joint && split->choices == asked.choices;
}
bool isAnswer(const session::SweepBudgets& asked, const session::BudgetSweepSnapshotPtr& sweep) {
    return sweep->joint == asked.joint && sweep->points.size() == asked.steps + 1;
}
bool isAnswer(const session::FindAlternative& asked, const session::NodeAlternativeSnapshotPtr& other) {
    return other->joint == asked.joint && other->choices == asked.choices && other->node == asked.node;
}
bool isAnswer(const session::MarkSplit& asked, const session::SplitMarksSnapshotPtr& marks) {
    return marks->picture->number == asked.picture && marks->choices == asked.choices &&
           (!marks->split || marks->split->joint->reference == asked.joint);
}
bool isAnswer(const session::MeasureHooks& asked, const session::HookErrorsSnapshotPtr& errors) {
    return errors->split->joint->reference == asked.joint && errors->split->choices == asked.choices;
}
bool isAnswer(const session::SuggestHooks& asked, const session::HookSuggestionSnapshotPtr& suggestion) {
    return suggestion->joint == asked.joint && suggestion->goal == asked.goal;
}
bool isAnswer(const session::ListDevices& /*asked*/, const session::DeviceListPtr& list) {
    return list != nullptr;
}
bool isAnswer(const session::MatchTimeline& asked, const session::ProfileSnapshotPtr& matched) {
    return matched->log == asked.log && matched->profile->graphs.size() == asked.graphs.size();
}
template<typename Command, typename Body>
bool isAnswer(const Command& /*asked*/, const Body& /*body*/) {
    return false;
}

// Whether a command is about a log.
bool isOf(const session::CompareGraphs& asked, quint32 log) {
    return asked.left.log == log || asked.right.log == log;
}
bool isOf(const session::CompareWithReference& asked, quint32 log) {
    return asked.graph.log == log || (asked.against && asked.against->log == log);
}
bool isOf(const session::RunTrainingStep& asked, quint32 log) {
    return asked.forward.log == log;
}
bool isOf(const session::LoadGeneratedCode& asked, quint32 log) {
    return asked.compile.log == log;
}
template<typename Command>
bool isOf(const Command& asked, quint32 log) {
    if constexpr (requires { asked.graph.log; }) {
        return asked.graph.log == log;
    } else if constexpr (requires { asked.joint.log; }) {
        return asked.joint.log == log;
    } else if constexpr (requires { asked.log; }) {
        return asked.log == log;
    }
    return false;
}

bool isAnswerTo(const session::Command& asked, const session::EventBody& body) {
    return std::visit([](const auto& command, const auto& told) { return isAnswer(command, told); },
                      static_cast<const session::CommandVariant&>(asked),
                      static_cast<const session::EventVariant&>(body));
}

} // namespace

RequestBase::RequestBase(EngineClient* engine, QString tag, Answers answers, QObject* parent)
    : QObject(parent), m_engine(engine), m_tag(std::move(tag)), m_answers(answers) {
    connect(engine, &EngineClient::told, this, &RequestBase::hear);
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        const auto concerns = [log](const auto& command) { return isOf(command, log); };
        if (m_asked && std::visit(concerns, static_cast<const session::CommandVariant&>(*m_asked))) {
            forget();
        }
    });
}

void RequestBase::ask(session::Command command) {
    m_asked = command;
    m_waitsFor.reset();
    m_progress = {};
    m_error.reset();
    m_hasAnswer = false;
    keep(nullptr);
    m_state = State::Waiting;
    // The end of the superseded job may arrive during send(); it must not count as the end of this one.
    m_job = 0;
    m_job = m_engine->send(std::move(command), m_tag);
    if (m_job == 0) {
        end(State::Canceled);
        return;
    }
    Q_EMIT changed();
}

void RequestBase::retry() {
    if (m_asked && !isUnderWay()) {
        ask(session::Command(*m_asked));
    }
}

void RequestBase::cancel() {
    if (m_job != 0) {
        m_engine->cancel(m_job);
    }
}

void RequestBase::forget() {
    const quint64 job = std::exchange(m_job, 0);
    m_asked.reset();
    keep(nullptr);
    if (m_state != State::Idle) {
        end(State::Idle);
    }
    if (job != 0) {
        m_engine->cancel(job);
    }
}

void RequestBase::hear(const session::Event& event) {
    if (m_job == 0 || event.job != m_job) {
        return;
    }
    const session::EventBody& body = event.body;
    if (const auto* wait = std::get_if<session::Waiting>(&body)) {
        m_waitsFor = *wait;
        Q_EMIT changed();
    } else if (std::holds_alternative<session::Started>(body)) {
        m_waitsFor.reset();
        m_state = State::Running;
        Q_EMIT changed();
    } else if (const auto* progress = std::get_if<session::Progressed>(&body)) {
        m_progress = progress->state;
        Q_EMIT progressed();
    } else if (std::holds_alternative<session::Finished>(body)) {
        if (m_hasAnswer || m_answers == Answers::Several) {
            end(State::Ready);
        } else {
            end(State::Failed,
                base::Error{.code = "view.no_answer", .message = "The engine returned no result."});
        }
    } else if (std::holds_alternative<session::Canceled>(body)) {
        // A job that was done when it was canceled still has its answer.
        end(m_hasAnswer && m_answers == Answers::One ? State::Ready : State::Canceled);
    } else if (const auto* failed = std::get_if<session::Failed>(&body)) {
        end(State::Failed, failed->error);
    } else if (!isAnswerTo(*m_asked, body)) {
        Q_EMIT told(event);
    } else if (keep(&body)) {
        m_hasAnswer = true;
        Q_EMIT answered();
    }
}

void RequestBase::end(State state, std::optional<base::Error> error) {
    m_job = 0;
    m_state = state;
    m_waitsFor.reset();
    m_progress = {};
    m_error = std::move(error);
    Q_EMIT changed();
}

} // namespace aotscope::views
