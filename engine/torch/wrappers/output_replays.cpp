#include "wrappers/output_replays.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

/// The value that the graph copies into a placeholder; invalid: none.
ir::NodeId writtenTo(const ir::Graph& graph, ir::NodeId placeholder) {
    for (const ir::NodeId user : graph.users(placeholder)) {
        const ir::Node& node = graph.node(user);
        if (node.target == "aten.copy_.default" && node.args.size() >= 2) {
            const ir::NodeId* into = node.args[0].as<ir::NodeId>();
            const ir::NodeId* value = node.args[1].as<ir::NodeId>();
            if (into != nullptr && *into == placeholder && value != nullptr) {
                return *value;
            }
        }
    }
    return {};
}

} // namespace

OutputReplays outputReplays(const aot::CompiledFunction& function, const aot::RuntimeWrapper& wrapper) {
    OutputReplays replays(wrapper.outputs.size());
    const ir::GraphPtr graph = function.forward();
    if (!graph) {
        return replays;
    }
    const std::size_t tokens = aot::countInputs<ir::ForwardTokenAOTInput>(*graph);
    const std::vector<ir::NodeId> placeholders = graph->placeholders();
    const std::vector<ir::NodeId> returned = returnedNodes(*graph);
    const std::size_t first = tokens + wrapper.mutations.size();
    const auto returnedAt = [&](std::size_t position) {
        return position < returned.size() ? returned[position] : ir::NodeId();
    };
    for (std::size_t i = 0; i < wrapper.outputs.size(); ++i) {
        const aot::OutputHandler& handler = wrapper.outputs[i];
        const ir::NodeId value = returnedAt(first + i);
        std::vector<ir::NodeId> bases;
        if (handler.handler == aot::AliasHandler::AliasOfIntermediate) {
            bases.push_back(returnedAt(first + handler.baseIndex.value()));
        } else if (handler.handler == aot::AliasHandler::AliasOfInput) {
            const std::size_t input = handler.baseIndex.value();
            const auto mutation =
                std::ranges::find(wrapper.mutations, input, [](const auto& each) { return each.input; });
            if (mutation != wrapper.mutations.end()) {
                bases.push_back(
                    returnedAt(tokens + static_cast<std::size_t>(mutation - wrapper.mutations.begin())));
            }
            if (tokens + input < placeholders.size()) {
                bases.push_back(placeholders[tokens + input]);
                bases.push_back(writtenTo(*graph, bases.back()));
            }
        }
        for (const ir::NodeId base : bases) {
            if (value.valid() && base.valid() && !replays[i]) {
                replays[i] = ViewReplay::between(*graph, base, value);
            }
        }
    }
    return replays;
}

} // namespace aotscope::torch
