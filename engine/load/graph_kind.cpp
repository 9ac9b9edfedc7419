#include "load/graph_kind.h"

#include <algorithm>

namespace aotscope::load {

namespace {

constexpr std::array<std::string_view, graphKinds.size()> names = {"dynamo",
                                                                   "compiled_autograd",
                                                                   "joint",
                                                                   "inference",
                                                                   "forward",
                                                                   "backward",
                                                                   "aot_inference_graph_after_hop_passes",
                                                                   "graph"};

} // namespace

std::string_view graphKindName(GraphKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

std::optional<GraphKind> tryGraphKind(std::string_view artifact) {
    // A half that this program split is named "forward of X", where X may contain a folder or a number.
    std::string_view name = artifact.substr(0, artifact.find(" of "));
    name = name.substr(name.rfind('/') + 1);
    name = name.substr(0, name.find('#'));
    if (name == "fw" || name == "bw") {
        return name == "fw" ? GraphKind::Forward : GraphKind::Backward;
    }
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt
                                : std::optional(graphKinds[std::size_t(found - names.begin())]);
}

std::optional<std::uint32_t> tryFirstGraph(const ArtifactList& artifacts, std::span<const GraphKind> kinds) {
    for (const GraphKind kind : kinds) {
        if (const auto places = artifacts.placesOf(graphKindName(kind)); !places.empty()) {
            return places.front();
        }
    }
    return std::nullopt;
}

} // namespace aotscope::load
