#include "passes/static_inputs.h"

#include <string_view>

namespace aotscope::passes {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool isStatic(const ir::Node& input, std::string_view source) {
    if (contains(source, "._parameters[") || contains(source, "._buffers[")) {
        return true;
    }
    return !input.descriptors.empty() && (contains(input.descriptors.front(), "ParamAOTInput") ||
                                          contains(input.descriptors.front(), "BufferAOTInput"));
}

} // namespace

std::vector<std::size_t> staticInputsOf(const ir::Graph& joint, std::span<const std::string> sources,
                                        const std::set<std::string, std::less<>>& parameters) {
    std::vector<std::size_t> positions;
    std::size_t placeholder = 0;
    std::size_t primal = 0;
    for (const ir::NodeId id : joint.placeholders()) {
        const ir::Node& node = joint.node(id);
        const std::string_view source = placeholder < sources.size() ? std::string_view(sources[placeholder])
                                                                     : std::string_view(node.inputSource);
        ++placeholder;
        if (contains(node.target, "tangents") || contains(node.target, "seed") ||
            contains(node.target, "base_offset")) {
            continue;
        }
        if (isStatic(node, source) || parameters.contains(source)) {
            positions.push_back(primal);
        }
        ++primal;
    }
    return positions;
}

} // namespace aotscope::passes
