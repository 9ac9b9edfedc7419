#pragma once

#include "common/request.h"
#include "session/explore/partition_snapshot.h"

#include <QObject>

#include <cstddef>
#include <deque>
#include <optional>

namespace aotscope::views {

class EngineClient;
class LogList;

/// What the budgets of a joint graph lead to, asked of the engine once per joint graph, choices and number of
/// steps; a newer question supersedes one that is still being answered. Answers are kept while their log is
/// open.
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

    /// The choices' own budget and partitioner make no difference to a sweep, and none to the question.
    [[nodiscard]] static Question question(const session::ArtifactReference& joint,
                                           const session::PartitionChoices& choices, std::size_t steps);

    /// Has it answered, unless it is, or is about to be.
    void ask(const Question& question);
    /// Gives up what was asked last, and does not ask it by itself again.
    void cancel();
    /// The same, as if it had not been asked.
    void leave();

    /// Null: not asked, or not answered yet.
    [[nodiscard]] session::BudgetSweepSnapshotPtr answerTo(const Question& question) const;
    [[nodiscard]] bool running() const { return m_request.isUnderWay(); }
    /// Of the budgets that are being tried, how many are done; 0 of 0: not told yet.
    [[nodiscard]] const base::ProgressState& progress() const { return m_request.progress(); }
    /// Whether the question was given up, by a person or because it failed; ask() asks it anew.
    [[nodiscard]] bool gaveUp(const Question& question) const;
    /// Why it failed; nothing: it did not.
    [[nodiscard]] const std::optional<base::Error>& error() const { return m_request.error(); }

    /// Of the commands sent here, whose failures are told here.
    [[nodiscard]] static QString tag() { return QStringLiteral("budgets"); }

Q_SIGNALS:
    /// An answer, or the end without one.
    void changed();
    void progressed();

private:
    void forget(quint32 log);

    std::deque<session::BudgetSweepSnapshotPtr> m_answers;
    std::optional<Question> m_asked;
    Request<session::BudgetSweepSnapshotPtr> m_request;
};

} // namespace aotscope::views
