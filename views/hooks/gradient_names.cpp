#include "hooks/gradient_names.h"

#include "common/format.h"
#include "ir/text/descriptor_text.h"

namespace aotscope::views {

namespace {

QString sourceOf(const session::GraphSnapshot& joint, const ir::Node& placeholder, std::size_t position) {
    const ir::AOTInput& descriptor = *ir::inputDescriptor(placeholder);
    if (const auto* parameter = descriptor.as<ir::ParamAOTInput>()) {
        return text(parameter->target);
    }
    return text(position < joint.inputSources.size() ? joint.inputSources[position]
                                                     : placeholder.inputSource);
}

} // namespace

std::map<std::string, QString> gradientNames(const session::GraphSnapshot& joint) {
    std::map<std::string, QString> names;
    std::size_t position = 0;
    for (const ir::NodeId id : joint.graph->order()) {
        const ir::Node& node = joint.graph->node(id);
        if (node.op != ir::Opcode::Placeholder) {
            continue;
        }
        if (const ir::AOTInput* descriptor = ir::inputDescriptor(node)) {
            const QString source = sourceOf(joint, node, position);
            names.emplace(ir::descriptorText(ir::AOTOutput{ir::GradAOTOutput{*descriptor}}),
                          source.isEmpty() ? text(node.name)
                                           : text(node.name) + QStringLiteral("  ") + source);
        }
        ++position;
    }
    return names;
}

} // namespace aotscope::views
