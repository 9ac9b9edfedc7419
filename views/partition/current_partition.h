#pragma once

#include "common/request.h"
#include "contract/partition_snapshot.h"
#include "contract/snapshots.h"

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
class CompileSettings;

/// The selected compile's joint graph, partitioned with a person's choices. Owns the choices (per joint
/// graph, as long as its log is open), requests a new partition when they change, and hands the last answer
/// to all panels. A newer choice supersedes one in progress.
class CurrentPartition : public QObject {
    Q_OBJECT

public:
    CurrentPartition(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                     const CompileSettings* settings, QObject* parent = nullptr);

    /// The joint graph of the selected compile; nothing if it has none.
    [[nodiscard]] const std::optional<session::ArtifactReference>& joint() const { return m_joint; }
    /// The last answer; null before the first. While the engine computes it may be of earlier choices.
    [[nodiscard]] const session::PartitionSnapshotPtr& snapshot() const { return m_split; }
    /// Whether `snapshot` is a partition with the current choices.
    [[nodiscard]] bool isCurrent() const { return m_split && m_split->choices == choices(); }
    /// Why the last request failed; `snapshot` is then of earlier choices.
    [[nodiscard]] const std::optional<base::Error>& error() const { return m_request.error(); }
    /// Whether the last request was canceled; `snapshot` is then of earlier choices.
    [[nodiscard]] bool wasCanceled() const { return m_request.state() == RequestBase::State::Canceled; }
    /// The request for the current choices.
    [[nodiscard]] RequestBase* request() { return &m_request; }
    /// Texts for the page that shows its state while there is no partition.
    [[nodiscard]] RequestWords requestWords() const;

    /// Whether this graph shares node names with the joint graph: itself and its halves, from the log or from
    /// here. Other graphs of the compile (Dynamo's, a backend's version of a half) have other names.
    [[nodiscard]] bool concerns(const session::ArtifactReference& graph) const;

    /// With the window's compile settings, which are no action of the ones below.
    [[nodiscard]] const session::PartitionChoices& choices() const;
    /// The chosen budget, else that of the program's own configuration.
    [[nodiscard]] double budget() const;
    /// Nothing if there is no choice for the node.
    [[nodiscard]] std::optional<passes::Forced> choiceOf(const std::string& node) const;

    /// Actions of a person. undo() takes back one action; all values of one drag count as one.
    void setChoices(const session::PartitionChoices& choices);
    void setBudget(double budget);
    /// The handle was released, or a text was left: the next value belongs to another drag.
    void endDrag();
    void force(std::span<const std::string> nodes, passes::Forced choice);
    /// Removes the choices for these nodes.
    void release(std::span<const std::string> nodes);
    void releaseAll();
    /// Nothing: the saved-tensors hooks that were traced with the program, if any.
    void setHooks(std::optional<hooks::HookPlan> plan);
    /// While a person types a hook's text. All plans until endDrag() count as one action.
    void typeHooks(hooks::HookPlan plan);
    [[nodiscard]] bool canUndo() const;
    void undo();

    /// Nodes of the joint graph in a module or a module inside it.
    [[nodiscard]] std::vector<std::string> nodesOfModule(const std::string& module) const;
    /// The nodes among `nodes` that can be chosen: those of the forward that the backward may use.
    [[nodiscard]] std::vector<std::string> choosable(std::span<const std::string> nodes) const;

    /// Requests the alternative for a node; alternativeChanged follows.
    void findAlternative(const std::string& node);
    /// For the shown partition; null if it was not requested or has not arrived.
    [[nodiscard]] session::NodeAlternativeSnapshotPtr alternativeOf(const std::string& node) const;

    /// The tag of the commands sent here. Their failures are shown where the partition is.
    [[nodiscard]] static QString tag() { return QStringLiteral("partition"); }

Q_SIGNALS:
    /// Another joint graph is selected; `snapshot` is null until partitionChanged.
    void jointChanged();
    void choicesChanged();
    /// An answer arrived, or the request ended without one.
    void partitionChanged();
    void alternativeChanged();

private:
    /// That of the program's own configuration.
    [[nodiscard]] double ownBudget() const;
    struct Decisions {
        /// Without the window's compile settings.
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
    const CompileSettings* m_settings;
    /// What choices() returns.
    mutable session::PartitionChoices m_choices;
    std::optional<session::ArtifactReference> m_joint;
    std::map<session::ArtifactReference, Decisions> m_decisions;
    session::PartitionSnapshotPtr m_split;
    session::NodeAlternativeSnapshotPtr m_alternative;
    Request<session::PartitionSnapshotPtr> m_request;
    Request<session::NodeAlternativeSnapshotPtr> m_alternativeRequest;
    /// Number of records of the compile at the request: its halves may still be written to the log.
    std::size_t m_records = 0;
};

} // namespace aotscope::views
