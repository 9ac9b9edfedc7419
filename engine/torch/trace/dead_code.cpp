#include "trace/dead_code.h"

#include "run/operators.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string_view>

namespace aotscope::torch {

namespace {

/// "aten.relu.default"; a function of Python's ("_operator.getitem") is none, and asking the dispatcher for
/// it reads every operator's name.
bool namesOverload(std::string_view target) {
    return target.find('.') != target.rfind('.');
}

bool isImpure(const ir::Node& node) {
    if (node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output) {
        return true;
    }
    if (node.op != ir::Opcode::CallFunction || !namesOverload(node.target)) {
        return false;
    }
    const auto op = findOperator(node.target);
    if (!op) {
        return false;
    }
    if (op->schema().is_mutable()) {
        return true;
    }
    const auto tags = op->getTags();
    return std::find(tags.begin(), tags.end(), at::Tag::nondeterministic_seeded) != tags.end() ||
           node.target.starts_with("aten._assert");
}

void countUses(const ir::Node& node, std::vector<std::uint32_t>& uses, int by) {
    const auto count = [&](ir::NodeId id) { uses[id.index()] += static_cast<std::uint32_t>(by); };
    for (const ir::Argument& argument : node.args) {
        ir::forEachNode(argument, count);
    }
    for (const ir::KeywordArgument& argument : node.kwargs) {
        ir::forEachNode(argument.value, count);
    }
}

} // namespace

void eliminateDeadCode(ir::Graph& graph) {
    std::vector<std::uint32_t> uses(graph.idBound());
    const std::vector<ir::NodeId> order(graph.order().begin(), graph.order().end());
    for (const ir::NodeId id : order) {
        countUses(graph.node(id), uses, 1);
    }
    std::vector<bool> dead(graph.idBound());
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
        if (uses[id->index()] == 0 && !isImpure(graph.node(*id))) {
            countUses(graph.node(*id), uses, -1);
            dead[id->index()] = true;
        }
    }
    graph.erase(dead);
}

} // namespace aotscope::torch
