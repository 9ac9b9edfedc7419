#include "aot/versions/rules_choice.h"

#include <doctest/doctest.h>

using namespace aotscope::aot;

TEST_CASE("the rules are those of the release that made the file, or those chosen") {
    CHECK(RulesChoice{{2, 15}}.text() == "rules of torch 2.15");
    CHECK(RulesChoice{{2, 15}}.isOwn());
    CHECK(RulesChoice{{2, 15}, TorchVersion{2, 15}}.text() == "rules of torch 2.15");
    const RulesChoice older{{2, 15}, TorchVersion{2, 11}};
    CHECK(older.release() == TorchVersion{2, 11});
    CHECK(older.text() == "rules of torch 2.11 (chosen; made by torch 2.15)");
    CHECK_FALSE(older.isOwn());
    // No release without rules of its own is told as having them.
    CHECK_FALSE(RulesChoice{{2, 17}}.isOwn());
    CHECK(RulesChoice{{2, 17}}.text() ==
          "rules of torch 2.15 (made by torch 2.17, whose own rules are not known)");
    CHECK(RulesChoice{{2, 15}, TorchVersion{2, 13}}.text() ==
          "rules of torch 2.11 (chosen for torch 2.13, whose own rules are not known; made by torch 2.15)");
}

TEST_CASE("a release is chosen as it is written, and what is none names the known ones") {
    REQUIRE(chosenVersion("2.15").ok());
    CHECK(*chosenVersion("2.15") == TorchVersion{2, 15});
    CHECK(*chosenVersion("2.11.0+cpu") == TorchVersion{2, 11});
    CHECK(*chosenVersion("2.13") == TorchVersion{2, 13});
    for (const char* wrong : {"", "two", "2", "2.", "v2.15", "-1.2", "99999.1"}) {
        const auto version = chosenVersion(wrong);
        REQUIRE_FALSE(version.ok());
        CHECK(version.error().hint.find("2.11, 2.15") != std::string::npos);
    }
    CHECK(chosenVersion(std::string(100'000, 'x')).error().message.size() < 100);
}
