#include "load/graph_kind.h"

namespace aotscope::load {

std::optional<GraphKind> tryGraphKind(std::string_view artifact) {
    // A half that this program split is named "forward of X", where X may contain a folder or a number.
    std::string_view name = artifact.substr(0, artifact.find(" of "));
    name = name.substr(name.rfind('/') + 1);
    name = name.substr(0, name.find('#'));
    if (name == "fw" || name == "bw") {
        return name == "fw" ? GraphKind::Forward : GraphKind::Backward;
    }
    return base::fromWord<GraphKind>(name);
}

std::optional<std::uint32_t> tryFirstGraph(const ArtifactList& artifacts, std::span<const GraphKind> kinds) {
    for (const GraphKind kind : kinds) {
        if (const auto places = artifacts.placesOf(base::wordOf(kind)); !places.empty()) {
            return places.front();
        }
    }
    return std::nullopt;
}

} // namespace aotscope::load
