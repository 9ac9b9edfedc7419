#include "partition/current_partition.h"

#include "common/compile_settings.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "files/logged_partitions.h"
#include "load/graph_kind.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace aotscope::views {

namespace {

/// For a stage of a re-trace with a joint graph: the logged joint graph, else the traced one.
std::optional<session::ArtifactReference> jointOfStage(const session::RetraceSnapshotPtr& stages,
                                                       const session::ArtifactReference& graph) {
    if (!stages || !session::stageOf(*stages, graph)) {
        return std::nullopt;
    }
    for (const session::GraphSnapshotPtr& each : {stages->logged, stages->made}) {
        if (each && each->joint) {
            return each->reference;
        }
    }
    return std::nullopt;
}

/// Adds choices at the end; earlier choices for the same nodes are removed.
void addChoices(session::PartitionChoices& choices, std::span<const std::string> nodes,
                std::optional<passes::Forced> choice) {
    const std::unordered_set<std::string_view> named(nodes.begin(), nodes.end());
    std::erase_if(choices.nodes, [&](const passes::NodeChoice& old) { return named.contains(old.node); });
    if (choice) {
        for (const std::string& node : nodes) {
            choices.nodes.push_back({node, *choice});
        }
    }
}

} // namespace

CurrentPartition::CurrentPartition(EngineClient* engine, SelectionHub* selection, const LogList* logs,
                                   const CompileSettings* settings, QObject* parent)
    : QObject(parent),
      m_selection(selection),
      m_logs(logs),
      m_settings(settings),
      m_request(engine, tag()),
      m_alternativeRequest(engine, QStringLiteral("alternative")) {
    connect(selection, &SelectionHub::selectionChanged, this, &CurrentPartition::follow);
    connect(settings, &CompileSettings::changed, this, [this] {
        Q_EMIT choicesChanged();
        send();
    });
    connect(logs, &LogList::changed, this, [this](const session::LogSnapshotPtr& log) {
        const bool isOfJoint = m_joint && m_joint->log == log->log && log->complete;
        if (isOfJoint && recordsOfJoint() != m_records) {
            send();
        } else if (!isOfJoint) {
            follow();
        }
    });
    connect(logs, &LogList::closed, this, [this](quint32 log) {
        std::erase_if(m_decisions, [log](const auto& entry) { return entry.first.log == log; });
        follow();
    });
    connect(&m_request, &RequestBase::answered, this, [this] {
        m_split = m_request.takeAnswer();
        m_alternative = nullptr;
        m_alternativeRequest.forget();
        Q_EMIT partitionChanged();
    });
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (m_request.gaveUp()) {
            Q_EMIT partitionChanged();
        }
    });
    connect(&m_alternativeRequest, &RequestBase::answered, this, [this] {
        m_alternative = m_alternativeRequest.takeAnswer();
        Q_EMIT alternativeChanged();
    });
    follow();
}

const session::PartitionChoices& CurrentPartition::choices() const {
    const auto found = m_joint ? m_decisions.find(*m_joint) : m_decisions.end();
    m_choices = found == m_decisions.end() ? session::PartitionChoices() : found->second.now;
    m_choices.torch = m_settings->torch();
    m_choices.config = m_settings->options();
    return m_choices;
}

CurrentPartition::Decisions* CurrentPartition::tryDecisions() {
    return m_joint ? &m_decisions[*m_joint] : nullptr;
}

double CurrentPartition::budget() const {
    return choices().memoryBudget.value_or(ownBudget());
}

double CurrentPartition::ownBudget() const {
    if (!m_split) {
        return 1.0;
    }
    // A partition with a chosen budget does not have the program's own budget in its options.
    return m_split->choices.memoryBudget ? m_split->config.activationMemoryBudget
                                         : m_split->options.memoryBudget;
}

std::optional<passes::Forced> CurrentPartition::choiceOf(const std::string& node) const {
    const auto& nodes = choices().nodes;
    const auto found = std::ranges::find(nodes, node, &passes::NodeChoice::node);
    return found == nodes.end() ? std::nullopt : std::optional(found->choice);
}

bool CurrentPartition::concerns(const session::ArtifactReference& graph) const {
    if (!m_joint || !graph.subgraph.empty()) {
        return false;
    }
    if (graph == *m_joint) {
        return true;
    }
    const bool sameCompile =
        graph.log == m_joint->log && graph.compile == m_joint->compile && graph.rank == m_joint->rank;
    if (!sameCompile) {
        return false;
    }
    const std::optional<load::GraphKind> kind = load::tryGraphKind(graph.artifact);
    return kind == load::GraphKind::Forward || kind == load::GraphKind::Backward;
}

void CurrentPartition::setChoices(const session::PartitionChoices& choices) {
    change(choices, false);
}

void CurrentPartition::setBudget(double budget) {
    session::PartitionChoices next = choices();
    next.memoryBudget = budget;
    change(std::move(next), true);
}

void CurrentPartition::endDrag() {
    Decisions* const decisions = tryDecisions();
    if (!decisions || !std::exchange(decisions->dragging, false)) {
        return;
    }
    session::PartitionChoices ended = decisions->now;
    if (!decisions->before.back().memoryBudget && ended.memoryBudget == ownBudget()) {
        ended.memoryBudget.reset();
    }
    if (decisions->before.back() == ended) {
        // The drag ended where it began, so there is nothing to undo.
        decisions->now = std::move(ended);
        decisions->before.pop_back();
        Q_EMIT choicesChanged();
        send();
    }
}

