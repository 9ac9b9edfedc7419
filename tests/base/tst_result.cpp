#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

using namespace aotscope;
using base::Error;
using base::Result;

namespace {

Error missing() {
    return {.code = "load.missing",
            .message = "There is no such file.",
            .place = {"a.log", 3, 7, {}},
            .notes = {"It was there before."},
            .hint = "Look for it."};
}

} // namespace

TEST_CASE("A copy of a failed result has an error of its own") {
    const Result<int> failed = missing();
    Result<int> copy = failed;
    copy.error().notes.push_back("Another note.");
    CHECK(copy.error().notes.size() == 2);
    CHECK(failed.error().notes.size() == 1);

    Result<int> assigned = 5;
    CHECK(assigned.ok());
    assigned = failed;
    REQUIRE_FALSE(assigned.ok());
    CHECK(assigned.error().text() == failed.error().text());
    assigned = 6;
    REQUIRE(assigned.ok());
    CHECK(*assigned == 6);
}

TEST_CASE("An error goes from one result to another with all it says") {
    const auto passOn = [](Result<int> failed) -> Result<std::string> { return std::move(failed).error(); };
    const Result<std::string> passed = passOn(missing());
    REQUIRE_FALSE(passed.ok());
    CHECK(passed.error().code == "load.missing");
    CHECK(passed.error().text() ==
          "a.log:3:7: There is no such file.\n  It was there before.\n  Look for it.");

    const auto forget = [](const Result<std::string>& failed) -> Result<void> { return failed.error(); };
    Result<void> nothing = forget(passed);
    REQUIRE_FALSE(nothing.ok());
    CHECK(nothing.error().code == "load.missing");
    nothing = Result<void>();
    CHECK(nothing.ok());
}

TEST_CASE("A result holds what can only be moved") {
    Result<std::unique_ptr<int>> made = std::make_unique<int>(4);
    REQUIRE(made.ok());
    const std::unique_ptr<int> taken = std::move(made).value();
    CHECK(*taken == 4);
}

TEST_CASE("The value of a failed result cannot be read") {
    const Result<int> failed = missing();
    CHECK_THROWS_AS(static_cast<void>(failed.value()), std::bad_variant_access);
}
