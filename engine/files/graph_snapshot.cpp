#include "files/graph_snapshot.h"

#include "base/file_place.h"
#include "base/joined.h"

#include "base/mapped.h"
#include "ir/text/parser.h"
#include "ir/text/repro_script.h"
#include "ir/text/sections.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

namespace aotscope::session {

namespace {

std::string listOrNone(const std::vector<std::string>& names) {
    return names.empty() ? "none" : base::joined(names);
}

/// The index of the compiled function's flat input that a placeholder stands for.
std::optional<std::size_t> inputNumber(const ir::Node& placeholder) {
    const ir::AOTInput* input = ir::inputDescriptor(placeholder);
    return input != nullptr && input->as<ir::PlainAOTInput>() != nullptr ? ir::flatInputIndex(*input)
                                                                         : std::nullopt;
}

std::string availableCompiles(const load::TraceLog& log) {
    constexpr std::size_t mostNamed = 50;
    std::vector<std::string> names;
    for (const load::Compile& compile : log.compiles()) {
        names.push_back(idText(compile.id, compile.rank));
        if (names.size() == mostNamed) {
            names.emplace_back("…");
            break;
        }
    }
    return listOrNone(names);
}

std::string availableArtifacts(const load::TraceLog& log, load::CompileIndex compile) {
    auto names = base::mapped(log.artifacts(compile), &load::Artifact::name);
    return listOrNone(names);
}

/// Adds the log's example values of symbols, so that sizes can be computed.
ir::GraphPtr withLoggedHints(const ir::GraphPtr& graph, const load::TraceLog& log,
                             load::CompileIndex compile) {
    const auto values = log.symbolValues(compile);
    if (values.empty() || graph->symbols().empty()) {
        return graph;
    }
    ir::SymbolBindings hints = graph->symbolHints();
    hints.insert(values.begin(), values.end());
    return ir::withSymbolHints(graph, std::move(hints));
}

GraphSnapshotPtr unparsedGraph(ArtifactReference reference, std::string text, base::Error error,
                               std::vector<std::string> sections = {}) {
    auto snapshot = std::make_shared<GraphSnapshot>();
    snapshot->reference = std::move(reference);
    snapshot->text = std::move(text);
    snapshot->error = std::move(error);
    snapshot->sections = std::move(sections);
    return snapshot;
}

struct FoundArtifact {
    load::CompileIndex compile;
    load::Artifact artifact;
};

base::Result<FoundArtifact> findArtifact(const load::TraceLog& log, const ArtifactReference& reference) {
    const auto compile = log.tryFindCompile(reference.compile, reference.rank);
    if (!compile) {
        return base::Error{.code = "session.no_such_compile",
                           .message = "There is no compile " + idText(reference) + " in " +
                                      log.path().filename().string() + ".",
                           .place = base::filePlace(log.path()),
                           .notes = {"Compiles of this log: " + availableCompiles(log)}};
    }
    auto artifact = log.tryFindArtifact(*compile, reference.artifact);
    if (!artifact) {
        return base::Error{.code = "session.no_such_artifact",
                           .message =
                               "Compile " + idText(reference) + " has no \"" + reference.artifact + "\".",
                           .place = base::filePlace(log.path()),
                           .notes = {"It has: " + availableArtifacts(log, *compile)}};
    }
    return FoundArtifact{*compile, std::move(artifact).value()};
}

/// The part of an artifact's text that a reference names.
struct ChosenSection {
    std::string_view text;
    /// Number of lines before it.
    std::size_t line = 0;
    bool isSection = false;
    /// The artifact contains several graphs and the reference names none of them.
    bool isSeveral = false;
    std::vector<std::string> sections;
    /// The rest of the path, through nested graphs.
    std::vector<std::string> nested;
};

/// Repeated section names get a number: "forward", "forward#2".
std::vector<std::string> sectionNames(const std::vector<ir::NamedGraphText>& sections) {
    std::vector<std::string> names;
    std::map<std::string, int> met;
    for (const ir::NamedGraphText& section : sections) {
        std::string name = section.name.empty() ? "graph" : section.name;
        const int times = ++met[name];
        names.push_back(times == 1 ? std::move(name) : name + "#" + std::to_string(times));
    }
    return names;
}

base::Result<ChosenSection> chooseSection(std::string_view text, const ArtifactReference& reference) {
    ChosenSection chosen;
    chosen.text = text;
    chosen.nested = reference.subgraph;
    const std::vector<ir::NamedGraphText> sections = ir::splitGraphSections(text);
    if (sections.size() < 2 && (sections.empty() || sections.front().name.empty())) {
        return chosen;
    }
    chosen.sections = sectionNames(sections);
    if (reference.subgraph.empty()) {
        chosen.isSeveral = true;
        return chosen;
    }
    const auto named = std::ranges::find(chosen.sections, reference.subgraph.front());
    if (named == chosen.sections.end()) {
        return base::Error{.code = "session.no_such_subgraph",
                           .message = "\"" + reference.artifact + "\" has no graph \"" +
                                      reference.subgraph.front() + "\".",
                           .notes = {"It has: " + listOrNone(chosen.sections)}};
    }
    const ir::NamedGraphText& section = sections[static_cast<std::size_t>(named - chosen.sections.begin())];
    chosen.text = section.text;
    chosen.line = section.line;
    chosen.isSection = true;
    chosen.nested.erase(chosen.nested.begin());
    return chosen;
}

base::Error severalGraphs(const ArtifactReference& reference, const std::vector<std::string>& sections) {
    return {.code = "session.several_graphs",
            .message = "\"" + reference.artifact + "\" holds " + std::to_string(sections.size()) +
                       " graphs: name one of them.",
            .notes = {"Graphs: " + listOrNone(sections)}};
}

} // namespace

GraphSnapshotPtr describeGraph(ArtifactReference reference, ir::GraphPtr graph, std::string text,
                               const std::vector<std::string>& sources, const std::stop_token& stop,
                               CompileOptionsPtr options) {
    auto snapshot = std::make_shared<GraphSnapshot>();
    snapshot->options = std::move(options);
    snapshot->reference = std::move(reference);
    snapshot->text = std::move(text);
    snapshot->inputSources = sources;
    snapshot->joint = ir::isJointGraph(*graph);
    // Each pass visits all nodes, so stop requests are checked in between.
    const std::function<void()> passes[] = {
        [&] { snapshot->problems = ir::verifyGraph(*graph); },
        [&] { snapshot->printed = ir::printGraph(*graph); },
        [&] { snapshot->modules = ir::deriveModulePaths(*graph, sources); },
        [&] { snapshot->phases = ir::nodePhases(*graph); },
    };
    for (const std::function<void()>& pass : passes) {
        if (stop.stop_requested()) {
            return nullptr;
        }
        pass();
    }
    snapshot->graph = std::move(graph);
    return snapshot;
}

std::vector<std::string>
placeholderSources(const ir::Graph& graph, const std::vector<std::string>& inputSources, bool isDynamoGraph) {
    if (inputSources.empty()) {
        return {};
    }
    std::vector<std::string> sources;
    bool anyKnown = false;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::Node& node = graph.node(id);
        const std::optional<std::size_t> number =
            isDynamoGraph ? std::optional(sources.size()) : inputNumber(node);
        sources.push_back(!node.inputSource.empty()                 ? node.inputSource
                          : number && *number < inputSources.size() ? inputSources[*number]
                                                                    : std::string());
        anyKnown = anyKnown || !sources.back().empty();
    }
    // If no source is known, module paths are derived better from placeholder names.
    return anyKnown ? sources : std::vector<std::string>();
}

