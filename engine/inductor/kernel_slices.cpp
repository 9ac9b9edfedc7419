#include "inductor/link_state.h"

#include <algorithm>
#include <unordered_set>

namespace aotscope::inductor {

namespace {

/// A kernel has some dozen nodes; a walk that gets this far has left it.
constexpr std::size_t maxSlice = 4000;
/// How many ways to fill unknown buffers are tried for one launch.
constexpr std::size_t maxTries = 2000;
constexpr std::size_t maxCandidates = 24;

constexpr EvidenceSet dataFlow = EvidenceSet() | Evidence::DataFlow;
constexpr EvidenceSet flowToResult = dataFlow | Evidence::Result;

struct Slice {
    std::vector<ir::NodeId> nodes;
    /// The stops that were reached.
    std::unordered_set<std::uint32_t> reached;
    /// It goes through something that the kernel neither reads nor can compute.
    bool leaves = false;
};

class KernelSlices {
public:
    explicit KernelSlices(LinkState& state) : m_state(state) {}

    bool link(std::uint32_t launch) {
        const LaunchFlow& flow = m_state.flow.launches[launch];
        std::vector<ir::NodeId> outputs;
        for (std::size_t place = 0; place < flow.writes.size(); ++place) {
            const std::optional<ir::NodeId> node = m_state.nodeOf[flow.writes[place]];
            if (node && m_state.facts.isComputed(*node) && !flow.writesPart[place]) {
                outputs.push_back(*node);
            }
        }
        std::unordered_set<std::uint32_t> stops;
        std::vector<std::uint32_t> unknown;
        for (const std::uint32_t value : m_state.tensorReads(launch)) {
            if (const std::optional<ir::NodeId> node = m_state.nodeOf[value]) {
                stops.insert(node->index());
            } else if (std::ranges::find(unknown, value) == unknown.end()) {
                unknown.push_back(value);
            }
        }
        const Slice slice =
            unknown.empty() || outputs.empty() ? between(outputs, stops) : guess(outputs, stops, unknown);
        const std::size_t before = m_state.found[launch].size();
        linkParts(launch, stops);
        if (slice.leaves) {
            return m_state.found[launch].size() > before;
        }
        for (const ir::NodeId node : slice.nodes) {
            const bool written = std::ranges::find(outputs, node) != outputs.end();
            m_state.addLink(launch, node, written ? flowToResult : dataFlow);
        }
        return m_state.found[launch].size() > before;
    }

private:
    /// What lies between `outputs` and `stops`, both roots.
    Slice between(const std::vector<ir::NodeId>& outputs,
                  const std::unordered_set<std::uint32_t>& stops) const {
        Slice slice;
        std::unordered_set<std::uint32_t> seen;
        std::vector<ir::NodeId> open = outputs;
        const std::unordered_set<ir::NodeId> ends(outputs.begin(), outputs.end());
        while (!open.empty() && slice.nodes.size() < maxSlice && m_state.visitsLeft > 0) {
            m_state.visitsLeft = m_state.stop.stop_requested() ? 0 : m_state.visitsLeft - 1;
            const ir::NodeId node = open.back();
            open.pop_back();
            const bool isOutput = ends.contains(node);
            if (!seen.insert(node.index()).second) {
                continue;
            }
            if (!isOutput && stops.contains(node.index())) {
                slice.reached.insert(node.index());
                continue;
            }
            if (m_state.facts.isSize(node)) {
                continue;
            }
            if (!m_state.facts.isComputed(node) || isForeign(node)) {
                slice.leaves = true;
                continue;
            }
            slice.nodes.push_back(node);
            for (const ir::NodeId input : m_state.facts.tensorInputs(node)) {
                open.push_back(input);
            }
        }
        slice.leaves = slice.leaves || !open.empty();
        return slice;
    }

    /// Another launch computes it for certain: an operator of a library, or one of its results.
    bool isForeign(ir::NodeId node) const {
        const std::optional<ir::NodeId> whole = m_state.facts.elementOf(node);
        return m_state.externOf[node.index()] || (whole && m_state.externOf[whole->index()]);
    }

    /// The inputs of a concatenation that the kernel computes: those whose slice stays within the kernel.
    void linkParts(std::uint32_t launch, const std::unordered_set<std::uint32_t>& stops) {
        const LaunchFlow& flow = m_state.flow.launches[launch];
        for (std::size_t place = 0; place < flow.writes.size(); ++place) {
            const std::optional<ir::NodeId> whole = m_state.nodeOf[flow.writes[place]];
            if (!whole || !flow.writesPart[place] || !m_state.facts.isComputed(*whole)) {
                continue;
            }
            m_state.addLink(launch, *whole, flowToResult);
            std::unordered_set<std::uint32_t> others = stops;
            others.erase(whole->index());
            for (const ir::NodeId input : m_state.facts.tensorInputs(*whole)) {
                if (others.contains(m_state.facts.root(input).index()) && !m_state.facts.isView(input)) {
                    continue;
                }
                const Slice slice = between({input}, others);
                for (std::size_t index = 0; index < slice.nodes.size() && !slice.leaves; ++index) {
                    m_state.addLink(launch, slice.nodes[index], dataFlow);
                }
            }
        }
    }