void CurrentPartition::force(std::span<const std::string> nodes, passes::Forced choice) {
    session::PartitionChoices next = choices();
    addChoices(next, nodes, choice);
    change(std::move(next), false);
}

void CurrentPartition::release(std::span<const std::string> nodes) {
    session::PartitionChoices next = choices();
    addChoices(next, nodes, std::nullopt);
    change(std::move(next), false);
}

void CurrentPartition::releaseAll() {
    session::PartitionChoices next = choices();
    next.nodes.clear();
    change(std::move(next), false);
}

void CurrentPartition::setHooks(std::optional<hooks::HookPlan> plan) {
    session::PartitionChoices next = choices();
    next.hooks = std::move(plan);
    change(std::move(next), false);
}

void CurrentPartition::typeHooks(hooks::HookPlan plan) {
    session::PartitionChoices next = choices();
    next.hooks = std::move(plan);
    change(std::move(next), true);
}

bool CurrentPartition::canUndo() const {
    const auto found = m_joint ? m_decisions.find(*m_joint) : m_decisions.end();
    return found != m_decisions.end() && !found->second.before.empty();
}

void CurrentPartition::undo() {
    if (canUndo()) {
        Decisions& decisions = *tryDecisions();
        decisions.now = std::move(decisions.before.back());
        decisions.before.pop_back();
        decisions.dragging = false;
        Q_EMIT choicesChanged();
        send();
    }
}

void CurrentPartition::change(session::PartitionChoices choices, bool drag) {
    Decisions* const decisions = tryDecisions();
    choices.torch.reset();
    choices.config.clear();
    if (!decisions || choices == decisions->now) {
        return;
    }
    if (!drag || !decisions->dragging) {
        decisions->before.push_back(decisions->now);
    }
    decisions->dragging = drag;
    decisions->now = std::move(choices);
    Q_EMIT choicesChanged();
    send();
}

std::vector<std::string> CurrentPartition::nodesOfModule(const std::string& module) const {
    std::vector<std::string> names;
    if (!m_split || module.empty()) {
        return names;
    }
    const session::GraphSnapshot& joint = *m_split->joint;
    for (const ir::NodeId id : joint.graph->order()) {
        const std::string& path = joint.modules.ofNode[id.index()].path;
        const bool inside =
            path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
        if (inside) {
            names.push_back(joint.graph->node(id).name);
        }
    }
    return names;
}

std::vector<std::string> CurrentPartition::choosable(std::span<const std::string> nodes) const {
    std::vector<std::string> names;
    if (!m_split) {
        return names;
    }
    const passes::Partition& partition = *m_split->partition;
    for (const std::string& name : nodes) {
        const auto id = partition.joint->tryFind(name);
        if (!id || partition.joint->node(*id).op != ir::Opcode::CallFunction) {
            continue;
        }
        if (partition.report.nodes[id->index()].side == passes::NodeSide::RequiredForward) {
            names.push_back(name);
        }
    }
    return names;
}

void CurrentPartition::findAlternative(const std::string& node) {
    if (m_split && isCurrent()) {
        m_alternativeRequest.ask(session::FindAlternative{*m_joint, m_split->choices, node});
    }
}

session::NodeAlternativeSnapshotPtr CurrentPartition::alternativeOf(const std::string& node) const {
    return m_alternative && m_alternative->node == node ? m_alternative : nullptr;
}

void CurrentPartition::follow() {
    const std::optional<session::Selection>& selected = m_selection->current();
    const session::LogSnapshotPtr log = selected ? m_logs->tryLog(selected->artifact.log) : nullptr;
    std::optional<session::ArtifactReference> joint =
        log ? session::jointGraphOf(*log, selected->artifact) : std::nullopt;
    if (log && !joint) {
        joint = jointOfStage(m_selection->stages(), selected->artifact);
    }
    if (joint == m_joint) {
        return;
    }
    if (const auto left = m_joint ? m_decisions.find(*m_joint) : m_decisions.end();
        left != m_decisions.end()) {
        left->second.dragging = false;
    }
    m_joint = std::move(joint);
    m_split = nullptr;
    m_alternative = nullptr;
    m_alternativeRequest.forget();
    m_request.forget();
    Q_EMIT jointChanged();
    Q_EMIT choicesChanged();
    Q_EMIT partitionChanged();
    send();
}

std::size_t CurrentPartition::recordsOfJoint() const {
    const load::Compile* compile = m_joint ? m_logs->tryCompile(*m_joint) : nullptr;
    return compile ? compile->records.size() : 0;
}

void CurrentPartition::send() {
    m_records = recordsOfJoint();
    if (m_joint) {
        m_request.ask(session::PartitionJoint{*m_joint, choices()});
    }
}

RequestWords CurrentPartition::requestWords() const {
    const QString what = m_joint ? referenceText(*m_joint) : QString();
    return {.running = tr("Splitting %1 …").arg(what),
            .canceled = tr("Splitting %1 was canceled").arg(what),
            .failed = tr("%1 cannot be split").arg(what)};
}

} // namespace aotscope::views
