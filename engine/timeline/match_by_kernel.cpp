#include "timeline/node_matchers.h"

#include "base/mapped.h"
#include "timeline/fused_names.h"

#include "base/numbers.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace aotscope::timeline {

namespace {

using NodesOfKernel = std::vector<std::pair<std::uint32_t, ir::NodeId>>;

/// "triton_poi_fused_add_gelu_12" → 12; Inductor numbers kernels in the order of the program.
std::size_t numberOfKernel(std::string_view name) {
    const std::size_t last = name.rfind('_');
    return last == std::string_view::npos
               ? 0
               : base::leadingNumber<std::size_t>(name.substr(last + 1)).value_or(0);
}

/// Names of fused kernels among the names of the timeline, in the order of their numbers.
std::vector<std::string> fusedKernels(const Timeline& timeline) {
    std::vector<std::string> names;
    for (const std::string& name : timeline.parts().names) {
        if (isFusedKernel(name)) {
            names.push_back(name);
        }
    }
    std::ranges::sort(names, {},
                      [](const std::string& name) { return std::pair(numberOfKernel(name), name); });
    return names;
}

/// The nodes of a graph by their operators' short names, in program order.
std::map<std::string, std::vector<ir::NodeId>> nodesByOperator(const ir::Graph& graph) {
    std::map<std::string, std::vector<ir::NodeId>> nodes;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        const std::string& target = node.originalAten.empty() ? node.target : node.originalAten;
        if (const std::string_view name = shortOperatorName(target);
            node.op == ir::Opcode::CallFunction && !name.empty()) {
            nodes[std::string(name)].push_back(id);
        }
    }
    return nodes;
}

/// Each graph numbers its kernels from 0, so names identify kernels in one graph only.
std::map<std::string, NodesOfKernel> nodesByName(const std::vector<std::string>& kernels,
                                                 const NodeMatches& matches) {
    std::map<std::string, NodesOfKernel> found;
    for (std::uint32_t number = 0; number < matches.graphs.size(); ++number) {
        const auto nodes = nodesByOperator(*matches.graphs[number].graph);
        const auto known = base::mapped(nodes, [](const auto& each) { return each.first; });
        std::map<std::string, std::vector<std::string>> kernelsOf;
        for (const std::string& kernel : kernels) {
            for (const std::string& name : operatorsOfKernel(kernel, known)) {
                kernelsOf[name].push_back(kernel);
            }
        }
        for (const auto& [name, listing] : kernelsOf) {
            const std::vector<ir::NodeId>& ids = nodes.at(name);
            for (std::size_t at = 0; ids.size() == listing.size() && at < ids.size(); ++at) {
                found[listing[at]].emplace_back(number, ids[at]);
            }
        }
    }
    // An operator that two graphs have tells nothing.
    std::erase_if(found, [](const auto& entry) {
        return std::ranges::any_of(
            entry.second, [&](const auto& node) { return node.first != entry.second.front().first; });
    });
    return found;
}

NodesOfKernel resolved(const std::vector<std::pair<std::uint32_t, std::string>>& names,
                       const NodeMatches& matches) {
    NodesOfKernel nodes;
    for (const auto& [graph, name] : names) {
        if (graph < matches.graphs.size()) {
            if (const auto node = matches.graphs[graph].graph->tryFind(name)) {
                nodes.emplace_back(graph, *node);
            }
        }
    }
    return nodes;
}

} // namespace

void matchByKernelNames(const Timeline& timeline, const KernelNodes& kernelNodes, NodeMatches& matches) {
    auto byName = nodesByName(fusedKernels(timeline), matches);
    for (const auto& [kernel, names] : kernelNodes) {
        byName[kernel] = resolved(names, matches);
    }
    const std::vector<std::string>& names = timeline.parts().names;
    std::vector<const NodesOfKernel*> ofName(names.size(), nullptr);
    for (std::size_t number = 0; number < names.size(); ++number) {
        if (const auto known = byName.find(names[number]); known != byName.end()) {
            ofName[number] = &known->second;
        }
    }
    for (std::uint32_t number = 0; number < timeline.rows().size(); ++number) {
        const Row& row = *timeline.rows()[number];
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            const NodesOfKernel* nodes = ofName[row.names[index]];
            if (nodes == nullptr) {
                continue;
            }
            for (const auto& [graph, node] : *nodes) {
                matches.nodes.push_back({graph, node, MatchedBy::KernelName, {number, index}});
            }
        }
    }
}

} // namespace aotscope::timeline
