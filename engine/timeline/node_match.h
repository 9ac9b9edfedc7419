#pragma once

#include "timeline/timeline.h"

#include "ir/graph.h"

#include "base/describe.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Which node of a graph an event belongs to.
namespace aotscope::timeline {

/// A graph whose nodes may have run.
struct GraphToMatch {
    /// "forward", for messages.
    std::string name;
    ir::GraphPtr graph;
};

enum class MatchedBy : std::uint8_t {
    /// A range around the node that names it: written by this program, or by torch.fx
    /// (TORCH_ENRICH_RPOFILER_STACK_TRACE, which is how PyTorch spells it).
    Mark,
    /// The calls of operators come in the order of the graph.
    Operators,
    /// The name of a fused kernel lists the operators in it.
    KernelName
};
AOTSCOPE_WORDS(MatchedBy, "mark", "order of operators", "name of the kernel")

/// One execution of a node.
struct NodeMatch {
    /// Which of the graphs.
    std::uint32_t graph = 0;
    ir::NodeId node;
    MatchedBy by = MatchedBy::Mark;
    /// What is the node: the range around it, the call of its operator, or its kernel.
    EventId event;
};

/// What belongs to no node, by name.
struct UnmatchedEvents {
    std::string name;
    Category category = Category::Other;
    std::uint64_t count = 0;
    std::int64_t nanoseconds = 0;
};
AOTSCOPE_MEMBERS(UnmatchedEvents, name, category, count, nanoseconds)

struct NodeMatches {
    std::vector<GraphToMatch> graphs;
    /// By start.
    std::vector<NodeMatch> nodes;
    /// Nodes that call something and of which no execution was found, by graph.
    std::vector<std::vector<ir::NodeId>> unmatchedNodes;
    /// Operators and kernels that belong to no node; the longest first.
    std::vector<UnmatchedEvents> unmatchedEvents;
    /// Indices of `nodes` by event; a fused kernel is several nodes.
    std::multimap<EventId, std::uint32_t> byEvent;
    /// The matching took too long and was ended; the rest is unmatched.
    bool isCut = false;

    /// The nodes that an event is, or is a part of: what encloses it, and for a kernel what launched it.
    /// Indices of `nodes`; empty: none.
    [[nodiscard]] std::vector<std::uint32_t> of(const Timeline& timeline, EventId event) const;
    /// Whether any execution of any node was found.
    [[nodiscard]] bool empty() const { return nodes.empty(); }
};

/// A timeline with a row of nodes in front, if any were found.
struct MatchedTimeline {
    TimelinePtr timeline;
    NodeMatches matches;
    /// By event of the row of nodes: the index in `matches.nodes`.
    std::vector<std::uint32_t> matchOfNodeEvent;
};

/// Nodes by the name of the kernel that computes them, where it is known from the code of the kernels: the
/// index of the graph and the node's name.
using KernelNodes = std::map<std::string, std::vector<std::pair<std::uint32_t, std::string>>, std::less<>>;

/// Finds the events of the graphs' nodes: by marks where there are any, else by names.
[[nodiscard]] MatchedTimeline matchNodes(const TimelinePtr& timeline, std::vector<GraphToMatch> graphs,
                                         const KernelNodes& kernelNodes = {});

/// The nodes of the forward that a node of the backward is the derivative of: those with its sequence number,
/// and where a graph has none, those of its source line. Empty: unknown.
[[nodiscard]] std::vector<ir::NodeId> forwardNodesOf(const ir::Graph& backward, ir::NodeId node,
                                                     const ir::Graph& forward);

} // namespace aotscope::timeline
