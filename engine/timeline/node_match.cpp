#include "timeline/node_match.h"

#include "timeline/lane_order.h"
#include "timeline/node_matchers.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace aotscope::timeline {

namespace {

void sortByStart(const Timeline& timeline, std::vector<NodeMatch>& nodes) {
    std::ranges::sort(nodes, {}, [&](const NodeMatch& match) {
        return std::tuple(timeline.start(match.event), match.event, match.graph, match.node);
    });
    const auto same = [](const NodeMatch& left, const NodeMatch& right) {
        return left.event == right.event && left.graph == right.graph && left.node == right.node;
    };
    nodes.erase(std::unique(nodes.begin(), nodes.end(), same), nodes.end());
}

void listUnmatchedNodes(NodeMatches& matches) {
    std::set<std::pair<std::uint32_t, ir::NodeId>> found;
    for (const NodeMatch& match : matches.nodes) {
        found.emplace(match.graph, match.node);
    }
    for (std::uint32_t number = 0; number < matches.graphs.size(); ++number) {
        std::vector<ir::NodeId>& missing = matches.unmatchedNodes.emplace_back();
        const ir::Graph& graph = *matches.graphs[number].graph;
        for (const ir::NodeId node : graph.order()) {
            if (graph.node(node).op == ir::Opcode::CallFunction && !found.contains({number, node})) {
                missing.push_back(node);
            }
        }
    }
}

/// Whether an operator that is matched lies inside.
bool enclosesMatch(const Timeline& timeline, const NodeMatches& matches, EventId event) {
    const std::int64_t end = timeline.start(event) + timeline.duration(event);
    for (auto match =
             std::ranges::lower_bound(matches.nodes, timeline.start(event), {},
                                      [&](const NodeMatch& node) { return timeline.start(node.event); });
         match != matches.nodes.end() && timeline.start(match->event) <= end; ++match) {
        if (match->event.row == event.row) {
            return true;
        }
    }
    return false;
}

/// Outermost operators and all kernels that belong to no node.
void listUnmatchedEvents(const Timeline& timeline, NodeMatches& matches) {
    std::map<std::pair<std::string_view, Category>, UnmatchedEvents> unmatched;
    for (std::uint32_t number = 0; number < timeline.rows().size(); ++number) {
        const Row& row = *timeline.rows()[number];
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            const EventId event{number, index};
            const Category category = row.categories[index];
            if (category != Category::Operator && category != Category::Kernel) {
                continue;
            }
            if (category == Category::Operator) {
                const auto above = row.parent(index);
                if (above && row.categories[*above] == Category::Operator &&
                    !enclosesMatch(timeline, matches, {number, *above})) {
                    continue;
                }
                if (enclosesMatch(timeline, matches, event)) {
                    continue;
                }
            }
            if (!matches.of(timeline, event).empty()) {
                continue;
            }
            UnmatchedEvents& entry = unmatched[{timeline.name(event), category}];
            entry.name = timeline.name(event);
            entry.category = category;
            ++entry.count;
            entry.nanoseconds += row.duration(index);
        }
    }
    for (auto& [key, entry] : unmatched) {
        matches.unmatchedEvents.push_back(std::move(entry));
    }
    std::ranges::stable_sort(matches.unmatchedEvents, std::ranges::greater{}, &UnmatchedEvents::nanoseconds);
}

/// Puts a row of the nodes in front, and numbers all events anew.
void addNodeRow(MatchedTimeline& matched) {
    NodeMatches& matches = matched.matches;
    Row row;
    row.kind = RowKind::Nodes;
    row.process = "Nodes";
    row.processId = "nodes";
    row.threadId = "nodes";
    row.name = "graph nodes";
    std::vector<std::string> names;
    const Timeline& timeline = *matched.timeline;
    for (std::uint32_t index = 0; index < matches.nodes.size(); ++index) {
        NodeMatch& match = matches.nodes[index];
        row.append(timeline.start(match.event), timeline.duration(match.event), index, Category::Node,
                   timeline.row(match.event).places[match.event.index]);
        names.push_back(matches.graphs[match.graph].graph->node(match.node).name);
        ++match.event.row;
    }
    bool fits = true;
    matched.matchOfNodeEvent = orderInLanes(row, fits);
    matched.timeline = timeline.withRow(std::move(row), std::move(names));
}

