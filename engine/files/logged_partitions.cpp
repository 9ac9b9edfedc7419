#include "files/logged_partitions.h"

#include "files/graph_document.h"

#include "ir/text/sections.h"
#include "load/record_kind.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace aotscope::session {
namespace {

constexpr std::array<std::string_view, 2> halfNames{"forward of ", "backward of "};
constexpr std::string_view tracedName = "retraced ";

/// Name of the section that holds a half before saved-tensors hooks were inlined; nothing if there is none.
std::optional<std::string> sectionBefore(std::string_view text, std::string_view half) {
    for (const ir::NamedGraphText& section : ir::splitGraphSections(text)) {
        const bool isHalf = section.name.find(half) != std::string::npos;
        if (isHalf && section.name.find("pre_saved_tensors_hooks") != std::string::npos) {
            return section.name;
        }
    }
    return std::nullopt;
}

class LogPairing {
public:
    LogPairing(const LogSnapshot& log, load::CompileIndex compile, const load::CompileId& id)
        : m_log(log), m_compile(compile), m_id(id) {}

    std::vector<LoggedPartition> pair() {
        const load::ArtifactList& artifacts = m_log.artifacts(m_compile);
        for (std::size_t place = 0; place < artifacts.size(); ++place) {
            const load::Artifact& artifact = artifacts[place];
            const std::string_view name = std::string_view(artifact.name).substr(0, artifact.name.find('#'));
            const ArtifactReference reference{
                m_log.log, m_id, artifacts.exactName(place), {}, m_log.traceLog()->compile(m_compile).rank};
            if (name == "joint") {
                m_found.push_back({.joint = reference});
            } else if (!m_found.empty()) {
                LoggedPartition& last = m_found.back();
                if (name == load::metadataArtifact && !last.metadata) {
                    last.metadata = artifact.record;
                } else if (name == load::hooksArtifact) {
                    last.hooks = artifact.record;
                    addSections(artifact, reference, last);
                } else if (name == "forward" || name == "backward") {
                    addHalf(reference, name, last);
                }
            }
        }
        return std::move(m_found);
    }

private:
    static bool isBeforeHooks(const LoggedPartition& partition) {
        return partition.forward && !partition.forward->subgraph.empty();
    }

    /// A half that follows the record of hooks has them inlined.
    static void addHalf(const ArtifactReference& reference, std::string_view name,
                        LoggedPartition& partition) {
        const bool isHooked = isBeforeHooks(partition);
        auto& half = name == "forward" ? (isHooked ? partition.hookedForward : partition.forward)
                                       : (isHooked ? partition.hookedBackward : partition.backward);
        if (!half) {
            half = reference;
        }
    }

    void addSections(const load::Artifact& artifact, const ArtifactReference& reference,
                     LoggedPartition& partition) const {
        const std::string text = m_log.traceLog()->payload(artifact.record);
        const auto add = [&](std::string_view name, std::optional<ArtifactReference>& half) {
            if (const auto section = sectionBefore(text, name); section && !half) {
                half = reference;
                half->subgraph = {*section};
            }
        };
        add("forward", partition.forward);
        add("backward", partition.backward);
    }

    const LogSnapshot& m_log;
    load::CompileIndex m_compile;
    const load::CompileId& m_id;
    std::vector<LoggedPartition> m_found;
};

std::vector<LoggedPartition> pairInFile(const LogSnapshot& log) {
    constexpr std::string_view ending = "/joint";
    std::vector<LoggedPartition> found;
    for (const GraphSnapshotPtr& graph : log.graphs()) {
        if (!graph->graph || !graph->joint) {
            continue;
        }
        const std::string& name = graph->reference.artifact;
        const std::size_t before = found.size();
        if (name.ends_with(ending)) {
            const std::string place = name.substr(0, name.size() - ending.size()) + "/partitions/";
            for (const char* partitioner : {"default", "min_cut"}) {
                const auto referenceOf = [&](const char* part) {
                    const GraphSnapshot* named = tryGraphOfFile(log, place + partitioner + part);
                    return named == nullptr ? std::nullopt : std::optional(named->reference);
                };
                LoggedPartition partition{.joint = referenceOf("/joint_differs").value_or(graph->reference),
                                          .forward = referenceOf("/fw"),
                                          .backward = referenceOf("/bw"),
                                          .partitioner = partitioner};
                const auto forward = referenceOf("/pre_hooks/fw");
                const auto backward = referenceOf("/pre_hooks/bw");
                if (forward && backward) {
                    partition.hookedForward = std::exchange(partition.forward, forward);
                    partition.hookedBackward = std::exchange(partition.backward, backward);
                }
                if (partition.forward && partition.backward) {
                    found.push_back(std::move(partition));
                }
            }
        }
        if (found.size() == before && !name.ends_with("/joint_differs")) {
            found.push_back({.joint = graph->reference});
        }
    }
    return found;
}

/// In a log the joint graph comes before its halves and after Dynamo's graph.
std::optional<ArtifactReference> jointInLog(const LogSnapshot& log, const ArtifactReference& graph) {
    const auto compile = log.tryFindCompile(graph);
    if (!compile) {
        return std::nullopt;
    }
    const load::ArtifactList& artifacts = log.artifacts(*compile);
    const auto place = artifacts.tryPlace(graph.artifact);
    if (!place) {
        return std::nullopt;
    }
    // A compile may have tens of thousands of artifacts, and every selection asks for this.
    const auto joints = artifacts.placesOf("joint");
    const auto after = std::ranges::upper_bound(joints, *place);
    const bool comesBefore = artifacts[*place].kind == load::RecordKind::DynamoOutputGraph;
    if (comesBefore ? after == joints.end() : after == joints.begin()) {
        return std::nullopt;
    }
    ArtifactReference joint = graph;
    joint.artifact = artifacts.exactName(comesBefore ? *after : *std::prev(after));
    joint.subgraph.clear();
    return joint;
}

std::optional<ArtifactReference> jointInFile(const LogSnapshot& log, const ArtifactReference& graph) {
    const std::string_view unit = unitOf(graph.artifact);
    for (const GraphSnapshotPtr& other : log.graphs()) {
        const std::string& name = other->reference.artifact;
        const bool isIt = name == graph.artifact;
        const bool isOfUnit = !unit.empty() && name == std::string(unit) + "/joint";
        if (other->joint && (isIt || isOfUnit)) {
            return other->reference;
        }
    }
    return std::nullopt;
}

} // namespace

