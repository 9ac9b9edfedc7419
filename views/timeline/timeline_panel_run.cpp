// Profiled runs and open traces for TimelinePanel.
#include "timeline/timeline_panel.h"

#include "common/current_graph.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "files/logged_partitions.h"
#include "timeline/timeline_canvas.h"

#include <QComboBox>
#include <QPushButton>

#include <algorithm>

namespace aotscope::views {

namespace {

constexpr std::size_t mostKept = 12;

} // namespace

void TimelinePanel::connectRuns() {
    connect(m_profile, &QPushButton::clicked, this, &TimelinePanel::profileSelected);
    connect(&m_run, &RequestBase::answered, this, [this] {
        const session::RunSnapshotPtr run = m_run.takeAnswer();
        if (run->profile) {
            takeRun(run->profile, {run->graph->reference});
        }
    });
    connect(&m_step, &RequestBase::answered, this, [this] {
        const session::TrainingStepSnapshotPtr step = m_step.takeAnswer();
        if (step->profile) {
            takeRun(step->profile, {step->forward->graph->reference, step->backward->graph->reference});
        }
    });
    connect(&m_match, &RequestBase::answered, this, [this] {
        const session::ProfileSnapshotPtr matched = m_match.takeAnswer();
        const auto entry = std::ranges::find(m_entries, std::optional<quint32>(matched->log), &Entry::trace);
        if (entry == m_entries.end()) {
            return;
        }
        entry->profile = matched->profile;
        entry->graphs.clear();
        for (const session::GraphSnapshotPtr& graph : matched->profile->graphs) {
            entry->graphs.push_back(graph->reference);
        }
        if (m_current && entry == m_entries.begin() + std::ptrdiff_t(*m_current)) {
            makeScene(entry->profile);
            showPage();
        }
    });
    for (RequestBase* request : {static_cast<RequestBase*>(&m_run), static_cast<RequestBase*>(&m_step),
                                 static_cast<RequestBase*>(&m_match)}) {
        connect(request, &RequestBase::changed, this, &TimelinePanel::showPage);
    }
    connect(m_context.logs, &LogList::changed, this, &TimelinePanel::takeLog);
    connect(m_context.logs, &LogList::closed, this, &TimelinePanel::dropLog);
    connect(m_context.selection, &SelectionHub::selectionChanged, this, &TimelinePanel::followRunnable);
    connect(m_context.graph, &CurrentGraph::graphChanged, this, &TimelinePanel::followRunnable);
}

/// The request of the last run.
RequestBase* TimelinePanel::runRequest() {
    const bool isStep = m_step.isUnderWay() || m_step.gaveUp();
    return isStep ? static_cast<RequestBase*>(&m_step) : static_cast<RequestBase*>(&m_run);
}

void TimelinePanel::refreshButton() {
    const bool underWay = m_run.isUnderWay() || m_step.isUnderWay();
    m_profile->setText(underWay                             ? tr("Profiling …")
                       : m_runnable && m_runnable->backward ? tr("Profile this step")
                                                            : tr("Profile this graph"));
    m_profile->setEnabled(m_runnable && !underWay);
    m_profile->setToolTip(
        !m_runnable ? tr("Select a graph that can run: a joint, forward, backward or inference graph")
        : m_runnable->backward
            ? tr("Run forward and backward on synthetic inputs under LibTorch's profiler (Shift+F5 stops it)")
            : tr("Run the graph on synthetic inputs under LibTorch's profiler (Shift+F5 stops it)"));
    Q_EMIT runnableChanged();
}

std::optional<TimelinePanel::Runnable>
TimelinePanel::runnableOf(const session::ArtifactReference& reference) const {
    const session::LogSnapshotPtr log = m_context.logs->tryLog(reference.log);
    const auto index = m_context.logs->tryIndex(reference);
    if (!log || !index) {
        return std::nullopt;
    }
    const auto joint = session::jointGraphOf(*log, reference);
    if (joint) {
        for (const session::LoggedPartition& logged :
             session::loggedPartitions(*log, *index, reference.compile)) {
            if (logged.joint == *joint && logged.forward && logged.backward) {
                return Runnable{logged.hookedForward.value_or(*logged.forward),
                                logged.hookedBackward.value_or(*logged.backward)};
            }
        }
    }
    const auto artifact = m_context.logs->tryArtifact(reference);
    return artifact && artifact->isGraph ? std::optional(Runnable{reference, std::nullopt}) : std::nullopt;
}

/// The halves and inference graphs of a compile.
std::vector<session::ArtifactReference>
TimelinePanel::graphsThatRan(const session::ArtifactReference& reference) const {
    std::vector<session::ArtifactReference> graphs;
    const session::LogSnapshotPtr log = m_context.logs->tryLog(reference.log);
    const auto index = m_context.logs->tryIndex(reference);
    if (!log || !index) {
        return graphs;
    }
    for (const session::LoggedPartition& logged :
         session::loggedPartitions(*log, *index, reference.compile)) {
        if (logged.forward && logged.backward) {
            graphs.push_back(logged.hookedForward.value_or(*logged.forward));
            graphs.push_back(logged.hookedBackward.value_or(*logged.backward));
        }
    }
    if (!graphs.empty()) {
        return graphs;
    }
    const session::ArtifactReference best = m_context.logs->bestArtifact(reference.log, *index);
    const auto artifact = m_context.logs->tryArtifact(best);
    if (artifact && artifact->isGraph) {
        graphs.push_back(best);
    }
    return graphs;
}

void TimelinePanel::followRunnable() {
    const auto& selected = m_context.selection->current();
    m_runnable = selected ? runnableOf(selected->artifact) : std::nullopt;
    if (selected && m_context.logs->tryIndex(selected->artifact)) {
        session::ArtifactReference compile = selected->artifact;
        compile.artifact.clear();
        compile.subgraph.clear();
        if (m_lastCompile != compile) {
            m_lastCompile = compile;
            if (m_current && m_entries[*m_current].trace) {
                matchTrace();
            }
        }
    }
    refreshButton();
}

void TimelinePanel::profileSelected() {
    if (!m_runnable || m_run.isUnderWay() || m_step.isUnderWay()) {
        return;
    }
    session::RunOptions options;
    options.statistics = false;
    options.profile = true;
    m_run.forget();
    m_step.forget();
    if (m_runnable->backward) {
        m_step.ask(session::RunTrainingStep{m_runnable->forward, *m_runnable->backward, options});
    } else {
        m_run.ask(session::RunGraph{m_runnable->forward, options});
    }
    showPage();
}

void TimelinePanel::takeRun(const session::ProfilePtr& profile,
                            std::vector<session::ArtifactReference> graphs) {
    Entry entry;
    entry.title = m_context.logs->textOf(graphs.front());
    if (graphs.size() > 1) {
        entry.title += tr(" and %1").arg(artifactTitle(graphs[1].artifact).toLower());
    }
    entry.profile = profile;
    entry.graphs = std::move(graphs);
    std::erase_if(m_entries, [&](const Entry& old) { return !old.trace && old.graphs == entry.graphs; });
    m_entries.insert(m_entries.begin(), std::move(entry));
    if (m_entries.size() > mostKept) {
        const auto oldest =
            std::find_if(m_entries.rbegin(), m_entries.rend(), [](const Entry& old) { return !old.trace; });
        m_entries.erase(std::next(oldest).base());
    }
    refreshChoice();
    showEntry(0);
}

void TimelinePanel::takeLog(const session::LogSnapshotPtr& log) {
    if (!log->timeline()) {
        return;
    }
    const auto known = std::ranges::find(m_entries, std::optional<quint32>(log->log), &Entry::trace);
    if (known != m_entries.end()) {
        m_entries.erase(known); // Opened again: the file may have changed.
    }
    Entry entry;
    entry.title = titleOf(*log);
    entry.trace = log->log;
    m_entries.insert(m_entries.begin(), std::move(entry));
    refreshChoice();
    showEntry(0);
    Q_EMIT traceOpened();
}

/// Asks for the shown trace beside the graphs of the last selected compile, unless that was answered.
void TimelinePanel::matchTrace() {
    const Entry& entry = m_entries[*m_current];
    const auto graphs =
        m_lastCompile ? graphsThatRan(*m_lastCompile) : std::vector<session::ArtifactReference>();
    if (entry.profile && entry.graphs == graphs) {
        return;
    }
    m_match.ask(session::MatchTimeline{*entry.trace, graphs});
}

void TimelinePanel::dropLog(quint32 log) {
    const session::ProfilePtr shown = profile();
    if (m_lastCompile && m_lastCompile->log == log) {
        m_lastCompile.reset();
    }
    std::erase_if(m_entries, [log](const Entry& entry) {
        return entry.trace == std::optional<quint32>(log) ||
               (!entry.trace &&
                std::ranges::any_of(entry.graphs, [log](const auto& graph) { return graph.log == log; }));
    });
    // A trace that was matched with the closed log's graphs is matched anew when it is shown.
    for (Entry& entry : m_entries) {
        if (std::ranges::any_of(entry.graphs, [log](const auto& graph) { return graph.log == log; })) {
            entry.profile = nullptr;
            entry.graphs.clear();
        }
    }
    const auto still = std::ranges::find_if(
        m_entries, [&](const Entry& entry) { return entry.profile && entry.profile == shown; });
    m_current.reset();
    if (still != m_entries.end()) {
        m_current = std::size_t(still - m_entries.begin());
        refreshChoice();
        return;
    }
    m_scene = nullptr;
    m_searching.forget();
    m_hits.clear();
    m_canvas->setScene(nullptr);
    refreshChoice();
    if (!m_entries.empty()) {
        showEntry(0);
    } else {
        refreshDetails();
        showPage();
    }
}

} // namespace aotscope::views
