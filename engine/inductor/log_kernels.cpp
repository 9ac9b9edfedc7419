#include "inductor/log_kernels.h"

#include "inductor/provenance.h"
#include "ir/text/parser.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

/// The name of an artifact without the number of a repeated one.
std::string_view plainName(std::string_view name) {
    return name.substr(0, name.find('#'));
}

bool isLastGraph(const load::Artifact& artifact) {
    const std::string_view name = plainName(artifact.name);
    return name == "inductor_post_grad_graph" || name == "after_post_grad_graph";
}

class CompileReader {
public:
    CompileReader(const load::TraceLog& log, load::CompileIndex compile, const base::Progress& progress,
                  const LogKernelOptions& options)
        : m_log(log), m_artifacts(log.artifacts(compile)), m_progress(progress), m_options(options) {}

    base::Result<std::vector<GeneratedCode>> read() {
        std::vector<GeneratedCode> all;
        AOTSCOPE_CHECK(m_progress.checkStop());
        for (std::size_t place = 0; place < m_artifacts.size(); ++place) {
            if (m_artifacts[place].kind != load::RecordKind::InductorOutputCode) {
                continue;
            }
            m_progress.report("Linking kernels", place, m_artifacts.size());
            AOTSCOPE_CHECK(m_progress.checkStop());
            AOTSCOPE_TRY(one, readOne(place));
            all.push_back(std::move(one));
        }
        return all;
    }

private:
    base::Result<GeneratedCode> readOne(std::size_t place) {
        GeneratedCode made;
        made.record = m_artifacts[place].record;
        made.compile = m_artifacts[place].compile;
        made.name = m_artifacts.exactName(place);
        base::Result<OutputCode> code = readOutputCode(m_log.payload(made.record), m_progress);
        if (!code && base::isCanceled(code.error())) {
            return code.error();
        }
        if (!code) {
            made.notes.push_back(code.error().message);
            return made;
        }
        made.code = std::move(*code);
        findGraphs(place, made);
        if (!made.graph) {
            made.notes.emplace_back(
                "The log has no graph for this code, so that its kernels cannot be linked to nodes.");
            return made;
        }
        const Provenance provenance = provenanceAfter(place, made);
        LinkInputs inputs;
        inputs.graph = made.graph;
        inputs.dynamo = graphBefore(place, "dynamo").first;
        inputs.provenance = made.hasMapping || made.hasStacks ? &provenance : nullptr;
        made.links = linkKernels(made.code, inputs, m_progress);
        AOTSCOPE_CHECK(m_progress.checkStop());
        if (made.aotGraph) {
            made.aotNodes = replacedNodes(*made.aotGraph, *made.graph);
        }
        return made;
    }

    /// The last graph of this name before the code, with its exact name.
    std::pair<ir::GraphPtr, std::string> graphBefore(std::size_t place, std::string_view name) {
        for (std::size_t before = place; before-- > 0;) {
            if (plainName(m_artifacts[before].name) == name) {
                return {parsed(before), m_artifacts.exactName(before)};
            }
        }
        return {};
    }

    ir::GraphPtr parsed(std::size_t place) const {
        const base::Result<ir::GraphPtr> graph =
            ir::parseGraphText(m_log.payload(m_artifacts[place].record), m_progress);
        return graph ? *graph : nullptr;
    }

    void findGraphs(std::size_t place, GeneratedCode& made) {
        for (std::size_t before = place; before-- > 0 && made.graphName.empty();) {
            if (m_artifacts[before].kind == load::RecordKind::InductorOutputCode) {
                break;
            }
            if (isLastGraph(m_artifacts[before])) {
                made.graph = parsed(before);
                made.graphName = m_artifacts.exactName(before);
            }
        }
        const std::size_t underscore = made.code.aotId.rfind('_');
        made.half = underscore == std::string::npos ? "" : made.code.aotId.substr(underscore + 1);
        for (const std::string_view half : {"forward", "backward", "inference"}) {
            if (!made.half.empty() && half != made.half) {
                continue;
            }
            auto [graph, name] = graphBefore(place, half);
            if (graph && (!made.half.empty() || takesInputs(*graph, made.code))) {
                made.half = half;
                made.aotGraph = std::move(graph);
                made.aotName = std::move(name);
                break;
            }
        }
        if (!made.graph && made.aotGraph && takesInputs(*made.aotGraph, made.code)) {
            made.graph = made.aotGraph;
            made.graphName = made.aotName;
        }
    }

    static bool takesInputs(const ir::Graph& graph, const OutputCode& code) {
        const WrapperFunction* entry = code.entry();
        return entry != nullptr && std::ranges::all_of(entry->inputs, [&](const std::string& input) {
                   return graph.tryFind(input).has_value();
               });
    }

    Provenance provenanceAfter(std::size_t place, GeneratedCode& made) const {
        Provenance provenance;
        for (std::size_t after = place + 1; after < m_artifacts.size(); ++after) {
            const load::Artifact& artifact = m_artifacts[after];
            if (artifact.kind == load::RecordKind::InductorOutputCode) {
                break;
            }
            const std::string_view name = plainName(artifact.name);
            base::Result<void> read;
            if (name == "inductor_provenance_tracking_node_mappings" && !m_options.withholdMapping) {
                read = addNodeMappings(m_log.payload(artifact.record), provenance);
            } else if (name == "inductor_provenance_tracking_kernel_stack_traces") {
                read = addStackTraces(m_log.payload(artifact.record), provenance);
            }
            if (!read) {
                made.notes.push_back(read.error().message + " " + read.error().hint);
            }
        }
        made.hasMapping = !provenance.nodes.empty();
        made.hasStacks = !provenance.stacks.empty();
        return provenance;
    }

    const load::TraceLog& m_log;
    const load::ArtifactList& m_artifacts;
    base::Progress m_progress;
    LogKernelOptions m_options;
};

} // namespace

base::Result<std::vector<GeneratedCode>> generatedCode(const load::TraceLog& log, load::CompileIndex compile,
                                                       const base::Progress& progress,
                                                       const LogKernelOptions& options) {
    return CompileReader(log, compile, progress, options).read();
}

} // namespace aotscope::inductor
