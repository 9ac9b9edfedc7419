#include "session/retrace_request.h"

#include <utility>

namespace aotscope::session {

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
        request.decompositions = options.decompositions.value_or(request.decompositions);
        request.exported = options.exported;
    }
    return found;
}

} // namespace aotscope::session
