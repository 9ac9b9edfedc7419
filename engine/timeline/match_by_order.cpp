#include "timeline/match_by_order.h"

#include "timeline/fused_names.h"
#include "timeline/operator_order.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::timeline {

namespace {

/// Steps of comparing in all; an ordinary trace of a million operators takes a few million.
constexpr std::size_t mostSteps = 200'000'000;

/// The nodes of a graph that call operators, and the operators' names as the timeline numbers them.
struct Program {
    std::uint32_t graph = 0;
    std::vector<ir::NodeId> nodes;
    std::vector<std::uint32_t> names;
};

std::vector<Program> programsOf(const Timeline& timeline, const NodeMatches& matches) {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    const std::vector<std::string>& names = timeline.parts().names;
    for (std::uint32_t number = 0; number < names.size(); ++number) {
        numbers.emplace(names[number], number);
    }
    std::vector<Program> programs;
    for (std::uint32_t number = 0; number < matches.graphs.size(); ++number) {
        const ir::Graph& graph = *matches.graphs[number].graph;
        Program program{number, {}, {}};
        for (const ir::NodeId node : graph.order()) {
            const std::string name = operatorName(graph.node(node).target);
            // What the trace never calls would only count as missing.
            const auto known = numbers.find(name);
            if (graph.node(node).op == ir::Opcode::CallFunction && known != numbers.end()) {
                program.nodes.push_back(node);
                program.names.push_back(known->second);
            }
        }
        if (program.nodes.size() >= 2) {
            programs.push_back(std::move(program));
        }
    }
    return programs;
}

/// Operators inside one event, one after the other.
struct Calls {
    std::vector<EventId> events;
    std::vector<std::uint32_t> names;
};

class OrderMatcher {
public:
    OrderMatcher(const Timeline& timeline, NodeMatches& matches)
        : m_timeline(timeline), m_matches(matches), m_programs(programsOf(timeline, matches)) {
        for (const Program& program : m_programs) {
            m_shortest = std::min(m_shortest, program.nodes.size());
        }
    }

    void match() {
        for (std::uint32_t number = 0; number < m_timeline.rows().size() && !m_programs.empty(); ++number) {
            for (std::size_t lane = 0; lane < m_timeline.rows()[number]->laneCount(); ++lane) {
                matchLane(number, lane);
            }
        }
        m_matches.isCut = m_steps == 0;
    }

private:
    void matchLane(std::uint32_t number, std::size_t lane) {
        const Row& row = *m_timeline.rows()[number];
        Calls calls;
        std::optional<std::uint32_t> around;
        for (std::uint32_t index = row.lanes[lane]; index < row.lanes[lane + 1]; ++index) {
            if (row.categories[index] != Category::Operator) {
                continue;
            }
            const auto parent = row.parent(index);
            if (parent != around) {
                matchCalls(calls);
                calls = {};
                around = parent;
            }
            calls.events.push_back({number, index});
            calls.names.push_back(row.names[index]);
        }
        matchCalls(calls);
    }

    /// The program of which most was called goes first, and the others get what is left.
    void matchCalls(Calls calls) {
        if (calls.events.size() * 2 < m_shortest) {
            return;
        }
        while (!calls.events.empty() && m_steps > 0) {
            const Program* best = nullptr;
            std::vector<std::pair<std::size_t, std::size_t>> pairs;
            for (const Program& program : m_programs) {
                auto found = callsInOrder(calls.names, program.names, m_steps);
                if (found.size() > pairs.size()) {
                    pairs = std::move(found);
                    best = &program;
                }
            }
            if (best == nullptr) {
                return;
            }
            std::vector<bool> taken(calls.events.size());
            for (const auto& [call, position] : pairs) {
                m_matches.nodes.push_back(
                    {best->graph, best->nodes[position], MatchedBy::Operators, calls.events[call]});
                taken[call] = true;
            }
            Calls rest;
            for (std::size_t call = 0; call < taken.size(); ++call) {
                if (!taken[call]) {
                    rest.events.push_back(calls.events[call]);
                    rest.names.push_back(calls.names[call]);
                }
            }
            calls = std::move(rest);
        }
    }

    const Timeline& m_timeline;
    NodeMatches& m_matches;
    std::vector<Program> m_programs;
    std::size_t m_shortest = ~std::size_t{0};
    std::size_t m_steps = mostSteps;
};

} // namespace

void matchByOrder(const Timeline& timeline, NodeMatches& matches) {
    OrderMatcher(timeline, matches).match();
}

} // namespace aotscope::timeline
