#pragma once

#include "common/request.h"
#include "session/explore/partition_snapshot.h"
#include "session/snapshots.h"

#include <QObject>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aotscope::views {

class EngineClient;
class LogList;
class SelectionHub;

/// The training step of the compile in the selection, split as a person wants it: owns their choices (per
/// joint graph, as long as its log is open), has the engine split the joint graph again whenever they change,
/// and gives the last answer to every panel. A newer choice supersedes one that is still being computed.
class CurrentPartition : public QObject {
    Q_OBJECT

public:
    CurrentPartition(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                     QObject* parent = nullptr);

    /// The joint graph of the selected compile; nothing: it has none.
    [[nodiscard]] const std::optional<session::ArtifactReference>& joint() const { return m_joint; }
    /// The last answer for it; null: none yet. While the engine computes it may be of earlier choices.
    [[nodiscard]] const session::PartitionSnapshotPtr& snapshot() const { return m_split; }
    /// Whether `partition` follows from `choices`.
    [[nodiscard]] bool isCurrent() const { return m_split && m_split->choices == choices(); }
    /// Why the joint graph could not be split with the choices; `snapshot` is then that of earlier choices.
    [[nodiscard]] const std::optional<base::Error>& error() const { return m_request.error(); }
    /// Whether the split with the choices was canceled; `snapshot` is then that of earlier choices.
    [[nodiscard]] bool wasCanceled() const { return m_request.state() == RequestBase::State::Canceled; }
    /// How it stands with the answer that follows from `choices`.
    [[nodiscard]] RequestBase* request() { return &m_request; }
    /// The same as words of a page that is shown while there is no partition.
    [[nodiscard]] RequestWords requestWords() const;

    /// Whether nodes of this graph are the joint graph's: itself and the halves, logged or made here. Its
    /// other relatives (Dynamo's graph, what a compiler made of a half) have names of their own.
    [[nodiscard]] bool concerns(const session::ArtifactReference& graph) const;

    [[nodiscard]] const session::PartitionChoices& choices() const;
    /// Nothing: no choice was made for the node.
    [[nodiscard]] std::optional<passes::Forced> choiceOf(const std::string& node) const;

    /// What a person does. Each can be taken back by undo(); the values of one drag count as one.
    void setChoices(const session::PartitionChoices& choices);
    void setBudget(double budget);
    /// The handle was let go: what comes next is another drag.
    void endDrag();
    void force(std::span<const std::string> nodes, passes::Forced choice);
    /// Takes the choices for these nodes back, whenever they were made.
    void release(std::span<const std::string> nodes);
    void releaseAll();
    [[nodiscard]] bool canUndo() const;
    void undo();

    /// Nodes of the joint graph that lie in a module, those of modules inside it too.
    [[nodiscard]] std::vector<std::string> nodesOfModule(const std::string& module) const;
    /// Those of `nodes` that a choice can be made for: the forward's, which the backward may read.
    [[nodiscard]] std::vector<std::string> choosable(std::span<const std::string> nodes) const;

    /// Asks what the other way would be for a node; alternativeChanged follows.
    void findAlternative(const std::string& node);
    /// Of the partition that is shown; null: not asked, or not answered yet.
    [[nodiscard]] session::NodeAlternativeSnapshotPtr alternativeOf(const std::string& node) const;

    /// Of the commands sent here, whose failures are told here.
    [[nodiscard]] static QString tag() { return QStringLiteral("partition"); }

Q_SIGNALS:
    /// Another joint graph; `snapshot` is null until partitionChanged.
    void jointChanged();
    void choicesChanged();
    /// A new answer, or the end without one.
    void partitionChanged();
    void alternativeChanged();

private:
    struct Decisions {
        session::PartitionChoices now;
        std::vector<session::PartitionChoices> before;
        bool dragging = false;
    };
    [[nodiscard]] Decisions* tryDecisions();
    void follow();
    [[nodiscard]] std::size_t recordsOfJoint() const;
    void change(session::PartitionChoices choices, bool drag);
    void send();

    SelectionHub* m_selection;
    const LogList* m_logs;
    std::optional<session::ArtifactReference> m_joint;
    std::map<session::ArtifactReference, Decisions> m_decisions;
    session::PartitionSnapshotPtr m_split;
    session::NodeAlternativeSnapshotPtr m_alternative;
    Request<session::PartitionSnapshotPtr> m_request;
    Request<session::NodeAlternativeSnapshotPtr> m_alternativeRequest;
    /// Of the joint graph's compile when the partition was asked for: its halves may still be written.
    std::size_t m_records = 0;
};

} // namespace aotscope::views
