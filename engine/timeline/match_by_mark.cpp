#include "timeline/event_text.h"
#include "timeline/fused_names.h"
#include "timeline/node_matchers.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::timeline {

namespace {

/// What stands between "## " and " ##"; empty: the name is no mark.
std::string_view marked(std::string_view name) {
    constexpr std::string_view open = "## ";
    constexpr std::string_view close = " ##";
    if (name.size() <= open.size() + close.size() || !name.starts_with(open) || !name.ends_with(close)) {
        return {};
    }
    return name.substr(open.size(), name.size() - open.size() - close.size());
}

/// The marks of nodes directly inside a mark of a file: event and position.
std::vector<std::pair<EventId, std::size_t>> nodeMarks(const Timeline& timeline, EventId file) {
    std::vector<std::pair<EventId, std::size_t>> marks;
    const auto [first, last] = timeline.row(file).children(file.index);
    for (std::uint32_t index = first; index < last; ++index) {
        const EventId event{file.row, index};
        if (const auto position = integerOf(marked(timeline.name(event))); position && *position >= 0) {
            marks.emplace_back(event, static_cast<std::size_t>(*position));
        }
    }
    return marks;
}

bool callsInside(const Timeline& timeline, EventId event, std::string_view name) {
    const auto [first, last] = timeline.row(event).children(event.index);
    for (std::uint32_t index = first; index < last; ++index) {
        if (timeline.name({event.row, index}) == name) {
            return true;
        }
    }
    return false;
}

/// The graph at whose positions the operators inside the marks stand; nothing: none fits.
std::optional<std::uint32_t> graphOf(const Timeline& timeline, const NodeMatches& matches,
                                     const std::vector<std::pair<EventId, std::size_t>>& marks) {
    std::optional<std::uint32_t> best;
    std::size_t most = 0;
    for (std::uint32_t number = 0; number < matches.graphs.size(); ++number) {
        const ir::Graph& graph = *matches.graphs[number].graph;
        std::size_t agree = 0;
        for (const auto& [event, position] : marks) {
            if (position >= graph.size()) {
                agree = 0;
                break;
            }
            const std::string called = operatorName(graph.node(graph.order()[position]).target);
            agree += !called.empty() && callsInside(timeline, event, called) ? 1 : 0;
        }
        if (agree > most && agree * 2 >= marks.size()) {
            most = agree;
            best = number;
        }
    }
    return best;
}

void matchFileMark(const Timeline& timeline, EventId file,
                   std::unordered_map<std::uint32_t, std::optional<std::uint32_t>>& graphOfName,
                   NodeMatches& matches) {
    const auto marks = nodeMarks(timeline, file);
    if (marks.empty()) {
        return;
    }
    const std::uint32_t name = timeline.row(file).names[file.index];
    auto known = graphOfName.find(name);
    if (known == graphOfName.end()) {
        known = graphOfName.emplace(name, graphOf(timeline, matches, marks)).first;
    }
    if (!known->second) {
        return;
    }
    const ir::Graph& graph = *matches.graphs[*known->second].graph;
    for (const auto& [event, position] : marks) {
        if (position < graph.size()) {
            matches.nodes.push_back({*known->second, graph.order()[position], MatchedBy::Mark, event});
        }
    }
}

/// Follows marks with names through the graphs: names repeat between the halves of a step, so the graph in
/// which the node comes next is the one that runs.
class NamedMarks {
public:
    explicit NamedMarks(NodeMatches& matches) : m_matches(matches) {}

    void add(EventId event, std::string_view name) {
        std::optional<std::uint32_t> chosen;
        std::optional<ir::NodeId> node;
        const auto count = static_cast<std::uint32_t>(m_matches.graphs.size());
        for (std::uint32_t step = 0; step < count; ++step) {
            const std::uint32_t number = (m_current + step) % count;
            const ir::Graph& graph = *m_matches.graphs[number].graph;
            const auto found = graph.tryFind(name);
            if (!found) {
                continue;
            }
            const bool comesNext = step > 0 || graph.position(*found) >= m_next;
            if (!chosen || comesNext) {
                chosen = number;
                node = found;
            }
            if (comesNext) {
                break;
            }
        }
        if (chosen) {
            m_current = *chosen;
            m_next = m_matches.graphs[*chosen].graph->position(*node) + 1;
            m_matches.nodes.push_back({*chosen, *node, MatchedBy::Mark, event});
        }
    }

private:
    NodeMatches& m_matches;
    std::uint32_t m_current = 0;
    std::uint32_t m_next = 0;
};

} // namespace

void matchByMarks(const Timeline& timeline, NodeMatches& matches) {
    if (matches.graphs.empty()) {
        return;
    }
    std::unordered_map<std::uint32_t, std::optional<std::uint32_t>> graphOfName;
    for (std::uint32_t number = 0; number < timeline.rows().size(); ++number) {
        const Row& row = *timeline.rows()[number];
        if (row.kind != RowKind::Thread) {
            continue;
        }
        NamedMarks named(matches);
        std::vector<std::uint32_t> marks;
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            const std::string& name = timeline.name({number, index});
            if (row.categories[index] == Category::Node && name.starts_with(nodeMark)) {
                marks.push_back(index);
            } else if (marked(name).ends_with(".py")) {
                matchFileMark(timeline, {number, index}, graphOfName, matches);
            }
        }
        std::ranges::sort(marks, {}, [&](std::uint32_t index) { return row.starts[index]; });
        for (const std::uint32_t index : marks) {
            const std::string& name = timeline.name({number, index});
            named.add({number, index}, std::string_view(name).substr(nodeMark.size()));
        }
    }
}

} // namespace aotscope::timeline
