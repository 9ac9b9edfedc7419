#include "inference_graph.h"

#include "failure.h"

namespace aotscope::cli {

std::vector<session::ArtifactReference> inferenceGraphs(const CompileChoice& choice) {
    std::vector<session::ArtifactReference> found;
    if (!choice.log->traceLog()) {
        const auto& graphs = choice.log->graphs();
        for (const session::GraphSnapshotPtr& graph : graphs) {
            const bool isAlone = graphs.size() == 1 && !graph->joint;
            if (isAlone || graph->reference.artifact.ends_with("/inference")) {
                found.push_back(graph->reference);
            }
        }
        return found;
    }
    const load::ArtifactList& artifacts = choice.log->traceLog()->artifacts(choice.compile);
    for (std::size_t place = 0; place < artifacts.size(); ++place) {
        if (artifacts[place].kind == load::RecordKind::AotInferenceGraph) {
            found.push_back(referenceTo(choice, artifacts.exactName(place)));
        }
    }
    return found;
}

std::optional<InferenceGraph> readInferenceGraph(Program& program, const CompileChoice& choice) {
    const std::vector<session::ArtifactReference> graphs = inferenceGraphs(choice);
    if (graphs.empty()) {
        return std::nullopt;
    }
    const auto read = program.graph(graphs.back());
    return InferenceGraph{titleOf(program, graphs.back()), read->graph, memory::profileGraph(*read->graph)};
}

} // namespace aotscope::cli
