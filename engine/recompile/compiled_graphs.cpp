#include "recompile/compiled_graphs.h"

#include <algorithm>

namespace aotscope::session {

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
