#include "passes/subgraph_calls.h"

#include "passes/node_annotations.h"

#include "ir/higher_order.h"

#include <algorithm>
#include <optional>

namespace aotscope::passes {
namespace {

std::optional<double> callId(const ir::Node& call) {
    return annotatedNumber(call, "call_id");
}

ir::NodeId forwardWithId(const ir::Graph& joint, const SubgraphCalls& calls, ir::NodeId backward) {
    const auto wanted = callId(joint.node(backward));
    const auto found = std::ranges::find_if(
        calls.forward, [&](ir::NodeId id) { return wanted && callId(joint.node(id)) == wanted; });
    return found == calls.forward.end() ? ir::NodeId() : *found;
}

} // namespace

std::string_view identifierOf(const ir::Node& node) {
    if (node.op != ir::Opcode::CallFunction ||
        !ir::isHigherOrder(node.target, ir::HigherOrder::InvokeSubgraph) || node.args.size() < 2) {
        return {};
    }
    const std::string* text = node.args[1].as<std::string>();
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

SubgraphCalls subgraphCalls(const ir::Graph& joint) {
    SubgraphCalls calls;
    for (const ir::NodeId id : joint.order()) {
        const std::string_view identifier = identifierOf(joint.node(id));
        if (identifier.starts_with("fw")) {
            calls.forward.push_back(id);
        } else if (identifier.starts_with("bw")) {
            calls.backward.push_back(id);
        }
    }
    return calls;
}

std::vector<ir::NodeId> forwardCalls(const ir::Graph& joint, const SubgraphCalls& calls,
                                     const PartitionRules& rules) {
    std::vector<ir::NodeId> forward;
    if (rules.pairsCallsById) {
        for (const ir::NodeId backward : calls.backward) {
            forward.push_back(forwardWithId(joint, calls, backward));
        }
        if (std::ranges::all_of(forward, &ir::NodeId::valid)) {
            return forward;
        }
    }
    return calls.forward.size() == calls.backward.size()
               ? std::vector<ir::NodeId>(calls.forward.rbegin(), calls.forward.rend())
               : std::vector<ir::NodeId>();
}

} // namespace aotscope::passes
