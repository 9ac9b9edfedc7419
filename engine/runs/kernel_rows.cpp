#include "runs/kernel_rows.h"

#include "ir/op_schema.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace aotscope::session {

namespace {

/// Whether a result of that type is memory of an argument that the operator does not write to: "Tensor(a)",
/// and not "Tensor(a!)".
bool isViewType(const std::string& type) {
    return type.find('(') != std::string::npos && type.find('!') == std::string::npos;
}

bool isViewOperator(const std::string& target) {
    if (ir::Operator(target).is(ir::Trait::HiddenView)) {
        return true;
    }
    const auto schema = ir::trySchema(target);
    return schema && !schema->returns.empty() && std::ranges::all_of(schema->returns, isViewType);
}

bool isNumberOperator(std::string_view target) {
    return target.starts_with("_operator.") || ir::isSymbolicOperator(target) ||
           target.starts_with("torch.sym_") || target.starts_with("math.");
}

KernelRow rowOf(const ir::Graph& graph, ir::NodeId id, const std::map<ir::NodeId, std::int64_t>& times) {
    const ir::Node& node = graph.node(id);
    KernelRow row{node.name, node.target, {id}, {}, 0, {}, {}};
    if (const auto time = times.find(id); time != times.end()) {
        row.nanoseconds = time->second;
        row.calls = 1;
    }
    return row;
}

/// Makes a node's row a part of another one.
void addPart(KernelRow& row, KernelRow node) {
    row.calls += node.calls;
    if (node.nanoseconds) {
        row.nanoseconds = row.nanoseconds.value_or(0) + *node.nanoseconds;
    }
    row.parts.push_back(std::move(node));
}

std::vector<KernelRow> byOperator(std::vector<KernelRow> nodes) {
    std::vector<KernelRow> rows;
    std::map<std::string, std::size_t> rowOfTarget;
    for (KernelRow& node : nodes) {
        const auto [place, isNew] = rowOfTarget.emplace(node.target, rows.size());
        if (isNew) {
            rows.push_back({node.target, {}, {}, {}, 0, {}, {}});
        }
        KernelRow& row = rows[place->second];
        row.nodes.push_back(node.nodes.front());
        addPart(row, std::move(node));
    }
    return rows;
}

} // namespace

bool launchesKernel(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction && !isNumberOperator(node.target) &&
           !isViewOperator(node.target);
}

std::vector<KernelRow> kernelRows(const ir::Graph& graph, const RunSnapshot* run, KernelGrouping grouping) {
    std::map<ir::NodeId, std::int64_t> times;
    for (const NodeRun& node : run != nullptr ? run->nodes : std::vector<NodeRun>()) {
        times.emplace(node.node, node.nanoseconds);
    }
    // Most nodes share few operators, and a schema is parsed at each question.
    std::map<std::string, bool> launches;
    std::vector<KernelRow> rows;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op != ir::Opcode::CallFunction) {
            continue;
        }
        const auto [known, isNew] = launches.emplace(node.target, false);
        known->second = isNew ? launchesKernel(node) : known->second;
        if (known->second) {
            rows.push_back(rowOf(graph, id, times));
        }
    }
    return grouping == KernelGrouping::Operators ? byOperator(std::move(rows)) : rows;
}

std::vector<KernelRow> fusedKernelRows(const ir::Graph& graph, const RunSnapshot* run,
                                       const kernels::FusionPlan& plan) {
    std::map<ir::NodeId, std::size_t> rowOfGroupsNode;
    std::vector<KernelRow> rows;
    for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        const kernels::FusedKernel& kernel = plan.groups[i].kernel;
        rows.push_back({kernel.name, {}, kernel.nodes, {}, 0, {}, i});
        for (const ir::NodeId node : kernel.nodes) {
            rowOfGroupsNode.emplace(node, i);
        }
    }
    for (KernelRow& node : kernelRows(graph, run, KernelGrouping::Nodes)) {
        const auto group = rowOfGroupsNode.find(node.nodes.front());
        if (group == rowOfGroupsNode.end()) {
            rows.push_back(std::move(node));
            continue;
        }
        addPart(rows[group->second], std::move(node));
    }
    std::ranges::stable_sort(rows, {}, [&](const KernelRow& row) {
        return row.nodes.empty() ? 0 : graph.position(row.nodes.front());
    });
    return rows;
}

} // namespace aotscope::session
