#include "explore/partition_rows.h"

#include "base/joined.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace aotscope::session {
namespace {

/// Calls of partitioned subgraphs are new nodes without a module; other nodes are found by name in the
/// original joint graph.
std::string moduleOf(const GraphSnapshot& joint, const std::string& name) {
    const auto node = joint.graph->tryFind(name);
    return node ? joint.modules.ofNode[node->index()].path : std::string();
}

std::string sourceOf(const ir::Node& node) {
    if (!node.origin || !node.origin->source) {
        return {};
    }
    return node.origin->source->file + ":" + std::to_string(node.origin->source->line);
}

using Ranges = std::unordered_map<std::string_view, const memory::LiveRange*>;

/// Ranges by the names of all values in them. If a name occurs twice, the first one in program order counts.
Ranges rangesByName(const memory::MemoryProfile& profile) {
    Ranges ranges;
    for (const memory::LiveRange& range : profile.ranges) {
        ranges.try_emplace(range.name, &range);
        for (const std::string& alias : range.aliases) {
            ranges.try_emplace(alias, &range);
        }
    }
    return ranges;
}

double shareAtPeak(const memory::LiveRange& range, const memory::Peak& peak) {
    const bool alive = range.from <= peak.position && peak.position <= range.last;
    return alive && peak.bytes > 0 ? static_cast<double>(range.bytes) / static_cast<double>(peak.bytes) : 0;
}

/// A row with what all rows have.
template<typename Row>
Row rowOf(const GraphSnapshot& joint, const passes::Partition& partition, ir::NodeId id) {
    const ir::Node& node = partition.joint->node(id);
    Row row;
    row.node = id;
    row.name = node.name;
    row.bytes = partition.report.nodes[id.index()].bytes;
    row.reason = passes::decisionText(*partition.joint, partition.report, id);
    row.module = moduleOf(joint, node.name);
    row.source = sourceOf(node);
    return row;
}

} // namespace

std::vector<SavedTensor> savedTensors(const GraphSnapshot& joint, const passes::Partition& partition,
                                      const memory::MemoryProfile& profile) {
    const Ranges ranges = rangesByName(profile);
    std::vector<SavedTensor> rows;
    for (const auto* names : {&partition.savedTensors, &partition.savedSymbols}) {
        for (const std::string& name : *names) {
            const auto id = partition.joint->tryFind(name);
            if (!id) {
                continue;
            }
            const ir::Node& node = partition.joint->node(*id);
            auto row = rowOf<SavedTensor>(joint, partition, *id);
            if (const ir::TensorMeta* tensor = ir::asTensor(node.value)) {
                row.dtype = ir::dtypeName(tensor->dtype);
                row.shape = "[" + base::joined(tensor->shape) + "]";
            }
            row.op = node.op == ir::Opcode::CallFunction ? node.target : std::string();
            if (const auto range = ranges.find(name); range != ranges.end()) {
                row.from = range->second->from;
                row.last = range->second->last;
                row.shareOfPeak = shareAtPeak(*range->second, profile.peak);
                row.category = range->second->category;
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::vector<RecomputedValue> recomputedValues(const GraphSnapshot& joint,
                                              const passes::Partition& partition) {
    std::vector<RecomputedValue> rows;
    for (const passes::RecomputedNode& again : passes::recomputedNodes(partition)) {
        auto row = rowOf<RecomputedValue>(joint, partition, again.node);
        row.flops = again.flops;
        if (const auto copy = partition.backward->tryFind(row.name)) {
            row.position = partition.backward->position(*copy);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace aotscope::session