/// The call that queued a kernel or a copy.
std::optional<EventId> launchOf(const Timeline& timeline, EventId event) {
    const Category category = timeline.category(event);
    if (category != Category::Kernel && category != Category::Copy) {
        return std::nullopt;
    }
    const std::vector<Flow> flows = timeline.flowsOf(event);
    const auto launch = std::ranges::find_if(
        flows, [&](const Flow& flow) { return flow.kind == FlowKind::Launch && flow.to == event; });
    return launch == flows.end() ? std::nullopt : std::optional(launch->from);
}

} // namespace

std::vector<std::uint32_t> NodeMatches::of(const Timeline& timeline, EventId event) const {
    constexpr int farthest = 2'000;
    for (int step = 0; step < farthest; ++step) {
        const auto [begin, end] = byEvent.equal_range(event);
        if (begin != end) {
            std::vector<std::uint32_t> found;
            for (auto at = begin; at != end; ++at) {
                found.push_back(at->second);
            }
            return found;
        }
        // Before what encloses it: on a stream that is an annotation's shadow, which nothing encloses.
        if (const auto launch = launchOf(timeline, event)) {
            event = *launch;
            continue;
        }
        const auto above = timeline.row(event).parent(event.index);
        if (!above) {
            return {};
        }
        event.index = *above;
    }
    return {};
}

MatchedTimeline matchNodes(const TimelinePtr& timeline, std::vector<GraphToMatch> graphs,
                           const KernelNodes& kernelNodes) {
    MatchedTimeline matched;
    matched.timeline = timeline;
    NodeMatches& matches = matched.matches;
    matches.graphs = std::move(graphs);
    matchByMarks(*timeline, matches);
    if (matches.nodes.empty()) {
        matchByOrder(*timeline, matches);
        matchByKernelNames(*timeline, kernelNodes, matches);
    }
    sortByStart(*timeline, matches.nodes);
    for (std::uint32_t index = 0; index < matches.nodes.size(); ++index) {
        matches.byEvent.emplace(matches.nodes[index].event, index);
    }
    listUnmatchedNodes(matches);
    listUnmatchedEvents(*timeline, matches);
    if (!matches.nodes.empty()) {
        addNodeRow(matched);
        matches.byEvent.clear();
        for (std::uint32_t index = 0; index < matches.nodes.size(); ++index) {
            matches.byEvent.emplace(matches.nodes[index].event, index);
        }
        for (std::uint32_t event = 0; event < matched.matchOfNodeEvent.size(); ++event) {
            matches.byEvent.emplace(EventId{0, event}, matched.matchOfNodeEvent[event]);
        }
    }
    return matched;
}

std::vector<ir::NodeId> forwardNodesOf(const ir::Graph& backward, ir::NodeId node, const ir::Graph& forward) {
    const ir::Node& derived = backward.node(node);
    const auto callsThat = [&](const auto& fits) {
        std::vector<ir::NodeId> found;
        for (const ir::NodeId candidate : forward.order()) {
            const ir::Node& original = forward.node(candidate);
            if (original.op == ir::Opcode::CallFunction && fits(original)) {
                found.push_back(candidate);
            }
        }
        return found;
    };
    const auto found = callsThat([&](const ir::Node& original) {
        return derived.sequenceNumber && original.sequenceNumber == derived.sequenceNumber;
    });
    if (!found.empty() || !derived.origin || !derived.origin->source) {
        return found;
    }
    return callsThat([&](const ir::Node& original) {
        return original.origin && !original.origin->backwardOfForward &&
               original.origin->source == derived.origin->source;
    });
}

} // namespace aotscope::timeline
