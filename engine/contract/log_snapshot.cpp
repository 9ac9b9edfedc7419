#include "contract/log_snapshot.h"

namespace aotscope::session {

std::span<const load::Compile> LogSnapshot::compiles() const {
    static const std::vector<load::Compile> ofGraphFile(1);
    if (traceLog()) {
        return traceLog()->compiles();
    }
    return timeline() ? std::span<const load::Compile>() : ofGraphFile;
}

const load::ArtifactList& LogSnapshot::artifacts(load::CompileIndex compile) const {
    return traceLog() ? traceLog()->artifacts(compile) : contentAs<GraphFile>().artifacts;
}

std::optional<load::CompileIndex> LogSnapshot::tryFindCompile(const ArtifactReference& reference) const {
    if (traceLog()) {
        return traceLog()->tryFindCompile(reference.compile, reference.rank);
    }
    return timeline() ? std::nullopt : std::optional(load::CompileIndex(0));
}

std::optional<std::int32_t> LogSnapshot::rank() const {
    return traceLog() ? traceLog()->rank() : std::nullopt;
}

} // namespace aotscope::session
