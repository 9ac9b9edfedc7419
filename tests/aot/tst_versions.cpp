// Which rules apply to graphs of which release of torch.
#include "aot/versions/versions.h"

#include <doctest/doctest.h>

using namespace aotscope::aot;

TEST_CASE("a release is read from every form in which torch writes it") {
    CHECK(torchVersionFromText("2.11.0") == TorchVersion{2, 11});
    CHECK(torchVersionFromText("2.15.0+cu132") == TorchVersion{2, 15});
    CHECK(torchVersionFromText("2.16.0a0+git0123abc") == TorchVersion{2, 16});
    CHECK(torchVersionFromText("2.15") == TorchVersion{2, 15});
    CHECK_FALSE(torchVersionFromText(""));
    CHECK_FALSE(torchVersionFromText("2"));
    CHECK_FALSE(torchVersionFromText("2."));
    CHECK_FALSE(torchVersionFromText("v2.15"));
    CHECK_FALSE(torchVersionFromText("2.99999999999999999999"));
    CHECK(torchVersionText({2, 15}) == "2.15");
}

TEST_CASE("a release whose rules are not known takes the nearest older ones and says so") {
    CHECK(rulesVersion({2, 15}) == TorchVersion{2, 15});
    CHECK(rulesVersion({2, 13}) == TorchVersion{2, 11});
    CHECK(rulesVersion({2, 17}) == TorchVersion{2, 15});
    CHECK(rulesVersion({3, 0}) == TorchVersion{2, 15});
    CHECK(rulesVersion({2, 6}) == TorchVersion{2, 11});
    CHECK(rulesText({2, 15}) == "rules of torch 2.15");
    CHECK(rulesText({2, 17}) == "rules of torch 2.15 (made by torch 2.17, whose own rules are not known)");
    CHECK(torchRules({2, 17}) == torchRules({2, 15}));
    CHECK(torchRules({2, 13}) == torchRules({2, 11}));
}

TEST_CASE("every rule says what holds, since when and where it was read, and changes something") {
    REQUIRE_FALSE(knownVersions().empty());
    for (const VersionRule& rule : versionRules()) {
        CAPTURE(rule.text);
        CHECK_FALSE(rule.text.empty());
        CHECK_FALSE(rule.source.empty());
        CHECK(rulesVersion(rule.begins) == rule.begins);
        TorchRules changed;
        rule.apply(changed);
        CHECK(changed != TorchRules());
    }
    CHECK(torchRules(knownVersions().front()) == TorchRules());
}
