#include "backward_inputs.h"
#include "partition_run.h"
#include "table.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

std::string partitionerName(const PartitionRun& run) {
    return run.options.partitioner == passes::Partitioner::Default ? "default" : "min-cut";
}

/// The name lists of a partition as nodes of the joint graph.
std::vector<ir::NodeId> jointNodes(const PartitionRun& run, const std::vector<std::string>& names) {
    std::vector<ir::NodeId> nodes;
    for (const std::string& name : names) {
        if (const auto id = run.partition->joint->tryFind(name)) {
            nodes.push_back(*id);
        }
    }
    return nodes;
}

std::int64_t savedBytes(const PartitionRun& run) {
    std::int64_t total = 0;
    for (const ir::NodeId id : jointNodes(run, run.partition->savedTensors)) {
        total += run.partition->report.nodes[id.index()].bytes;
    }
    return total;
}

std::vector<ir::NodeId> recomputedNodes(const PartitionRun& run) {
    std::vector<ir::NodeId> nodes;
    for (const ir::NodeId id : run.partition->joint->order()) {
        if (run.partition->report.nodes[id.index()].fate == passes::NodeFate::Recomputed) {
            nodes.push_back(id);
        }
    }
    return nodes;
}

/// Calls of partitioned subgraphs are new; the others are found by name in the logged graph.
std::string moduleOf(const PartitionRun& run, ir::NodeId id) {
    const auto logged = run.joint->graph->tryFind(run.partition->joint->node(id).name);
    return logged ? run.joint->modules.ofNode[logged->index()].path : std::string();
}

std::string sourceOf(const ir::Node& node) {
    if (!node.origin || !node.origin->source) {
        return {};
    }
    return node.origin->source->file + ":" + std::to_string(node.origin->source->line);
}

std::string dtypeOf(const ir::Node& node) {
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    return tensor == nullptr ? std::string() : std::string(ir::dtypeName(tensor->dtype));
}

std::vector<std::string> shapeOf(const ir::Node& node) {
    std::vector<std::string> shape;
    if (const ir::TensorMeta* tensor = ir::asTensor(node.value)) {
        for (const ir::SymInt& size : tensor->shape) {
            shape.push_back(size.text());
        }
    }
    return shape;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text = "[";
    for (const std::string& part : parts) {
        text += (text.size() > 1 ? ", " : "") + part;
    }
    return text + "]";
}

Json nodeJson(const PartitionRun& run, ir::NodeId id) {
    const ir::Graph& joint = *run.partition->joint;
    const ir::Node& node = joint.node(id);
    const passes::NodeDecision& decision = run.partition->report.nodes[id.index()];
    Json json{{"name", node.name},
              {"target", node.target},
              {"bytes", decision.bytes},
              {"dtype", dtypeOf(node)},
              {"shape", shapeOf(node)},
              {"module", moduleOf(run, id)},
              {"source", sourceOf(node)},
              {"distance_from_backward", orNull(decision.distanceFromBackward)},
              {"weight", orNull(decision.weight)},
              {"reason", passes::decisionText(joint, run.partition->report, id)}};
    json["bans"] = Json::array();
    for (const passes::Ban& ban : decision.bans) {
        json["bans"].push_back(passes::banText(joint, ban));
    }
    return json;
}

Json nodesJson(const PartitionRun& run, const std::vector<ir::NodeId>& nodes) {
    Json list = Json::array();
    for (const ir::NodeId id : nodes) {
        list.push_back(nodeJson(run, id));
    }
    return list;
}

std::string verdict(const PartitionRun& run) {
    if (run.error) {
        return "failed: " + run.error->message;
    }
    if (!run.equal) {
        return {};
    }
    return *run.equal ? "equal" : "differs: " + run.differences.front();
}

} // namespace

std::string partitionTable(const PartitionRun& run) {
    const passes::Partition& partition = *run.partition;
    Table table({{"saved"},
                 {"bytes", Table::Align::Right},
                 {"dtype"},
                 {"shape"},
                 {"module", Table::Align::Left, Table::Kept::End},
                 {"why"}});
    for (const auto* names : {&partition.savedTensors, &partition.savedSymbols}) {
        for (const ir::NodeId id : jointNodes(run, *names)) {
            const ir::Node& node = run.partition->joint->node(id);
            const std::vector<std::string> shape = shapeOf(node);
            table.add({node.name, std::to_string(partition.report.nodes[id.index()].bytes), dtypeOf(node),
                       ir::asTensor(node.value) == nullptr ? "" : joined(shape), moduleOf(run, id),
                       passes::decisionText(*run.partition->joint, partition.report, id)});
        }
    }
    std::string text = table.empty() ? std::string() : table.text(resultWidth());
    text += std::to_string(run.joint->graph->size()) + " nodes: forward " +
            std::to_string(partition.forward->size()) + ", backward " +
            std::to_string(partition.backward->size()) + "; " + std::to_string(recomputedNodes(run).size()) +
            " computed again; saved " + bytesText(savedBytes(run)) + " (" + partitionerName(run) +
            ", from the logged joint graph)\n";
    return text + backwardInputsTable(run.backwardInputs);
}

std::string partitionSummary(const std::vector<PartitionRun>& runs) {
    Table table({{"graph", Table::Align::Left, Table::Kept::End},
                 {"partitioner"},
                 {"nodes", Table::Align::Right},
                 {"forward", Table::Align::Right},
                 {"backward", Table::Align::Right},
                 {"saved", Table::Align::Right},
                 {"bytes", Table::Align::Right},
                 {"again", Table::Align::Right},
                 {"compared"}});
    for (const PartitionRun& run : runs) {
        std::vector<std::string> cells{run.title, partitionerName(run),
                                       std::to_string(run.joint->graph->size())};
        if (run.partition) {
            const passes::Partition& partition = *run.partition;
            cells.push_back(std::to_string(partition.forward->size()));
            cells.push_back(std::to_string(partition.backward->size()));
            cells.push_back(std::to_string(partition.savedTensors.size() + partition.savedSymbols.size()));
            cells.push_back(bytesText(savedBytes(run)));
            cells.push_back(std::to_string(recomputedNodes(run).size()));
        } else {
            cells.resize(8);
        }
        cells.push_back(verdict(run));
        table.add(std::move(cells));
    }
    return table.text(resultWidth());
}

Json partitionJson(const PartitionRun& run) {
    Json json{{"graph", run.title}, {"input", "logged joint graph"}, {"partitioner", partitionerName(run)}};
    json["error"] = run.error ? errorJson(*run.error) : Json(nullptr);
    json["equal"] = orNull(run.equal);
    json["differences"] = run.differences;
    json["notes"] = run.notes;
    if (!run.partition) {
        return json;
    }
    const passes::Partition& partition = *run.partition;
    json["nodes"] = run.joint->graph->size();
    json["forward_nodes"] = partition.forward->size();
    json["backward_nodes"] = partition.backward->size();
    json["forward_outputs"] = partition.forwardOutputs;
    json["static_inputs"] = run.options.staticInputs;
    json["memory_budget"] = run.options.memoryBudget;
    json["saved_bytes"] = savedBytes(run);
    json["saved"] = nodesJson(run, jointNodes(run, partition.savedTensors));
    json["saved_symbols"] = nodesJson(run, jointNodes(run, partition.savedSymbols));
    json["recomputed"] = nodesJson(run, recomputedNodes(run));
    json["donated_inputs_of_backward"] = passes::donatedBuffers(partition);
    json["backward_inputs"] = backwardInputsJson(run.backwardInputs);
    json["cut_weight"] = partition.report.cutWeight;
    return json;
}

} // namespace aotscope::cli
