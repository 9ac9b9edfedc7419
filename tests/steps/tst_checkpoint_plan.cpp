// Which events keep a checkpoint when there is not room for all.
#include "steps/checkpoint_plan.h"

#include <doctest/doctest.h>

#include <algorithm>

using aotscope::steps::CheckpointPlan;
using Events = std::vector<std::size_t>;

namespace {

constexpr std::int64_t unbounded = std::int64_t{1} << 60;

std::size_t longestGap(const Events& events, std::size_t end) {
    std::size_t last = 0;
    std::size_t longest = 0;
    for (const std::size_t event : events) {
        longest = std::max(longest, event - last);
        last = event;
    }
    return std::max(longest, end - last);
}

} // namespace

TEST_CASE("checkpoints keep a distance") {
    CheckpointPlan plan(unbounded, 10);
    CHECK(plan.wants(20));
    plan.add(20, {});
    for (const std::size_t near : {11, 19, 20, 21, 29}) {
        CHECK_FALSE_MESSAGE(plan.wants(near), near);
    }
    CHECK(plan.wants(10));
    CHECK(plan.wants(30));
}

TEST_CASE("a storage that several checkpoints keep counts once") {
    CheckpointPlan plan(unbounded, 1);
    plan.add(1, {{1, 100}, {2, 10}});
    plan.add(2, {{1, 100}, {3, 5}});
    CHECK(plan.bytes() == 115);
    plan.add(2, {{4, 1000}}); // There is one already.
    CHECK(plan.bytes() == 115);
    plan.clear();
    CHECK(plan.bytes() == 0);
    CHECK(plan.events().empty());
}

TEST_CASE("beyond the bound of bytes the remaining checkpoints stay spread") {
    CheckpointPlan plan(1000, 1);
    for (std::size_t event = 1; event <= 400; ++event) {
        plan.add(event, {{event, 100}});
        REQUIRE(plan.bytes() <= 1000);
    }
    const Events kept = plan.events();
    CHECK(kept.size() == 10);
    // Ten of 400 evenly are 40 apart; twice as far at most, because those dropped are gone.
    CHECK(longestGap(kept, 400) <= 80);
}

TEST_CASE("beyond the bound of their number too") {
    CheckpointPlan plan(unbounded, 1, 16);
    for (std::size_t event = 1; event <= 1000; ++event) {
        plan.add(event, {});
    }
    CHECK(plan.events().size() == 16);
    CHECK(longestGap(plan.events(), 1000) <= 130);
}

TEST_CASE("where there is no room it asks for few that would be dropped again") {
    for (const std::int64_t limit : {1000, 0}) {
        CheckpointPlan plan(limit, 1);
        std::size_t made = 0;
        // The second time it goes over the same events, with checkpoints there already.
        for (int passage = 0; passage < 2; ++passage) {
            for (std::size_t event = 1; event <= 4000; ++event) {
                if (plan.wants(event)) {
                    plan.add(event, {{event, 100}});
                    ++made;
                }
            }
        }
        const std::size_t room = static_cast<std::size_t>(limit) / 100;
        CHECK(plan.events().size() >= room / 2);
        CHECK(longestGap(plan.events(), 4000) <= 4000 / (room + 1) * 3);
        CHECK_MESSAGE(made <= 200, made, " for room for ", room);
    }
}

TEST_CASE("what frees most for the way that is lost goes first, and ends of graphs last") {
    CheckpointPlan plan(1000, 10);
    plan.add(10, {{1, 10}});
    plan.add(20, {{2, 600}});
    plan.add(30, {{3, 10}});
    CHECK(plan.add(40, {{4, 500}}, true) == Events{20});
    CHECK(plan.events() == Events{10, 30, 40});
    // The end of the graph is worth more than the bytes it takes, until nothing else is left.
    CHECK(plan.add(50, {{5, 490}}) == Events{50});
    CHECK(plan.add(60, {{6, 2000}}) == Events{60});
    CHECK(plan.add(70, {{7, 1500}}, true) == Events{10, 30, 70});
    CHECK(plan.events() == Events{40});
    CHECK(plan.bytes() == 500);
}

TEST_CASE("a copy made before a write counts in place of what it copies") {
    CheckpointPlan plan(1000, 1);
    plan.add(1, {{1, 300}});
    plan.add(2, {{1, 300}, {2, 100}});
    CHECK(plan.replace(1, {9, 300}).empty());
    CHECK(plan.bytes() == 400);
    plan.add(3, {{1, 300}}); // The storage itself, after the write.
    CHECK(plan.bytes() == 700);
    CHECK(plan.replace(2, {10, 900}) == Events{2});
    CHECK(plan.bytes() == 600);
}
