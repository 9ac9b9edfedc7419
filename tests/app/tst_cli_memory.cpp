#include "cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace aotscope;
using test::cli;
using test::contains;
using Json = nlohmann::json;

namespace {

std::int64_t peakOf(const Json& profile) {
    return profile["peak"]["bytes"].get<std::int64_t>();
}

} // namespace

TEST_CASE("a compile without gradients answers with its inference graph" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_inference");
    const Json profile = test::json(cli({"memory", log, "--json"}))["profiles"][0];
    CHECK(profile == test::json(cli({"memory", log, "--kind", "inference", "--json"}))["profiles"][0]);
    CHECK(cli({"memory", log, "--compare"}).code == 2);
    CHECK(cli({"memory", log, "--budget", "0.5"}).code == 2);

    const auto budgets = cli({"budget", log, "--json"});
    CHECK(test::json(budgets)["has_backward"] == false);
    const Json points = test::json(budgets)["points"];
    REQUIRE(points.size() == 1);
    CHECK(points[0]["stage"] == "no backward");
    CHECK(points[0]["saved"] == 0);
    CHECK(points[0]["peak_bytes"] == profile["peak"]["bytes"]);
    CHECK(contains(budgets.err, "no backward"));

    // The peak is where it is because of what is alive there.
    const std::string node = profile["peak"]["node"];
    const auto why = cli({"why", log, "--node", node});
    CHECK(why.code == 0);
    CHECK(contains(why.out, "no backward to save it for"));
    CHECK(contains(why.out, "is alive from " + node));
    CHECK(test::json(cli({"why", log, "--node", node, "--json"}))["alternative"].is_null());
    CHECK(cli({"why", log, "--node", "no_such_node"}).code == 2);
}

TEST_CASE("three orders of a step are set beside one another, and what parts them adds up" *
          test::needsCorpus()) {
    const std::string log = test::corpusLog("transformer_encoder_layer");
    const auto table = cli({"memory", log, "--compare"});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "current choices against eager"));
    CHECK(contains(table.out, "current choices against as logged"));
    CHECK(contains(table.err, "eager: "));
    const Json told = test::json(cli({"memory", log, "--compare", "--format", "json"}))["profiles"][0];
    CHECK(told["order"] == "current choices");
    REQUIRE(told["compared"].size() == 2);
    for (const Json& other : told["compared"]) {
        std::int64_t sum = 0;
        for (const Json& entry : other["differences"]) {
            const auto bytes = [&](const char* side) {
                return entry[side].is_null() ? 0 : entry[side].get<std::int64_t>();
            };
            sum += bytes("bytes_here") - bytes("bytes_there");
        }
        CHECK(sum == peakOf(told) - peakOf(other));
    }
    // The halves made here are PyTorch's, so that their memory is, too.
    CHECK(told["compared"][0]["order"] == "as logged");
    CHECK(told["compared"][0]["bytes"] == told["bytes"]);
}

TEST_CASE("a smaller budget and a person's choices change the predicted memory" * test::needsCorpus()) {
    const std::string log = test::corpusLog("transformer_encoder_layer");
    const auto saved = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"memory", log, "--format", "json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Json told = test::json(cli(arguments))["profiles"][0];
        std::map<std::string, std::int64_t> bytes;
        for (const Json& range : told["ranges"]) {
            if (range["category"] == "saved activation") {
                bytes[range["name"].get<std::string>()] = range["bytes"].get<std::int64_t>();
            }
        }
        return bytes;
    };
    const auto sum = [](const std::map<std::string, std::int64_t>& bytes) {
        std::int64_t total = 0;
        for (const auto& [name, size] : bytes) {
            total += size;
        }
        return total;
    };
    const auto all = saved({});
    CHECK(saved({"--order", "current"}) == all);
    CHECK(sum(saved({"--budget", "0.2"})) < sum(all));
    CHECK(sum(saved({"--order", "eager"})) >= sum(all));
    REQUIRE(all.contains("add_1"));
    // What it is computed from is kept in its place.
    const auto forced = saved({"--recompute", "add_1"});
    CHECK_FALSE(forced.contains("add_1"));
    CHECK(forced.contains("addmm"));
}

TEST_CASE("a picture is drawn of one step, and what was asked in vain is said" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto picture = cli({"memory", log, "--compare", "--format", "svg"});
    CHECK(picture.code == 0);
    CHECK(picture.out.starts_with("<svg "));
    CHECK(picture.out.ends_with("</svg>\n"));
    CHECK(contains(picture.out, "saved activation"));
    CHECK(contains(picture.out, ">eager</text>"));
    CHECK(cli({"memory", log, "--kind", "forward", "--compare"}).code == 2);
    CHECK(cli({"memory", log, "--kind", "forward", "--save", "relu"}).code == 2);
    CHECK(cli({"memory", test::corpusLog("recompiles_guards"), "--format", "svg"}).code == 2);
}

#ifdef AOTSCOPE_HAS_TORCH
TEST_CASE("a run measures what was predicted, node by node" * test::needsCorpus()) {
    const std::string log = test::corpusLog("transformer_encoder_layer");
    const auto table = cli({"memory", log, "--measured"});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "measured peak without inputs"));
    const Json told = test::json(cli({"memory", log, "--measured", "--format", "json"}))["profiles"];
    REQUIRE(told.size() == 2);
    for (const Json& graph : told) {
        const auto alive = graph["measured"]["alive"].get<std::vector<std::int64_t>>();
        const auto peak = graph["measured"]["peak_without_inputs"].get<std::int64_t>();
        CHECK(peak == *std::max_element(alive.begin(), alive.end()));
        const auto predicted = graph["peak_without_inputs"]["bytes"].get<std::int64_t>();
        CHECK(std::abs(predicted - peak) * 100 <= peak);
    }
    const auto picture = cli({"memory", log, "--kind", "backward", "--measured", "--format", "svg"});
    CHECK(picture.code == 0);
    CHECK(contains(picture.out, "measured; above it"));
    CHECK(cli({"memory", log, "--measured", "--order", "eager"}).code == 2);
}
#endif
