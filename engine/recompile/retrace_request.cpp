#include "recompile/retrace_request.h"

#include "evidence/log_evidence.h"
#include "ir/graph_builder.h"

#include <utility>

namespace aotscope::session {

std::optional<aot::TorchVersion> madeBy(const LogSnapshot& log) {
    return log.traceLog() ? std::optional(evidence::madeBy(*log.traceLog())) : std::nullopt;
}

namespace {

ir::GraphPtr withTargets(const ir::Graph& program, const std::map<std::string, std::string>& readAs) {
    ir::GraphBuilder graph(program);
    for (const ir::NodeId id : program.order()) {
        if (const auto other = readAs.find(program.node(id).target); other != readAs.end()) {
            ir::Node node = program.node(id);
            node.target = other->second;
            graph.replace(id, std::move(node));
        }
    }
    return graph.finish();
}

} // namespace

base::Result<evidence::FoundRequest>
makeRetraceRequest(const LogSnapshot& log, const ArtifactReference& program, ir::GraphPtr graph,
                   const RetraceOptions& options, evidence::EarlierCheckpoints& checkpoints,
                   const std::stop_token& stop, std::optional<evidence::LoggedConfig> config) {
    auto found = evidence::readRequest({.log = log.traceLog(),
                                        .path = log.path,
                                        .compile = program.compile,
                                        .rank = program.rank,
                                        .artifact = program.artifact},
                                       std::move(graph), checkpoints, stop);
    if (found) {
        aot::RetraceRequest& request = found->request;
        found->release = request.torch;
        request.torch = options.torch.value_or(request.torch);
        request.decompositions = options.decompositions.value_or(request.decompositions);
        request.decomposedOperators = options.decomposedOperators;
        request.export_ = options.exported;
        if (!options.readAs.empty()) {
            request.program = withTargets(*request.program, options.readAs);
        }
        if (config) {
            found->config = *std::move(config);
        }
        AOTSCOPE_TRY(functorch, found->config.under(found->release, request.torch, options.config));
        if (found->config.untold.contains("unlift_effect_tokens") &&
            functorch.chosen.contains("unlift_effect_tokens") && functorch.unliftEffectTokens) {
            // A person says that it is the process's, so that it tells nothing of the backend.
            request.decompositions = options.decompositions.value_or(aot::DecompositionTable::None);
            request.keepInputMutations = true;
        }
        request.keepInputMutations = options.keepInputMutations.value_or(request.keepInputMutations);
        if (!found->config.isLogged && request.decompositions == aot::DecompositionTable::Inductor &&
            !functorch.chosen.contains("unlift_effect_tokens")) {
            // As Inductor sets it for its own call.
            functorch.unliftEffectTokens = true;
        }
        request.functorch = std::move(functorch);
    }
    return found;
}

} // namespace aotscope::session
