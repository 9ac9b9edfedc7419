#include "budget/budget_sweeps.h"

#include "common/log_list.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

/// People switch between few choices, and each answer has only a few kilobytes.
constexpr std::size_t keptAnswers = 64;

BudgetSweeps::Question questionOf(const session::BudgetSweepSnapshot& sweep) {
    return BudgetSweeps::question(sweep.joint, sweep.choices, sweep.points.size() - 1);
}

} // namespace

BudgetSweeps::BudgetSweeps(EngineClient* engine, const LogList* logs, QObject* parent)
    : QObject(parent), m_request(engine, tag()) {
    connect(&m_request, &RequestBase::answered, this, [this] {
        m_answers.push_back(m_request.takeAnswer());
        if (m_answers.size() > keptAnswers) {
            m_answers.pop_front();
        }
    });
    connect(&m_request, &RequestBase::progressed, this, &BudgetSweeps::progressed);
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (m_request.isUnderWay()) {
            Q_EMIT progressed();
        } else {
            Q_EMIT changed();
        }
    });
    connect(logs, &LogList::changed, this, [this](const session::LogSnapshotPtr& log) { forget(log->log); });
    connect(logs, &LogList::closed, this, &BudgetSweeps::forget);
}

BudgetSweeps::Question BudgetSweeps::question(const session::ArtifactReference& joint,
                                              const session::PartitionChoices& choices, std::size_t steps) {
    Question question{joint, choices, steps};
    question.choices.memoryBudget.reset();
    question.choices.partitioner = passes::Partitioner::MinCut;
    return question;
}

void BudgetSweeps::ask(const Question& question) {
    if (answerTo(question) || (running() && m_asked == question)) {
        return;
    }
    m_asked = question;
    m_request.ask(session::SweepBudgets{question.joint, question.choices, question.steps});
}

void BudgetSweeps::cancel() {
    m_request.cancel();
}

void BudgetSweeps::leave() {
    m_asked.reset();
    m_request.forget();
}

session::BudgetSweepSnapshotPtr BudgetSweeps::answerTo(const Question& question) const {
    const auto found = std::ranges::find_if(m_answers, [&](const session::BudgetSweepSnapshotPtr& sweep) {
        return questionOf(*sweep) == question;
    });
    return found == m_answers.end() ? nullptr : *found;
}

bool BudgetSweeps::gaveUp(const Question& question) const {
    return m_request.gaveUp() && m_asked == question;
}

/// The running sweep may be of a file that has been replaced.
void BudgetSweeps::forget(quint32 log) {
    std::erase_if(m_answers,
                  [log](const session::BudgetSweepSnapshotPtr& sweep) { return sweep->joint.log == log; });
    if (m_asked && m_asked->joint.log == log) {
        leave();
    }
    Q_EMIT changed();
}

} // namespace aotscope::views
