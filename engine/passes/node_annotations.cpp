#include "passes/node_annotations.h"

#include "ir/bodies.h"

#include "base/numbers.h"

#include <set>

namespace aotscope::passes {
namespace {

constexpr std::string_view budgetKey = "_region_activation_memory_budget";

void addWithoutBudget(const ir::Graph& graph, std::span<const ir::NodeId> nodes,
                      std::vector<std::string>& names) {
    for (const ir::NodeId id : nodes) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::CallFunction && !annotatedNumber(node, budgetKey)) {
            names.push_back(node.name);
        }
    }
}

} // namespace

std::optional<double> annotatedNumber(const ir::Node& node, std::string_view key) {
    const std::string_view text = node.origin ? std::string_view(node.origin->annotation) : "";
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        const std::string_view rest = text.substr(at + key.size());
        constexpr std::string_view mark = "': ";
        if (at > 0 && text[at - 1] == '\'' && rest.starts_with(mark)) {
            if (const auto number = base::leadingNumber<double>(rest.substr(mark.size()))) {
                return number;
            }
        }
    }
    return std::nullopt;
}

base::Result<std::optional<double>> annotatedBudget(const ir::Graph& joint) {
    std::set<double> budgets;
    const auto add = [&budgets](const ir::Graph& graph) {
        for (const ir::NodeId id : graph.order()) {
            if (const auto budget = annotatedNumber(graph.node(id), budgetKey)) {
                budgets.insert(*budget);
            }
        }
    };
    add(joint);
    ir::forEachBody(joint, add);
    if (budgets.size() > 1) {
        return base::Error{.code = "passes.memory_budget",
                           .message = "The program gives several memory budgets for one graph.",
                           .hint = "A graph break between the regions makes a graph for each."};
    }
    return budgets.empty() ? std::optional<double>() : *budgets.begin();
}

std::vector<std::string> operatorsWithoutBudget(const ir::Graph& joint,
                                                const std::vector<ir::NodeId>& forward) {
    std::vector<std::string> names;
    addWithoutBudget(joint, forward, names);
    ir::forEachBody(joint, [&names](const ir::Graph& body) { addWithoutBudget(body, body.order(), names); });
    return names;
}

} // namespace aotscope::passes
