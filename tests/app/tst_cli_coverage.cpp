#include "app/cli_support.h"

#include <doctest/doctest.h>

#include <map>

using namespace aotscope;
using test::cli;
using test::contains;

TEST_CASE("the operators' schemas are listed, sorted") {
    const auto ran = cli({"schemas"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "aten::add.Tensor("));
    CHECK(contains(ran.out, "aten::addmm("));
}

TEST_CASE("coverage is listed by area, with totals that count all of it") {
    const auto all = cli({"coverage", "--json"});
    CHECK(all.code == 0);
    const auto told = test::json(all);
    REQUIRE(told.is_object());
    CHECK(told["schema"] == "aotscope.coverage/1");
    std::map<std::string, std::size_t> counted;
    for (const auto& total : told["totals"]) {
        for (const char* state : {"covered", "fallback", "missing", "outside"}) {
            counted[total["area"].get<std::string>()] += total[state].get<std::size_t>();
        }
    }
    CHECK(counted.size() == 3);
    std::map<std::string, std::size_t> listed;
    for (const auto& row : told["rows"]) {
        ++listed[row["area"].get<std::string>()];
    }
    CHECK(listed == counted);

    const auto missing = test::json(cli({"coverage", "shapes", "--missing", "--json"}));
    REQUIRE(missing.is_object());
    std::size_t expected = 0;
    for (const auto& total : missing["totals"]) {
        CHECK(total["area"] == "shapes");
        expected += total["missing"].get<std::size_t>();
    }
    CHECK(missing["rows"].size() == expected);
    for (const auto& row : missing["rows"]) {
        CHECK(row["state"] == "missing");
    }

    const auto text = cli({"coverage", "calls"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "torch.nn.functional.gelu"));
    CHECK(contains(text.out, "group"));
    CHECK_FALSE(contains(text.out, "aten::addmm"));
}
