#include "budget/budget_sweeps.h"

#include "common/engine_client.h"
#include "common/log_list.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

/// A person goes to and fro between a few choices; each answer is a few kilobytes.
constexpr std::size_t keptAnswers = 64;

BudgetSweeps::Question questionOf(const session::BudgetSweepSnapshot& sweep) {
    return BudgetSweeps::question(sweep.joint, sweep.choices, sweep.points.size() - 1);
}

} // namespace

BudgetSweeps::BudgetSweeps(EngineClient* engine, const LogList* logs, QObject* parent)
    : QObject(parent), m_engine(engine) {
    connect(engine, &EngineClient::budgetsReady, this,
            [this](const session::BudgetSweepSnapshotPtr& sweep, const QString& tag) {
                if (m_asked && tag == BudgetSweeps::tag() && questionOf(*sweep) == *m_asked) {
                    m_answers.push_back(sweep);
                    if (m_answers.size() > keptAnswers) {
                        m_answers.pop_front();
                    }
                }
            });
    connect(engine, &EngineClient::progressed, this,
            [this](quint64 job, const QString&, const base::ProgressState& state) {
                if (job == m_job) {
                    m_progress = {state.done, state.total};
                    Q_EMIT progressed();
                }
            });
    connect(engine, &EngineClient::finished, this, [this](quint64 job) {
        if (job == m_job) {
            end(std::nullopt);
        }
    });
    connect(engine, &EngineClient::canceled, this, [this](quint64 job) {
        if (job == m_job) {
            m_gaveUp = true;
            end(std::nullopt);
        }
    });
    connect(engine, &EngineClient::failed, this,
            [this](quint64 job, const QString&, const base::Error& error) {
                if (job == m_job) {
                    m_gaveUp = true;
                    end(error);
                }
            });
    connect(logs, &LogList::changed, this, [this](const session::LogSnapshotPtr& log) { forget(log->log); });
    connect(logs, &LogList::closed, this, &BudgetSweeps::forget);
}

BudgetSweeps::Question BudgetSweeps::question(const session::ArtifactReference& joint,
                                              const session::StepChoices& choices, std::size_t steps) {
    Question question{joint, choices, steps};
    question.choices.memoryBudget = 1.0;
    question.choices.partitioner = passes::Partitioner::MinCut;
    return question;
}

void BudgetSweeps::ask(const Question& question) {
    if (answerTo(question) || (running() && m_asked == question)) {
        return;
    }
    m_asked = question;
    m_gaveUp = false;
    m_error.reset();
    m_progress = {};
    // The end of a superseded job may be told at once: it is not this one's.
    m_job = 0;
    m_job = m_engine->send(session::SweepBudgets{question.joint, question.choices, question.steps}, tag());
    Q_EMIT progressed();
}

void BudgetSweeps::cancel() {
    if (running()) {
        m_engine->cancel(m_job);
    }
}

session::BudgetSweepSnapshotPtr BudgetSweeps::answerTo(const Question& question) const {
    const auto found = std::ranges::find_if(m_answers, [&](const session::BudgetSweepSnapshotPtr& sweep) {
        return questionOf(*sweep) == question;
    });
    return found == m_answers.end() ? nullptr : *found;
}

bool BudgetSweeps::gaveUp(const Question& question) const {
    return m_gaveUp && m_asked == question;
}

void BudgetSweeps::end(const std::optional<base::Error>& error) {
    m_job = 0;
    m_error = error;
    Q_EMIT changed();
}

/// What is being swept may be another file by now.
void BudgetSweeps::forget(quint32 log) {
    if (m_asked && m_asked->joint.log == log) {
        m_asked.reset();
        m_gaveUp = false;
        m_error.reset();
        if (const quint64 job = std::exchange(m_job, 0)) {
            m_engine->cancel(job);
        }
    }
    std::erase_if(m_answers,
                  [log](const session::BudgetSweepSnapshotPtr& sweep) { return sweep->joint.log == log; });
    Q_EMIT changed();
}

} // namespace aotscope::views
