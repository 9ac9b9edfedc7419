#include "passes/static_inputs.h"

#include "base/text_search.h"

#include <string_view>

namespace aotscope::passes {
namespace {

bool isStatic(const ir::Node& input, std::string_view source) {
    if (base::contains(source, "._parameters[") || base::contains(source, "._buffers[")) {
        return true;
    }
    const ir::AOTInput* descriptor = ir::inputDescriptor(input);
    return descriptor != nullptr && (ir::isParam(*descriptor) || ir::isBuffer(*descriptor));
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
        const ir::AOTInput* descriptor = ir::inputDescriptor(node);
        // PyTorch counts without tokens and looks the positions up with them; this counts likewise.
        if (descriptor != nullptr &&
            (!ir::isPrimal(*descriptor) || descriptor->as<ir::ForwardTokenAOTInput>())) {
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
