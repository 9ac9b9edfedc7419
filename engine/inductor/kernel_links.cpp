#include "inductor/kernel_links.h"

#include "inductor/link_state.h"
#include "ir/source_stack.h"

#include "base/joined.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

/// The operators in a kernel's name: "cpp_fused_add_relu_0" has "_add_relu_".
bool nameHas(const std::string& kernel, std::string_view operatorOfNode) {
    const std::size_t fused = kernel.find("_fused_");
    return fused != std::string::npos && !operatorOfNode.empty() &&
           kernel.find("_" + std::string(operatorOfNode) + "_", fused + 6) != std::string::npos;
}

void addNames(LinkState& state) {
    for (std::uint32_t launch = 0; launch < state.found.size(); ++launch) {
        const std::string& kernel = state.kernelOf(launch).name;
        const std::vector<std::string>& named = state.code.launches[launch].comments.sourceNodes;
        for (auto& [node, evidence] : state.found[launch]) {
            const ir::Node& call = state.graph().node(ir::NodeId(node));
            if (nameHas(kernel, operatorName(call.target))) {
                evidence = evidence | Evidence::Name;
            }
            if (std::ranges::find(named, call.name) != named.end()) {
                evidence = evidence | Evidence::SourceNode;
            }
        }
    }
}

const std::string& provenanceKey(const LinkState& state, std::uint32_t launch) {
    const std::string& named = state.code.launches[launch].comments.handleName;
    return named.empty() ? state.kernelOf(launch).name : named;
}

/// PyTorch's mapping decides where it has an entry; what else was found then only supports it.
void applyMapping(LinkState& state) {
    if (state.inputs.provenance == nullptr) {
        return;
    }
    for (std::uint32_t launch = 0; launch < state.found.size(); ++launch) {
        const Launch& call = state.code.launches[launch];
        const Kernel& kernel = state.kernelOf(launch);
        const std::string& key = provenanceKey(state, launch);
        const auto* entry = Provenance::tryFind(state.inputs.provenance->nodes, key, call.comments.handle);
        if (entry == nullptr) {
            continue;
        }
        std::unordered_map<std::uint32_t, EvidenceSet> mapped;
        // Keys without a handle stand for all launches of a kernel: here only those found for this one.
        const bool shared = entry->handle == 0 && kernel.launches.size() > 1 && !state.found[launch].empty();
        for (const std::string& name : entry->texts) {
            const std::optional<ir::NodeId> node = state.graph().tryFind(name);
            if (!node) {
                state.disagree("PyTorch's mapping gives " + key + " the node " + name +
                               ", which the graph has not.");
                continue;
            }
            const auto own = state.found[launch].find(node->index());
            if (own == state.found[launch].end() && shared) {
                continue;
            }
            const EvidenceSet before = own == state.found[launch].end() ? EvidenceSet() : own->second;
            mapped[node->index()] = before | Evidence::Mapping;
        }
        if (!mapped.empty()) {
            state.found[launch] = std::move(mapped);
        }
    }
}

class Conclusion {
public:
    explicit Conclusion(LinkState& state) : m_state(state), m_links(state.links) {}

    void conclude() {
        const std::size_t bound = m_state.graph().idBound();
        m_links.launches.resize(m_state.found.size());
        m_links.launchesOf.resize(bound);
        m_links.fates.assign(bound, NodeFate::Unknown);
        for (std::uint32_t launch = 0; launch < m_state.found.size(); ++launch) {
            concludeLaunch(launch);
        }
        for (const ir::NodeId node : m_state.graph().order()) {
            m_links.fates[node.index()] = fateOf(node);
        }
    }

private:
    void concludeLaunch(std::uint32_t launch) {
        LaunchLinks& links = m_links.launches[launch];
        for (const auto& [node, evidence] : m_state.found[launch]) {
            links.nodes.push_back({ir::NodeId(node), evidence});
            m_links.launchesOf[node].push_back(launch);
        }
        std::ranges::sort(links.nodes, [this](const NodeLink& left, const NodeLink& right) {
            return m_state.graph().position(left.node) < m_state.graph().position(right.node);
        });
        for (const NodeLink& link : links.nodes) {
            const auto& origin = m_state.graph().node(link.node).origin;
            if (origin && origin->source) {
                addSource(links, {*origin->source, origin->backwardOfForward, false});
            }
        }
        addStacks(launch, links);
        if (links.nodes.empty()) {
            links.unlinked = reason(launch);
        }
    }

