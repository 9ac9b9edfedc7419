#include "session/logged_partitions.h"

#include "ir/text_sections.h"

#include <algorithm>
#include <array>

namespace aotscope::session {
namespace {

constexpr std::string_view hooksArtifact = "aot_saved_tensors_hooks_graphs";

/// The section of the hooks' artifact that holds a half before the hooks; nothing when it has none.
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
        const load::ArtifactList& artifacts = m_log.traceLog->artifacts(m_compile);
        for (std::size_t place = 0; place < artifacts.size(); ++place) {
            const load::Artifact& artifact = artifacts[place];
            const std::string_view name = std::string_view(artifact.name).substr(0, artifact.name.find('#'));
            const ArtifactReference reference{
                m_log.log, m_id, artifacts.exactName(place), {}, m_log.traceLog->compile(m_compile).rank};
            if (name == "joint") {
                m_found.push_back({reference, {}, {}, {}});
            } else if (!m_found.empty()) {
                LoggedPartition& last = m_found.back();
                if (name == hooksArtifact) {
                    addSections(artifact, reference, last);
                } else if (name == "forward" && !last.forward) {
                    last.forward = reference;
                } else if (name == "backward" && !last.backward) {
                    last.backward = reference;
                }
            }
        }
        return std::move(m_found);
    }

private:
    void addSections(const load::Artifact& artifact, const ArtifactReference& reference,
                     LoggedPartition& partition) const {
        const std::string text = m_log.traceLog->payload(artifact.record);
        if (const auto section = sectionBefore(text, "forward"); section && !partition.forward) {
            partition.forward = reference;
            partition.forward->subgraph = {*section};
        }
        if (const auto section = sectionBefore(text, "backward"); section && !partition.backward) {
            partition.backward = reference;
            partition.backward->subgraph = {*section};
        }
    }

    const LogSnapshot& m_log;
    load::CompileIndex m_compile;
    const load::CompileId& m_id;
    std::vector<LoggedPartition> m_found;
};

const GraphSnapshot* tryGraph(const LogSnapshot& log, const std::string& name) {
    const auto found = std::find_if(log.graphs.begin(), log.graphs.end(),
                                    [&](const auto& graph) { return graph->reference.artifact == name; });
    return found == log.graphs.end() ? nullptr : found->get();
}

std::vector<LoggedPartition> pairInFile(const LogSnapshot& log) {
    constexpr std::string_view ending = "/joint";
    std::vector<LoggedPartition> found;
    for (const GraphSnapshotPtr& graph : log.graphs) {
        if (!graph->graph || !graph->joint) {
            continue;
        }
        const std::string& name = graph->reference.artifact;
        const std::size_t before = found.size();
        if (name.ends_with(ending)) {
            const std::string place = name.substr(0, name.size() - ending.size()) + "/partitions/";
            for (const char* partitioner : {"default", "min_cut"}) {
                for (const char* part : {"/pre_hooks/", "/"}) {
                    const GraphSnapshot* forward = tryGraph(log, place + partitioner + part + "fw");
                    const GraphSnapshot* backward = tryGraph(log, place + partitioner + part + "bw");
                    if (forward != nullptr && backward != nullptr) {
                        const GraphSnapshot* other = tryGraph(log, place + partitioner + "/joint_differs");
                        found.push_back({other == nullptr ? graph->reference : other->reference,
                                         forward->reference, backward->reference, partitioner});
                        break;
                    }
                }
            }
        }
        if (found.size() == before && !name.ends_with("/joint_differs")) {
            found.push_back({graph->reference, {}, {}, {}});
        }
    }
    return found;
}

} // namespace

std::vector<LoggedPartition> loggedPartitions(const LogSnapshot& log, load::CompileIndex compile,
                                              const load::CompileId& id) {
    return log.traceLog ? LogPairing(log, compile, id).pair() : pairInFile(log);
}

} // namespace aotscope::session
