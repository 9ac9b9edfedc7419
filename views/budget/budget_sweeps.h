#pragma once

#include "common/request.h"
#include "contract/partition_snapshot.h"

#include <QObject>

#include <cstddef>
#include <deque>
#include <optional>

namespace aotscope::views {

class EngineClient;
class LogList;

/// Budget sweeps, requested from the engine once per joint graph, choices and number of budgets. A newer
/// question supersedes one in progress. Answers are kept while their log is open.
class BudgetSweeps : public QObject {
    Q_OBJECT

public:
    struct Question {
        session::ArtifactReference joint;
        session::PartitionChoices choices;
        std::size_t steps = 0;
        friend bool operator==(const Question&, const Question&) = default;
    };

    BudgetSweeps(EngineClient* engine, const LogList* logs, QObject* parent = nullptr);

    /// The part of the choices that a sweep depends on, without budget and partitioner.
    [[nodiscard]] static Question question(const session::ArtifactReference& joint,
                                           const session::PartitionChoices& choices, std::size_t steps);

    /// Requests an answer unless there is one, or it is already requested.
    void ask(const Question& question);
    /// Cancels the request in progress; it is not repeated until ask() is called again.
    void cancel();
    /// Forgets the question and the request in progress, as if there had been none.
    void leave();

    /// Null if the question was never sent or has no answer yet.
    [[nodiscard]] session::BudgetSweepSnapshotPtr answerTo(const Question& question) const;
    [[nodiscard]] bool running() const { return m_request.isUnderWay(); }
    /// Number of budgets done and in total; 0 of 0 before the engine reports.
    [[nodiscard]] const base::ProgressState& progress() const { return m_request.progress(); }
    /// Whether the question was canceled or failed; ask() asks it again.
    [[nodiscard]] bool gaveUp(const Question& question) const;
    /// Why the last request failed; nothing if it did not.
    [[nodiscard]] const std::optional<base::Error>& error() const { return m_request.error(); }

    /// The tag of the commands sent here. Their failures are shown in the panel.
    [[nodiscard]] static QString tag() { return QStringLiteral("budgets"); }

Q_SIGNALS:
    /// An answer arrived, or the request ended without one.
    void changed();
    void progressed();

private:
    void forget(quint32 log);

    std::deque<session::BudgetSweepSnapshotPtr> m_answers;
    std::optional<Question> m_asked;
    Request<session::BudgetSweepSnapshotPtr> m_request;
};

} // namespace aotscope::views
