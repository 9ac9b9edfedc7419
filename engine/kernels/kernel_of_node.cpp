#include "kernels/kernel_of_node.h"

#include <vector>

namespace aotscope::kernels {

namespace {

bool launchesNothing(NodeFateKind kind) {
    return kind == NodeFateKind::NoKernel || kind == NodeFateKind::View || kind == NodeFateKind::FoldedView;
}

} // namespace

KernelOfNode kernelsOfNodes(const ir::Graph& graph, const FusionPlan& plan) {
    KernelOfNode kernels;
    std::optional<std::size_t> last;
    std::vector<ir::NodeId> between;
    for (const ir::NodeId id : graph.order()) {
        const NodeFate& fate = plan.fates[id.index()];
        if (launchesNothing(fate.kind)) {
            // Views are among a kernel's nodes too, but stand where the graph has them.
            between.push_back(id);
            continue;
        }
        if (fate.group) {
            const std::string& name = plan.groups[*fate.group].kernel.name;
            kernels.emplace(graph.node(id).name, name);
            for (const ir::NodeId view : last == fate.group ? between : std::vector<ir::NodeId>()) {
                kernels.emplace(graph.node(view).name, name);
            }
        }
        between.clear();
        last = fate.group;
    }
    return kernels;
}

} // namespace aotscope::kernels
