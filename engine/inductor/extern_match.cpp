#include "inductor/link_state.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

/// How well a call fits a node; nothing: they contradict each other.
struct Fit {
    /// The comment names the node itself, or a node of Dynamo's graph on the same source line.
    bool named = false;
    bool sameLine = false;
    /// The arguments whose values are known, which are all as in the graph.
    std::size_t agreeing = 0;
    std::size_t unknown = 0;
};

class ExternMatcher {
public:
    explicit ExternMatcher(LinkState& state) : m_state(state) {
        std::vector<ir::NodeId> calls;
        for (const ir::NodeId id : state.graph().order()) {
            if (state.facts.isComputed(id) && !state.externOf[id.index()]) {
                calls.push_back(id);
            }
        }
        std::vector<bool> matched(state.code.launches.size());
        for (const std::optional<std::uint32_t>& launch : state.externOf) {
            if (launch) {
                matched[*launch] = true;
            }
        }
        // The same function is called again and again.
        std::unordered_map<std::string, std::vector<Candidate>> byCallee;
        std::unordered_map<std::string, std::size_t> seen;
        for (std::uint32_t launch = 0; launch < state.code.launches.size(); ++launch) {
            if (state.isExtern(launch) && !matched[launch] && !state.flow.launches[launch].inSubgraph) {
                const auto [entry, isNew] = byCallee.try_emplace(state.code.launches[launch].callee);
                if (isNew) {
                    entry->second = callsOf(launch, calls);
                }
                m_open.push_back({launch, near(entry->second, seen[state.code.launches[launch].callee]++)});
            }
        }
    }

    /// What is certain comes first, because each match tells more of the others' arguments.
    bool match() {
        bool any = false;
        for (;;) {
            if (m_state.fitsLeft == 0) {
                return pass([](const Fit&, std::size_t) { return true; }) || any;
            }
            if (pass([](const Fit& fit, std::size_t) { return fit.unknown == 0 && fit.agreeing > 0; }) ||
                pass([](const Fit& fit, std::size_t) { return fit.named; }) ||
                pass([](const Fit&, std::size_t choices) { return choices == 1; }) || passFirst()) {
                any = true;
                continue;
            }
            return any;
        }
    }

private:
    struct Candidate {
        ir::NodeId node;
        Fit fit;
    };
    struct OpenLaunch {
        std::uint32_t launch = 0;
        /// In program order. What does not fit now never will, because only more becomes known.
        std::vector<Candidate> candidates;
    };

    std::vector<Candidate> callsOf(std::uint32_t launch, const std::vector<ir::NodeId>& nodes) const {
        std::vector<Candidate> calls;
        for (const ir::NodeId node : nodes) {
            if (callsOperator(m_state.code.launches[launch].callee, m_state.graph().node(node).target)) {
                calls.push_back({node, {}});
            }
        }
        return calls;
    }

    /// Of very many calls only those around the same place in program order.
    static std::vector<Candidate> near(const std::vector<Candidate>& calls, std::size_t place) {
        constexpr std::size_t each = 128;
        if (calls.size() <= 4 * each) {
            return calls;
        }
        const std::size_t begin = std::min(place > each ? place - each : 0, calls.size());
        const std::size_t end = std::min(begin + 2 * each, calls.size());
        return {calls.begin() + static_cast<std::ptrdiff_t>(begin),
                calls.begin() + static_cast<std::ptrdiff_t>(end)};
    }

    void narrow(OpenLaunch& open) {
        m_state.fitsLeft = m_state.stop.stop_requested()
                               ? 0
                               : m_state.fitsLeft - std::min(m_state.fitsLeft, open.candidates.size());
        std::erase_if(open.candidates, [&](Candidate& candidate) {
            const std::optional<Fit> fit =
                m_state.externOf[candidate.node.index()] ? std::nullopt : fitOf(open.launch, candidate.node);
            candidate.fit = fit.value_or(Fit());
            return !fit;
        });
    }