std::size_t forwardOutputsOf(const ir::Graph& forward, const ir::Graph& backward) {
    const std::size_t returned = forward.returned().size();
    if (const auto output = forward.output()) {
        const std::size_t described = forward.node(*output).descriptors.size();
        for (std::size_t i = 0; i < described; ++i) {
            const ir::AOTOutput* value = ir::outputDescriptor(forward.node(*output), i);
            if (value != nullptr && value->as<ir::SavedForBackwardsAOTOutput>() != nullptr) {
                return i;
            }
        }
    }
    const auto inputs = backward.placeholders();
    const auto saved = static_cast<std::size_t>(std::ranges::count_if(
        inputs, [&](ir::NodeId id) { return !ir::isTangentOrBackwardToken(backward.node(id)); }));
    return returned - std::min(saved, returned);
}

/// AOTAutograd makes a fake tensor of a generator's state. With dynamic shapes its size becomes a symbol
/// whose source has a fixed prefix.
passes::StateSymbols loggedStateSymbols(const std::vector<load::TraceLog::LoggedSymbol>& logged) {
    passes::StateSymbols symbols;
    for (const load::TraceLog::LoggedSymbol& made : logged) {
        if (made.source.starts_with("__meta_utils_unknown_tensor") && made.source.ends_with(".size()[0]")) {
            symbols.emplace(made.value, made.symbol);
        }
    }
    return symbols;
}

std::optional<ArtifactReference> jointGraphOf(const LogSnapshot& log, const ArtifactReference& graph) {
    const std::string_view name = graph.artifact;
    for (const std::string_view half : halfNames) {
        if (name.starts_with(half)) {
            ArtifactReference joint = graph;
            joint.artifact = std::string(name.substr(half.size()));
            return joint;
        }
    }
    if (name.starts_with(tracedName)) {
        return name.find("joint") == std::string_view::npos ? std::nullopt : std::optional(graph);
    }
    return log.traceLog() ? jointInLog(log, graph) : jointInFile(log, graph);
}

bool isMadeHere(const ArtifactReference& graph) {
    const std::string_view name = graph.artifact;
    return name.starts_with(tracedName) ||
           std::ranges::any_of(halfNames, [&](std::string_view half) { return name.starts_with(half); });
}

std::vector<LoggedPartition> loggedPartitions(const LogSnapshot& log, load::CompileIndex compile,
                                              const load::CompileId& id) {
    return log.traceLog() ? LogPairing(log, compile, id).pair() : pairInFile(log);
}

std::vector<ArtifactReference> compiledGraphs(const LogSnapshot& log, const ArtifactReference& joint) {
    std::vector<ArtifactReference> found;
    const auto compile = log.tryFindCompile(joint);
    const auto place = compile ? log.artifacts(*compile).tryPlace(joint.artifact) : std::nullopt;
    if (!place) {
        return found;
    }
    const load::ArtifactList& artifacts = log.artifacts(*compile);
    std::size_t past = artifacts.size();
    for (const std::uint32_t next : artifacts.placesOf("joint")) {
        past = next > *place ? std::min<std::size_t>(past, next) : past;
    }
    for (const std::uint32_t at : artifacts.placesOf("before_post_grad_graph")) {
        if (at > *place && at < past) {
            ArtifactReference reference = joint;
            reference.artifact = artifacts.exactName(at);
            found.push_back(std::move(reference));
        }
    }
    return found;
}

} // namespace aotscope::session
