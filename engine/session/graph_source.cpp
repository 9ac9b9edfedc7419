#include "session/graph_source.h"

#include "files/graph_snapshot.h"
#include "files/logged_config.h"
#include "layout/stages.h"

#include "base/text_diff.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

namespace {

base::Error notParsed(const GraphSnapshot& graph) {
    base::Error error =
        graph.error.value_or(base::Error{.code = "session.no_graph", .message = "There is no graph."});
    error.notes.insert(error.notes.begin(), "The command needs " + graph.reference.artifact + " of compile " +
                                                idText(graph.reference) + ".");
    return error;
}

/// People switch between few groupings.
constexpr std::size_t mostLayouts = 3;

base::Result<std::vector<layout::LayoutPtr>>
makeLayouts(const RetraceSnapshot& traced, const layout::LayoutOptions& options, base::Progress progress) {
    std::vector<layout::Stage> shown;
    for (const RetraceStage& stage : traced.stages) {
        if (stage.graph) {
            shown.push_back({stage.graph->graph, stage.graph->modules,
                             stage.diff ? stage.diff->partnerOfRight : std::vector<ir::NodeId>()});
        }
    }
    AOTSCOPE_TRY(made, layout::layOutStages(shown, options, std::move(progress)));
    std::vector<layout::LayoutPtr> layouts;
    auto next = made.begin();
    for (const RetraceStage& stage : traced.stages) {
        layouts.push_back(stage.graph ? *next++ : nullptr);
    }
    return layouts;
}

} // namespace

GraphSnapshotPtr GraphSource::tryKnown(const ArtifactReference& reference) {
    if (GraphSnapshotPtr known = m_made.tryFind(reference)) {
        return known;
    }
    const std::lock_guard lock(m_cacheMutex);
    return m_cache.tryFind(reference);
}

base::Result<GraphSnapshotPtr> GraphSource::graph(const ArtifactReference& reference,
                                                  const base::Progress& progress) {
    AOTSCOPE_TRY(log, m_logs.find(reference.log));
    if (GraphSnapshotPtr known = tryKnown(reference)) {
        return known;
    }
    const auto optionsOf = [&] {
        return std::make_shared<const CompileOptions>(compileOptionsOf(*log, reference));
    };
    auto read = log->traceLog() ? loadArtifactGraph(*log->traceLog(), reference, progress, optionsOf())
                                : loadDocumentGraph(*log, reference);
    if (read) {
        const std::lock_guard lock(m_cacheMutex);
        // Do not cache the graph if its log was replaced in the meantime.
        if (m_logs.tryFind(reference.log) == log) {
            m_cache.insert(*read);
        }
    }
    return read;
}

base::Result<GraphSnapshotPtr> GraphSource::parsedGraph(const ArtifactReference& reference,
                                                        const base::Progress& progress) {
    auto loaded = graph(reference, progress);
    if (loaded && !(*loaded)->graph) {
        return notParsed(**loaded);
    }
    return loaded;
}

std::optional<aot::GlobalState> GraphSource::stateOf(const ArtifactReference& reference) const {
    const LogSnapshotPtr log = m_logs.tryFind(reference.log);
    return log ? loggedGlobalState(*log, reference) : std::nullopt;
}

base::Result<LayoutSnapshotPtr> GraphSource::stageLayout(const LayOutGraph& command,
                                                         const RetraceSnapshotPtr& traced, std::size_t stage,
                                                         const base::Progress& progress) {
    AOTSCOPE_TRY(layouts, m_stageLayouts.of(traced, command.options, progress));
    if (m_made.tryTrace(*command.stagesOf) != traced) {
        // The log was closed meanwhile, or traced again: nobody asks for these pictures any more.
        m_stageLayouts.eraseLog(traced->log);
    }
    LayoutSnapshot snapshot;
    snapshot.graph = traced->stages[stage].graph;
    snapshot.options = command.options;
    snapshot.layout = layouts[stage];
    snapshot.stagesOf = traced;
    snapshot.diff = traced->stages[stage].diff;
    return numbered(std::move(snapshot));
}