    static void addSource(LaunchLinks& links, SourceLink source) {
        const bool known = std::ranges::any_of(links.sources, [&](const SourceLink& other) {
            return other.source.file == source.source.file && other.source.line == source.source.line;
        });
        if (!known) {
            links.sources.push_back(std::move(source));
        }
    }

    void addStacks(std::uint32_t launch, LaunchLinks& links) const {
        if (m_state.inputs.provenance == nullptr) {
            return;
        }
        const auto* stacks =
            Provenance::tryFind(m_state.inputs.provenance->stacks, provenanceKey(m_state, launch),
                                m_state.code.launches[launch].comments.handle);
        // Without a handle the stacks are those of all launches of the kernel.
        const bool shared =
            stacks != nullptr && stacks->handle == 0 && m_state.kernelOf(launch).launches.size() > 1;
        if (stacks != nullptr && !(shared && !links.sources.empty())) {
            for (const std::string& stack : stacks->texts) {
                if (std::optional<ir::SourceLocation> source = ir::innermostSource(stack)) {
                    addSource(links, {std::move(*source), false, true});
                }
            }
        }
    }

    std::string reason(std::uint32_t launch) const {
        const LaunchFlow& flow = m_state.flow.launches[launch];
        const Kernel& kernel = m_state.kernelOf(launch);
        if (flow.inSubgraph) {
            return "It runs in a subgraph, which the log prints within another graph.";
        }
        if (m_state.isExtern(launch)) {
            return "The graph has no free call of " + std::string(operatorName(kernel.name)) +
                   " whose arguments agree.";
        }
        if (kernel.name.find("_fused_") != std::string::npos && isOnlyCopy(flow)) {
            return "It only copies its inputs into another memory layout, which no node of the graph asks "
                   "for.";
        }
        return "Neither comments nor data flow say which nodes it computes.";
    }

    /// What it writes is, for later launches, the same as what it reads.
    bool isOnlyCopy(const LaunchFlow& flow) const {
        return !flow.writes.empty() && std::ranges::all_of(flow.writes, [&](std::uint32_t written) {
            return m_state.nodeOf[written] && std::ranges::any_of(flow.reads, [&](std::uint32_t read) {
                       return m_state.nodeOf[read] == m_state.nodeOf[written];
                   });
        });
    }

    NodeFate fateOf(ir::NodeId id) const {
        const GraphFacts& facts = m_state.facts;
        return !m_links.launchesOf[id.index()].empty() ? NodeFate::Linked
               : !facts.isComputed(id)                 ? NodeFate::NotComputed
               : facts.isView(id)                      ? NodeFate::View
               : facts.isSize(id)                      ? NodeFate::Size
               : facts.isElement(id)                   ? NodeFate::Element
               : facts.tensorInputs(id).empty()        ? NodeFate::Constant
               : m_state.graph().users(id).empty()     ? NodeFate::Dead
                                                       : NodeFate::Unknown;
    }

    LinkState& m_state;
    KernelLinks& m_links;
};

} // namespace

std::vector<std::string_view> evidenceNames(EvidenceSet set) {
    std::vector<std::string_view> names;
    for (std::size_t one = 0; one < base::words<Evidence>().size(); ++one) {
        if (has(set, static_cast<Evidence>(one))) {
            names.push_back(base::words<Evidence>()[one]);
        }
    }
    return names;
}

std::string evidenceText(EvidenceSet set) {
    return base::joined(evidenceNames(set));
}

KernelLinks linkKernels(const OutputCode& code, const LinkInputs& inputs, const base::Progress& progress) {
    LinkState state(code, inputs);
    state.stop = progress.stopToken();
    linkFragments(state);
    for (int round = 0; round < 3; ++round) {
        const bool externs = matchExterns(state);
        const bool slices = sliceKernels(state);
        if (!externs && !slices) {
            break;
        }
    }
    addNames(state);
    applyMapping(state);
    Conclusion(state).conclude();
    return std::move(state.links);
}

} // namespace aotscope::inductor
