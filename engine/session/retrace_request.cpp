#include "session/retrace_request.h"

#include "evidence/log_evidence.h"

#include <utility>

namespace aotscope::session {

std::optional<aot::TorchVersion> madeBy(const LogSnapshot& log) {
    return log.traceLog ? std::optional(evidence::madeBy(*log.traceLog)) : std::nullopt;
}

base::Result<evidence::FoundRequest> makeRetraceRequest(const LogSnapshot& log,
                                                        const ArtifactReference& program, ir::GraphPtr graph,
                                                        const RetraceOptions& options,
                                                        evidence::EarlierCheckpoints& checkpoints,
                                                        const std::stop_token& stop) {
    auto found = evidence::readRequest({.log = log.traceLog,
                                        .path = log.path,
                                        .compile = program.compile,
                                        .rank = program.rank,
                                        .artifact = program.artifact},
                                       std::move(graph), checkpoints, stop);
    if (found) {
        aot::RetraceRequest& request = found->request;
        found->made = request.torch;
        request.torch = options.torch.value_or(request.torch);
        request.decompositions = options.decompositions.value_or(request.decompositions);
        request.exported = options.exported;
    }
    return found;
}

std::optional<aot::GlobalState> loggedGlobalState(const LogSnapshot& log, const ArtifactReference& compile) {
    return log.traceLog ? evidence::compileState(log.traceLog, compile.compile, compile.rank) : std::nullopt;
}

} // namespace aotscope::session
