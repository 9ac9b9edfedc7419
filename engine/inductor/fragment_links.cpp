#include "inductor/link_state.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

/// The comments that describe what a launch's kernel computes; a multi-kernel's are those of its first
/// choice.
const Kernel& described(const OutputCode& code, const Kernel& kernel) {
    if (kernel.comments.nodes.empty() && !kernel.choices.empty()) {
        if (const Kernel* choice = code.tryKernel(kernel.choices.front())) {
            return *choice;
        }
    }
    return kernel;
}

/// The launch that a kernel's comment describes: code that two places share is defined for the first.
std::optional<std::uint32_t> describedLaunch(const OutputCode& code, const Kernel& kernel,
                                             const KernelComments& comments) {
    for (const std::uint32_t launch : kernel.launches) {
        if (code.launches[launch].comments.sourceNodes == comments.sourceNodes) {
            return launch;
        }
    }
    return kernel.launches.empty() ? std::nullopt : std::optional(kernel.launches.front());
}

} // namespace

void linkFragments(LinkState& state) {
    for (const Kernel& kernel : state.code.kernels) {
        const KernelComments& comments = described(state.code, kernel).comments;
        const std::optional<std::uint32_t> launch = describedLaunch(state.code, kernel, comments);
        if (!launch || comments.nodes.empty() || state.flow.launches[*launch].inSubgraph) {
            continue;
        }
        for (const FragmentNode& named : comments.nodes) {
            const std::optional<ir::NodeId> node = state.graph().tryFind(named.name);
            if (!node) {
                state.disagree("The comment of " + kernel.name + " names " + named.name +
                               ", which the graph has not.");
            } else if (operatorName(state.graph().node(*node).target) != operatorName(named.target)) {
                state.disagree("The comment of " + kernel.name + " says that " + named.name + " calls " +
                               named.target + "; in the graph it calls " + state.graph().node(*node).target +
                               ".");
            } else {
                state.addLink(*launch, *node, EvidenceSet() | Evidence::Fragment);
            }
        }
        const LaunchFlow& flow = state.flow.launches[*launch];
        for (std::size_t place = 0;
             place < flow.writes.size() && flow.writes.size() == comments.writes.size(); ++place) {
            const std::optional<ir::NodeId> node = state.graph().tryFind(comments.writes[place]);
            // An operator that later works in place on the buffer can be named here, too.
            const bool own = std::ranges::any_of(comments.nodes, [&](const FragmentNode& named) {
                return named.name == comments.writes[place];
            });
            if (node && (own || state.facts.isElement(*node)) &&
                state.fits(state.flow.values[flow.writes[place]], *node)) {
                state.setNode(flow.writes[place], state.facts.root(*node));
            }
        }
    }
}

} // namespace aotscope::inductor