base::Result<ir::GraphPtr> nestedGraph(ir::GraphPtr graph, const std::vector<std::string>& path) {
    for (const std::string& name : path) {
        ir::GraphPtr next = graph->trySubgraph(name);
        if (!next) {
            auto names = base::mapped(graph->subgraphs(), [](const auto& each) { return each.first; });
            return base::Error{.code = "session.no_such_subgraph",
                               .message = "The graph has no subgraph \"" + name + "\".",
                               .notes = {"Subgraphs: " + listOrNone(names)}};
        }
        graph = std::move(next);
    }
    return graph;
}

base::Result<GraphSnapshotPtr> loadArtifactGraph(const load::TraceLog& log,
                                                 const ArtifactReference& reference, base::Progress progress,
                                                 CompileOptionsPtr options) {
    AOTSCOPE_TRY(found, findArtifact(log, reference));
    progress.report("Reading the graph", 0, 0, reference.artifact);
    std::string text = log.payload(found.artifact.record);
    AOTSCOPE_TRY(chosen, chooseSection(text, reference));
    if (chosen.isSeveral) {
        base::Error several = severalGraphs(reference, chosen.sections);
        return unparsedGraph(reference, std::move(text), std::move(several), std::move(chosen.sections));
    }
    auto parsed = ir::parseGraphOrScript(chosen.text, progress);
    if (!parsed) {
        if (base::isCanceled(parsed.error())) {
            return std::move(parsed).error();
        }
        base::Error error = std::move(parsed).error();
        error.place.line += error.place.line > 0 ? chosen.line : 0;
        return unparsedGraph(reference, std::move(text), std::move(error));
    }
    AOTSCOPE_TRY(nested, nestedGraph(withLoggedHints(*parsed, log, found.compile), chosen.nested));
    if (chosen.isSection) {
        text = std::string(chosen.text);
    }
    progress.report("Deriving modules", 0, 0, reference.artifact);
    const bool isDynamoGraph = found.artifact.kind == load::RecordKind::DynamoOutputGraph;
    std::vector<std::string> sources;
    if (reference.subgraph.empty()) {
        sources = placeholderSources(*nested, log.inputSources(found.compile), isDynamoGraph);
    }
    return describeGraph(reference, std::move(nested), std::move(text), sources, {}, std::move(options));
}

} // namespace aotscope::session
