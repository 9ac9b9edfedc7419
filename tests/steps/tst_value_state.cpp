// What happened to values between two lists, in words.
#include "steps/value_state.h"

#include <doctest/doctest.h>

using namespace aotscope;
using steps::ValueChangeKind;
using steps::ValueState;

namespace {

ValueState tensorOn(std::string name, std::uint64_t tensor, std::uint64_t storage) {
    ValueState state;
    state.name = std::move(name);
    state.tensor = tensor;
    state.storage = storage;
    state.meta.emplace();
    state.meta->shape = {4, 3};
    return state;
}

} // namespace

TEST_CASE("each change between two lists has its kind") {
    const std::vector<ValueState> before{tensorOn("a", 1, 1), tensorOn("b", 2, 2), tensorOn("c", 3, 3)};
    std::vector<ValueState> after{before[1], before[0], tensorOn("view of b", 4, 2), tensorOn("new", 5, 5)};
    after[1].version = 1;
    const std::vector<steps::ValueChange> changes = steps::compareValues(before, after);
    REQUIRE(changes.size() == 5);
    CHECK(changes[0].kind == ValueChangeKind::Moved);
    CHECK(changes[1].kind == ValueChangeKind::DataMutated);
    CHECK(changes[2].kind == ValueChangeKind::Aliased);
    CHECK(changes[2].text == "shares the storage of b");
    CHECK(changes[3].kind == ValueChangeKind::Added);
    CHECK(changes[4].kind == ValueChangeKind::Removed);
    CHECK(changes[4].before == 2U);
}

TEST_CASE("a mutation says what changed, and how much where that is known") {
    const ValueState before = tensorOn("a", 1, 1);
    const auto textOf = [&](const ValueState& after) {
        const std::vector<steps::ValueChange> changes =
            steps::compareValues(std::vector{before}, std::vector{after});
        REQUIRE(changes.size() == 1);
        return changes[0].text;
    };
    ValueState after = before;
    CHECK(textOf(after).empty());
    after.version = 1;
    CHECK(textOf(after) == "new data");
    after.change = steps::DataChange{5, 12, 0.25};
    CHECK(textOf(after) == "new data in 5 of 12 elements, by up to 0.25");
    after.meta->shape = {3, 4};
    CHECK(textOf(after) == "sizes [4, 3] -> [3, 4]; new data in 5 of 12 elements, by up to 0.25");
    after.version = 0;
    CHECK(textOf(after) == "sizes [4, 3] -> [3, 4]");
}