    /// Values of unknown buffers such that the kernel reads all it needs and needs all it reads.
    Slice guess(const std::vector<ir::NodeId>& outputs, std::unordered_set<std::uint32_t>& stops,
                const std::vector<std::uint32_t>& unknown) {
        const Slice wide = between(outputs, stops);
        std::vector<std::vector<ir::NodeId>> choices;
        for (const std::uint32_t value : unknown) {
            choices.push_back(candidates(value, wide));
            if (choices.back().empty()) {
                return {{}, {}, true};
            }
        }
        std::vector<std::size_t> chosen(unknown.size(), 0);
        // Fits as well, except that something known is read for no purpose that the graph shows.
        std::optional<std::pair<Slice, std::vector<std::size_t>>> second;
        for (std::size_t tries = 0; tries < maxTries; ++tries) {
            std::unordered_set<std::uint32_t> all = stops;
            for (std::size_t place = 0; place < unknown.size(); ++place) {
                all.insert(choices[place][chosen[place]].index());
            }
            Slice slice = between(outputs, all);
            const bool distinct = all.size() == stops.size() + unknown.size();
            if (distinct && !slice.leaves) {
                if (slice.reached.size() == all.size()) {
                    return accept(std::move(slice), unknown, choices, chosen);
                }
                if (!second && reachesAll(slice, choices, chosen)) {
                    second = std::pair(std::move(slice), chosen);
                }
            }
            if (!advance(chosen, choices)) {
                break;
            }
        }
        return second ? accept(std::move(second->first), unknown, choices, second->second)
                      : Slice{{}, {}, true};
    }

    Slice accept(Slice slice, const std::vector<std::uint32_t>& unknown,
                 const std::vector<std::vector<ir::NodeId>>& choices,
                 const std::vector<std::size_t>& chosen) {
        for (std::size_t place = 0; place < unknown.size(); ++place) {
            m_state.setNode(unknown[place], choices[place][chosen[place]]);
        }
        return slice;
    }

    static bool reachesAll(const Slice& slice, const std::vector<std::vector<ir::NodeId>>& choices,
                           const std::vector<std::size_t>& chosen) {
        for (std::size_t place = 0; place < chosen.size(); ++place) {
            if (!slice.reached.contains(choices[place][chosen[place]].index())) {
                return false;
            }
        }
        return true;
    }

    static bool advance(std::vector<std::size_t>& chosen,
                        const std::vector<std::vector<ir::NodeId>>& choices) {
        for (std::size_t place = chosen.size(); place-- > 0;) {
            if (++chosen[place] < choices[place].size()) {
                return true;
            }
            chosen[place] = 0;
        }
        return false;
    }

    /// Nodes that an unknown buffer may hold, the likelier first: Inductor writes reductions and values with
    /// several users to memory, and leaves others within a kernel.
    std::vector<ir::NodeId> candidates(std::uint32_t value, const Slice& wide) const {
        std::vector<std::pair<int, ir::NodeId>> ranked;
        for (const ir::NodeId node : wide.nodes) {
            if (m_state.facts.isView(node) || !m_state.fits(m_state.flow.values[value], node) ||
                ir::asTensor(m_state.graph().node(node).value) == nullptr || m_state.held[node.index()]) {
                continue;
            }
            const int rank = m_state.facts.reduces(node) ? 0 : m_state.graph().users(node).size() > 1 ? 1 : 2;
            ranked.emplace_back(rank, node);
        }
        std::ranges::stable_sort(ranked, [this](const auto& left, const auto& right) {
            return left.first != right.first
                       ? left.first < right.first
                       : m_state.graph().position(left.second) < m_state.graph().position(right.second);
        });
        std::vector<ir::NodeId> nodes;
        for (std::size_t place = 0; place < std::min(ranked.size(), maxCandidates); ++place) {
            nodes.push_back(ranked[place].second);
        }
        return nodes;
    }

    LinkState& m_state;
};

} // namespace

bool sliceKernels(LinkState& state) {
    KernelSlices slices(state);
    bool any = false;
    for (std::uint32_t place = static_cast<std::uint32_t>(state.code.launches.size()); place-- > 0;) {
        if (!state.isExtern(place) && !state.flow.launches[place].inSubgraph) {
            any = slices.link(place) || any;
        }
    }
    return any;
}

} // namespace aotscope::inductor
