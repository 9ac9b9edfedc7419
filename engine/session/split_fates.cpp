#include "session/split_fates.h"

namespace aotscope::session {
namespace {

layout::NodeFate fateOf(passes::NodeFate fate) {
    switch (fate) {
    case passes::NodeFate::Saved:
        return layout::NodeFate::Saved;
    case passes::NodeFate::Recomputed:
        return layout::NodeFate::Recomputed;
    default:
        return layout::NodeFate::Free;
    }
}

} // namespace

layout::NodeFates fatesIn(const ir::Graph& drawn, const StepSnapshot& step) {
    layout::NodeFates fates(drawn.idBound(), layout::NodeFate::Free);
    const ir::Graph& joint = *step.partition.joint;
    for (const ir::NodeId node : drawn.order()) {
        const auto known = &drawn == &joint ? std::optional(node) : joint.tryFind(drawn.node(node).name);
        if (known) {
            fates[node.index()] = fateOf(step.partition.report.nodes[known->index()].fate);
        }
    }
    return fates;
}

} // namespace aotscope::session