LayoutSnapshotPtr GraphSource::numbered(LayoutSnapshot snapshot) {
    const std::lock_guard lock(m_picturesMutex);
    std::erase_if(m_pictures, [](const auto& entry) { return entry.second.expired(); });
    snapshot.number = ++m_lastPicture;
    auto picture = std::make_shared<const LayoutSnapshot>(std::move(snapshot));
    m_pictures.emplace(picture->number, picture);
    return picture;
}

LayoutSnapshotPtr GraphSource::tryPicture(std::uint64_t number) {
    const std::lock_guard lock(m_picturesMutex);
    const auto found = m_pictures.find(number);
    return found == m_pictures.end() ? nullptr : found->second.lock();
}

base::Result<LayoutSnapshotPtr> GraphSource::layout(const LayOutGraph& command, base::Progress progress) {
    const RetraceSnapshotPtr traced = command.stagesOf ? m_made.tryTrace(*command.stagesOf) : nullptr;
    if (const auto stage = traced ? stageOf(*traced, command.graph) : std::nullopt) {
        return stageLayout(command, traced, *stage, progress);
    }
    AOTSCOPE_TRY(loaded, graph(command.graph, progress));
    LayoutSnapshot snapshot;
    snapshot.graph = std::move(loaded);
    snapshot.options = command.options;
    if (snapshot.graph->graph) {
        AOTSCOPE_TRY(laidOut, layout::computeLayout(*snapshot.graph->graph, snapshot.graph->modules,
                                                    command.options, std::move(progress)));
        snapshot.layout = std::move(laidOut);
    }
    // A graph without a layout is a valid answer: its snapshot has the parse error.
    return numbered(std::move(snapshot));
}

base::Result<DiffSnapshotPtr> GraphSource::compare(const CompareGraphs& command, base::Progress progress) {
    AOTSCOPE_TRY(left, parsedGraph(command.left, progress));
    AOTSCOPE_TRY(right, parsedGraph(command.right, progress));
    progress.report("Comparing", 0, 0);
    auto diff = std::make_shared<DiffSnapshot>();
    diff->left = std::move(left);
    diff->right = std::move(right);
    diff->diff = ir::diffGraphs(*diff->left->graph, *diff->right->graph);
    AOTSCOPE_CHECK(progress.checkStop());
    diff->unifiedText = base::unifiedDiff(diff->left->printed.text, diff->right->printed.text,
                                          titleOf(*diff->left), titleOf(*diff->right));
    return DiffSnapshotPtr(std::move(diff));
}

std::string GraphSource::titleOf(const GraphSnapshot& graph) const {
    return session::titleOf(m_logs.tryFind(graph.reference.log), graph.reference);
}

void GraphSource::forget(std::uint32_t log) {
    m_made.eraseLog(log);
    m_stageLayouts.eraseLog(log);
    forgetRead(ChangedCompiles::all(log));
}

void GraphSource::forgetRead(const ChangedCompiles& changed) {
    const std::lock_guard lock(m_cacheMutex);
    m_cache.erase(changed);
}

base::Result<std::vector<layout::LayoutPtr>> StageLayouts::of(const RetraceSnapshotPtr& traced,
                                                              const layout::LayoutOptions& options,
                                                              base::Progress progress) {
    {
        const std::lock_guard lock(m_mutex);
        const auto known = std::ranges::find_if(
            m_made, [&](const Made& made) { return made.traced == traced && made.options == options; });
        if (known != m_made.end()) {
            m_made.splice(m_made.begin(), m_made, known);
            return m_made.front().layouts;
        }
    }
    auto layouts = makeLayouts(*traced, options, std::move(progress));
    if (layouts) {
        const std::lock_guard lock(m_mutex);
        m_made.push_front({traced, options, *layouts});
        m_made.resize(std::min(m_made.size(), mostLayouts));
    }
    return layouts;
}

void StageLayouts::eraseLog(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    m_made.remove_if([log](const Made& made) { return made.traced->log == log; });
}

} // namespace aotscope::session
