#include "ops_check.h"

#include "ir/json/graph_json.h"
#include "support/corpus.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

/// The call as text. A traced constant is copied where a running program only marks it.
std::string callText(const test::RecordedCall& call) {
    if (call.op == "aten.lift_fresh_copy.default") {
        return "aten.lift_fresh.default(" + call.arguments + ")";
    }
    return call.op + "(" + call.arguments + ")";
}

std::string firstDifference(const test::OpsRun& ours, const test::OpsRun& theirs) {
    for (std::size_t i = 0; i < std::max(ours.calls.size(), theirs.calls.size()); ++i) {
        const std::string left = i < ours.calls.size() ? callText(ours.calls[i]) : "(end) " + ours.error;
        const std::string right =
            i < theirs.calls.size() ? callText(theirs.calls[i]) : "(end) " + theirs.error;
        if (left != right) {
            return "\n  ours " + left + "\n  PyTorch's " + right;
        }
    }
    // Made-up data may be refused (a matrix that is not positive definite), then by both.
    return ours.error.empty() || !theirs.error.empty() ? std::string() : "\n  ours failed: " + ours.error;
}

} // namespace

TEST_CASE("functions, methods, operators and subscripts make the calls that PyTorch makes") {
    const std::string text = test::readPlainOrXz(std::filesystem::path(AOTSCOPE_TEST_DIR) / "torch" /
                                                 "ops_answers" / "calls.jsonl.xz");
    REQUIRE(!text.empty());
    const char* only = std::getenv("AOTSCOPE_ONLY");
    std::istringstream lines(text);
    std::string line;
    int compared = 0;
    int equal = 0;
    std::map<std::string, int> differing;
    while (std::getline(lines, line)) {
        const Json record = Json::parse(line);
        const std::string target = record["target"];
        if (only != nullptr && target != only) {
            continue;
        }
        auto dynamo = ir::graphFromJson(record["dynamo"].dump());
        auto predispatch = ir::graphFromJson(record["predispatch"].dump());
        REQUIRE_MESSAGE(dynamo.ok(), target << ": " << dynamo.error().text());
        REQUIRE_MESSAGE(predispatch.ok(), target << ": " << predispatch.error().text());
        if (std::getenv("AOTSCOPE_VERBOSE") != nullptr) {
            std::cout << target << std::endl;
        }
        const test::OpsRun theirs = test::runOps(**predispatch, {}, 100);
        const test::OpsRun ours = test::runOps(**dynamo, {}, 100);
        const std::string difference = firstDifference(ours, theirs);
        ++compared;
        if (difference.empty()) {
            ++equal;
        } else if (++differing[target] <= 2) {
            const Json& call = record["dynamo"]["nodes"][record["dynamo"]["nodes"].size() - 2];
            std::cout << target << call["args"].dump().substr(0, 200) << call["kwargs"].dump().substr(0, 200)
                      << difference << '\n';
        }
    }
    std::cout << equal << " of " << compared << " calls equal; functions that differ: " << differing.size()
              << '\n';
    for (const auto& [target, count] : differing) {
        std::cout << "  " << target << " " << count << '\n';
    }
    CHECK(compared > 0);
    CHECK(equal == compared);
}
