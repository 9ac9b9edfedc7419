#include "hooks/hook_graph_text.h"

#include "base/joined.h"
#include "ir/dtype.h"
#include "ir/text/printer.h"

namespace aotscope::views {

namespace {

/// "f32[8, s0]"; empty for what is no tensor.
std::string typeText(const ir::Node& node) {
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    if (tensor == nullptr) {
        return {};
    }
    return std::string(ir::dtypeShortName(tensor->dtype)) + "[" + base::joined(tensor->shape) + "]";
}

std::string commentOf(const ir::Node& node) {
    const std::string type = typeText(node);
    return type.empty() ? "\n" : "  # " + type + "\n";
}

/// The operator's name alone, without "torch.ops.".
std::string shortCall(const ir::Graph& graph, ir::NodeId id) {
    constexpr std::string_view prefix = "torch.ops.";
    std::string call = ir::callText(graph, id);
    return call.starts_with(prefix) ? call.substr(prefix.size()) : call;
}

} // namespace

std::string hookGraphText(const ir::Graph& graph, std::string_view name) {
    std::string inputs;
    std::string types;
    std::string body;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::Placeholder) {
            inputs += (inputs.empty() ? "" : ", ") + node.name;
            const std::string type = typeText(node);
            types += (types.empty() || type.empty() ? "" : ", ") + type;
        } else if (node.op == ir::Opcode::Output) {
            std::string returned = base::joined(node.args, ", ", [&](const ir::Argument& argument) {
                return ir::argumentText(graph, argument);
            });
            body += "    return " + returned + "\n";
        } else {
            body += "    " + node.name + " = " + shortCall(graph, id) + commentOf(node);
        }
    }
    return "def " + std::string(name) + "(" + inputs + "):" + (types.empty() ? "" : "  # " + types) + "\n" +
           body;
}

} // namespace aotscope::views
