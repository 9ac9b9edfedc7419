#include "timeline/operator_order.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace aotscope::timeline {

namespace {

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

} // namespace

std::vector<std::pair<std::size_t, std::size_t>> callsInOrder(Names calls, Names program,
                                                              std::size_t& steps) {
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

} // namespace aotscope::timeline
