#include "trace/dead_code.h"

#include "dispatch/operators.h"

#include "ir/map_nodes.h"
#include "ir/operator_name.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace aotscope::torch {

namespace {

/// Whether a target has the form "aten.relu.default". Python functions ("_operator.getitem") have not;
/// looking them up in the dispatcher would read the names of all operators.
bool namesOverload(std::string_view target) {
    return !ir::splitTarget(target).overload.empty();
}

/// Functions that a pre-dispatch graph keeps because they set thread state.
bool setsState(std::string_view target) {
    return target == "torch._C._set_grad_enabled" || target.starts_with("torch.amp.autocast_mode._");
}

bool isImpure(const ir::Node& node, bool keepsRandom) {
    if (node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output) {
        return true;
    }
    if (node.op != ir::Opcode::CallFunction || !namesOverload(node.target)) {
        return false;
    }
    if (setsState(node.target) || node.target == "prims._sink_tokens.default") {
        return true;
    }
    const auto op = findOperator(node.target);
    if (!op) {
        return false;
    }
    if (op->schema().is_mutable()) {
        return true;
    }
    return (keepsRandom && op->hasTag(at::Tag::nondeterministic_seeded)) ||
           node.target.starts_with("aten._assert");
}

const ir::SymbolicMeta* symbolicValue(const ir::Node& node) {
    return std::get_if<ir::SymbolicMeta>(&node.value);
}

/// The nodes among a node's arguments, with repetitions.
std::vector<ir::NodeId> inputsOf(const ir::Node& node) {
    std::vector<ir::NodeId> inputs;
    for (const ir::Argument& argument : node.args) {
        ir::forEachNode(argument, [&](ir::NodeId id) { inputs.push_back(id); });
    }
    return inputs;
}

/// Whether a node computes a symbol from symbols, or reads a size off a tensor.
bool isSymbolArithmetic(const ir::GraphContents& graph, const ir::Node& node) {
    if (node.op != ir::Opcode::CallFunction || symbolicValue(node) == nullptr) {
        return false;
    }
    const std::vector<ir::NodeId> inputs = inputsOf(node);
    return node.target.starts_with("aten.sym_") ||
           std::all_of(inputs.begin(), inputs.end(),
                       [&](ir::NodeId id) { return symbolicValue(graph.node(id)) != nullptr; });
}

} // namespace

void dedupeSymbols(ir::GraphBuilder& graph) {
    graph.eraseUnused([&](const ir::Node& node) { return isSymbolArithmetic(graph, node); });
    std::unordered_map<std::string, ir::NodeId> first;
    std::vector<bool> fromInputs(graph.idBound());
    std::vector<bool> replaced(graph.idBound());
    const std::vector<ir::NodeId> order(graph.order().begin(), graph.order().end());
    for (const ir::NodeId id : order) {
        const ir::Node& node = graph.node(id);
        const ir::SymbolicMeta* value = symbolicValue(node);
        if (value == nullptr) {
            continue;
        }
        const std::string text(value->expression.text());
        const std::vector<ir::NodeId> inputs = inputsOf(node);
        if (node.op == ir::Opcode::Placeholder) {
            fromInputs[id.index()] = true;
            first.insert_or_assign(text, id);
        } else if (const auto known = first.find(text); known != first.end()) {
            graph.replaceAllUses(id, known->second);
            replaced[id.index()] = true;
        } else if (std::all_of(inputs.begin(), inputs.end(),
                               [&](ir::NodeId input) { return fromInputs[input.index()]; })) {
            fromInputs[id.index()] = true;
            first.emplace(text, id);
        }
    }
    graph.erase(replaced);
}

void eliminateDeadCode(ir::GraphBuilder& graph, bool keepsRandom) {
    graph.eraseUnused([&](const ir::Node& node) { return !isImpure(node, keepsRandom); });
}

} // namespace aotscope::torch