    std::optional<Fit> fitOf(std::uint32_t launch, ir::NodeId node) const {
        Fit fit;
        const LaunchFlow& flow = m_state.flow.launches[launch];
        const std::vector<std::uint32_t> reads = m_state.tensorReads(launch);
        const std::vector<ir::NodeId> inputs = m_state.facts.tensorInputs(node);
        for (std::size_t place = 0; place < reads.size(); ++place) {
            const std::optional<ir::NodeId> known = m_state.nodeOf[reads[place]];
            if (!known) {
                ++fit.unknown;
                // Kernels may convert what a call reads: to int64 for a cumulative sum of booleans.
                if (inputs.size() == reads.size() &&
                    !m_state.fitsSize(m_state.flow.values[reads[place]], m_state.facts.root(inputs[place]))) {
                    return std::nullopt;
                }
                continue;
            }
            const bool agrees = inputs.size() == reads.size() ? m_state.facts.root(inputs[place]) == *known
                                                              : isInputOf(*known, node);
            if (!agrees) {
                return std::nullopt;
            }
            ++fit.agreeing;
        }
        for (std::size_t place = 0; place < flow.writes.size(); ++place) {
            const std::uint32_t value = flow.writes[place];
            const std::optional<ir::NodeId> known = m_state.nodeOf[value];
            if (flow.writesPart[place]) {
                if (known && !isInputOf(node, *known)) {
                    return std::nullopt;
                }
                fit.agreeing += known ? 1 : 0;
                continue;
            }
            if ((known && *known != node && m_state.facts.elementOf(*known) != node) ||
                (!known && !m_state.fits(m_state.flow.values[value], node))) {
                return std::nullopt;
            }
            fit.agreeing += known ? 1 : 0;
        }
        const std::vector<std::string>& named = m_state.code.launches[launch].comments.sourceNodes;
        fit.named = std::ranges::find(named, m_state.graph().node(node).name) != named.end();
        fit.sameLine = isOnLineOf(named, node);
        return fit;
    }

    /// Whether a concatenation or the like takes the node's value.
    bool isInputOf(ir::NodeId node, ir::NodeId user) const {
        const std::vector<ir::NodeId> inputs = m_state.facts.tensorInputs(user);
        return std::ranges::any_of(inputs,
                                   [&](ir::NodeId input) { return m_state.facts.root(input) == node; });
    }

    /// Whether a node of Dynamo's graph that the comment names has the node's source line.
    bool isOnLineOf(const std::vector<std::string>& named, ir::NodeId node) const {
        const auto& origin = m_state.graph().node(node).origin;
        if (!m_state.inputs.dynamo || !origin || !origin->source) {
            return false;
        }
        const ir::Graph& dynamo = *m_state.inputs.dynamo;
        return std::ranges::any_of(named, [&](const std::string& name) {
            const std::optional<ir::NodeId> source = dynamo.tryFind(name);
            return source && dynamo.node(*source).origin &&
                   dynamo.node(*source).origin->source == origin->source;
        });
    }

    template<typename Accept>
    bool pass(Accept accept) {
        bool any = false;
        for (std::size_t place = 0; place < m_open.size();) {
            narrow(m_open[place]);
            const std::vector<Candidate>& fitting = m_open[place].candidates;
            const auto chosen = std::ranges::find_if(
                fitting, [&](const Candidate& candidate) { return accept(candidate.fit, fitting.size()); });
            if (chosen == fitting.end()) {
                ++place;
                continue;
            }
            assign(place, *chosen);
            any = true;
        }
        return any;
    }

    /// The first launch that has candidates gets the first of them, because both are mostly in program order.
    bool passFirst() {
        for (std::size_t place = 0; place < m_open.size(); ++place) {
            const std::vector<Candidate>& fitting = m_open[place].candidates;
            if (!fitting.empty()) {
                const auto better = std::ranges::find_if(
                    fitting, [](const Candidate& candidate) { return candidate.fit.sameLine; });
                assign(place, better == fitting.end() ? fitting.front() : *better);
                return true;
            }
        }
        return false;
    }

    void assign(std::size_t place, Candidate chosen) {
        const std::uint32_t launch = m_open[place].launch;
        const ir::NodeId node = chosen.node;
        const Fit& fit = chosen.fit;
        m_open.erase(m_open.begin() + static_cast<std::ptrdiff_t>(place));
        m_state.externOf[node.index()] = launch;
        EvidenceSet evidence = EvidenceSet() | Evidence::Operator;
        evidence = fit.named || fit.sameLine ? evidence | Evidence::SourceNode : evidence;
        evidence = fit.agreeing > 0 ? evidence | Evidence::DataFlow : evidence;
        m_state.addLink(launch, node, evidence);
        const std::vector<std::uint32_t> reads = m_state.tensorReads(launch);
        const std::vector<ir::NodeId> inputs = m_state.facts.tensorInputs(node);
        for (std::size_t input = 0; input < reads.size() && inputs.size() == reads.size(); ++input) {
            m_state.setNode(reads[input], m_state.facts.root(inputs[input]));
        }
        const LaunchFlow& flow = m_state.flow.launches[launch];
        for (std::size_t written = 0; written < flow.writes.size(); ++written) {
            if (!flow.writesPart[written]) {
                const std::optional<ir::NodeId> part =
                    flow.writes.size() > 1 ? m_state.element(node, static_cast<int>(written)) : std::nullopt;
                m_state.setNode(flow.writes[written], part.value_or(node));
            }
        }
    }

    LinkState& m_state;
    std::vector<OpenLaunch> m_open;
};

} // namespace

bool matchExterns(LinkState& state) {
    return ExternMatcher(state).match();
}

} // namespace aotscope::inductor
