#include "timeline/fused_names.h"
#include "timeline/node_matchers.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_map>

namespace aotscope::timeline {

namespace {

/// Steps of comparing in all; an ordinary trace of a million operators takes a few million.
constexpr std::size_t mostSteps = 200'000'000;

/// Names as numbers; equal names have equal numbers.
using Names = std::span<const std::uint32_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// How many calls or positions in a row may have no counterpart.
constexpr std::size_t farthest = 16;

/// The nearest place behind (call, position) where both agree again.
std::optional<std::pair<std::size_t, std::size_t>> agreeAgain(Names calls, Names program, std::size_t call,
                                                              std::size_t position, std::size_t& steps) {
    for (std::size_t apart = 1; apart <= 2 * farthest; ++apart) {
        for (std::size_t ahead = apart > farthest ? apart - farthest : 0; ahead <= std::min(apart, farthest);
             ++ahead) {
            const std::size_t nextCall = call + ahead;
            const std::size_t nextPosition = position + (apart - ahead);
            steps -= steps > 0 ? 1 : 0;
            if (nextCall < calls.size() && nextPosition < program.size() &&
                calls[nextCall] == program[nextPosition]) {
                return std::pair(nextCall, nextPosition);
            }
        }
    }
    return std::nullopt;
}

/// One pass through the program from a call on.
void takePass(Names calls, Names program, std::size_t call, Pairs& pairs, std::size_t& steps) {
    std::size_t position = 0;
    while (call < calls.size() && position < program.size() && steps > 0) {
        --steps;
        if (calls[call] == program[position]) {
            pairs.emplace_back(call++, position++);
            continue;
        }
        const auto next = agreeAgain(calls, program, call, position, steps);
        if (!next) {
            break;
        }
        std::tie(call, position) = *next;
    }
}

/// Where calls come in the order of a program, once or several times in a row: pairs of a call and the
/// position in the program. Calls in between that the program does not have, and positions that were not
/// called, are left out; a pass in which no more than half of the program was called does not count. `steps`
/// is how much may still be compared; at 0 the rest is left out.
Pairs callsInOrder(Names calls, Names program, std::size_t& steps) {
    Pairs all;
    // A pass may begin at any of the first operators, should the first ones leave no call.
    const Names beginnings = program.first(std::min<std::size_t>(program.size(), 4));
    std::size_t call = 0;
    while (call < calls.size() && steps > 0) {
        if (std::ranges::find(beginnings, calls[call]) == beginnings.end()) {
            ++call;
            continue;
        }
        Pairs pass;
        takePass(calls, program, call, pass, steps);
        if (pass.size() * 2 > program.size()) {
            all.insert(all.end(), pass.begin(), pass.end());
            call = pass.back().first + 1;
        } else {
            ++call;
        }
    }
    return all;
}

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
            Pairs pairs;
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
