// step: a call of a compiled function, stepped through from the command line.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace aotscope;
using test::cli;
using test::cliReading;
using test::contains;

namespace {

std::string steppedMlp() {
    return test::corpusLog("mlp_sgd");
}

/// Runs the script and returns what --json tells.
nlohmann::json steppedJson(const std::string& script, std::vector<std::string> more = {}) {
    const test::TempFolder folder;
    std::vector<std::string> arguments = {"step",     steppedMlp(),
                                          "--json",   "--contents",
                                          "--script", folder.write("script.txt", script).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ran = cli(std::move(arguments));
    CHECK_MESSAGE(ran.code == 0, ran.err);
    nlohmann::json told = test::json(ran);
    REQUIRE(told.is_object());
    CHECK(told["schema"] == "aotscope.step/2");
    return told;
}

} // namespace

TEST_CASE("a script leads through a call, forward and back, and shows where it stands" *
          test::needsCorpus()) {
    const auto told = steppedJson("# To the first node and back.\n"
                                  "break op:addmm\n"
                                  "\n"
                                  "resume\n"
                                  "into\n"
                                  "back\n"
                                  "back-out\n"
                                  "clear\n"
                                  "resume\n"
                                  "resume-back\n");
    const auto& steps = told["steps"];
    std::vector<nlohmann::json> stands;
    for (const auto& step : steps) {
        if (!step["stands"].is_null()) {
            stands.push_back(step);
        }
    }
    REQUIRE(stands.size() >= 7);
    CHECK(stands[0]["stands"]["next"] == 0);
    CHECK(stands[0]["stands"]["reason"] == "the start");
    CHECK(stands[1]["command"] == "resume");
    CHECK(stands[1]["stands"]["reason"] == "breakpoint op:addmm");
    CHECK(stands[1]["stands"]["event"]["target"] == "aten.addmm.default");
    const std::size_t at = stands[1]["stands"]["next"];
    CHECK(stands[2]["stands"]["next"] == at + 1);
    CHECK(stands[3]["stands"]["next"] == at);
    CHECK(stands[4]["stands"]["event"]["kind"] == "wrapper entry");
    CHECK(stands[5]["stands"]["event"].is_null());
    CHECK(stands[5]["stands"]["next"] == told["events"]);
    CHECK(stands[6]["stands"]["next"] == 0);
    CHECK(stands[6]["stands"]["reason"] == "the start");
}

TEST_CASE("values have the same bits before and after a way back" * test::needsCorpus()) {
    const auto told = steppedJson("to 12\nvalues\nto 30\nto 12\nvalues\nback\ninto\nvalues\n");
    std::vector<nlohmann::json> seen;
    for (const auto& step : told["steps"]) {
        if (step["command"] == "values") {
            seen.push_back(step["result"]);
            for (auto& value : seen.back()) {
                // Numbers of tensors that the record does not know hold in one pause.
                for (const char* number : {"tensor", "storage", "base"}) {
                    value["state"].erase(number);
                }
            }
        }
    }
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].size() > 4);
    bool anyContents = false;
    for (const auto& value : seen[0]) {
        anyContents = anyContents || !value["state"]["contents"].is_null();
    }
    CHECK(anyContents);
    CHECK(seen[1] == seen[0]);
    CHECK(seen[2] == seen[0]);
}

TEST_CASE("without a script commands come from stdin; at their end the call goes on" * test::needsCorpus()) {
    const auto ran =
        cliReading("into\n\nevents\nwrappers\nprint nothing\nnonsense\n", {"step", steppedMlp()});
    CHECK_MESSAGE(ran.code == 0, ran.err);
    CHECK(contains(ran.out, "Before event 0: wrapper entry "));
    CHECK(contains(ran.out, "Before event 1: "));
    CHECK(contains(ran.out, "Before event 2: ")); // The empty line repeats.
    CHECK(contains(ran.out, "  -> 2 "));
    CHECK(contains(ran.out, "AOTDispatchAutograd"));
    CHECK(contains(ran.out, "No value named \"nothing\""));
    CHECK(contains(ran.out, "is not a step"));
    CHECK(contains(ran.out, "The call has ended after "));

    const auto ended = cliReading("into\nq\n", {"step", steppedMlp()});
    CHECK(ended.code == 1);
    CHECK(contains(ended.err, "ended at a pause"));
}

TEST_CASE("what is kept for going back is bounded by the option, and shown" * test::needsCorpus()) {
    std::int64_t least = 0;
    for (const char* megabytes : {"0", "0.002", "100"}) {
        INFO(megabytes, " MB");
        const auto told = steppedJson("to 40\nback\nresume\nto 12\nresume\n", {"--checkpoints", megabytes});
        std::size_t pauses = 0;
        std::size_t most = 0;
        for (const auto& step : told["steps"]) {
            if (step["stands"].is_null()) {
                continue;
            }
            const auto& stands = step["stands"];
            const std::int64_t limit = stands["checkpoint_limit"];
            CHECK(stands["checkpoint_bytes"].get<std::int64_t>() <= limit);
            // The arguments that the call writes to are kept in any case.
            least = megabytes == std::string("0") ? limit : least;
            CHECK(limit - least == std::llround(std::stod(megabytes) * 1e6));
            most = std::max(most, stands["checkpoints"].size());
            ++pauses;
        }
        CHECK(pauses == 6);
        CHECK((megabytes != std::string("100") || most > 0));
    }
    const auto text = cliReading("to 12\n", {"step", steppedMlp(), "--checkpoints", "100"});
    CHECK(contains(text.out, " of 100 MB kept for going back"));
}

TEST_CASE("one value is printed with its statistics" * test::needsCorpus()) {
    const auto told = steppedJson("break op:addmm\nresume\ninto\nprint addmm\n");
    nlohmann::json printed;
    for (const auto& step : told["steps"]) {
        if (step["command"] == "print addmm") {
            printed = step["result"];
        }
    }
    REQUIRE(printed.is_object());
    const auto text = printed["state"]["meta"]["text"].get<std::string>();
    CHECK(text.starts_with("f32["));
    // Two sizes.
    CHECK(std::ranges::count(text.substr(0, text.find(']')), ',') == 1);
    CHECK(printed["minimum"].is_number());
    CHECK(printed["maximum"].is_number());
    CHECK(printed["histogram"].size() == 32);
}

TEST_CASE("with --fused, over goes past a whole kernel, into goes into it") {
    // A copy, the sum with what it skipped, and the norm of its rows: three nodes behind each other.
    const std::string sample =
        std::string(AOTSCOPE_SOURCE_DIR) + "/resources/sample/transformer_encoder_layer.log";
    const test::TempFolder folder;
    const auto script =
        folder.write("script.txt", "break node:clone_2\nresume\nover\nback-over\ninto\nout\n");
    const auto told = test::json(cli({"step", sample, "--fused", "--json", "--script", script.string()}));
    std::vector<nlohmann::json> stands;
    for (const auto& step : told["steps"]) {
        if (!step["stands"].is_null()) {
            stands.push_back(step["stands"]);
        }
    }
    REQUIRE(stands.size() >= 6);
    CHECK(stands[0]["kernel"] == "");
    const std::string kernel = stands[1]["kernel"];
    CHECK(stands[1]["event"]["title"] == "clone_2");
    const int first = stands[1]["next"];
    CHECK(stands[2]["next"] == first + 3);
    CHECK(stands[2]["reason"] == "over " + kernel);
    CHECK(stands[2]["kernel"] == "");
    CHECK(stands[3]["next"] == first);
    CHECK(stands[4]["event"]["title"] == "add_1");
    CHECK(stands[4]["kernel"] == kernel);
    CHECK(stands[5]["next"] == first + 3);
    CHECK(stands[5]["reason"] == "out of " + kernel);

    const auto text = cliReading("break node:clone_2\nresume\n", {"step", sample, "--fused"});
    CHECK(contains(text.out, "in the fused kernel " + kernel));
    const auto byNode = cliReading("break node:clone_2\nresume\nover\n", {"step", sample});
    CHECK_FALSE(contains(byNode.out, "fused kernel"));
    CHECK(contains(byNode.out, "forward node add_1"));
}

TEST_CASE("a script is checked before anything runs") {
    const test::TempFolder folder;
    const std::string script = folder.write("script.txt", "into\n\nsideways\n").string();
    const auto ran = cli({"step", "nowhere.log", "--script", script});
    CHECK(ran.code == 2);
    CHECK(contains(ran.err, "script.txt:3"));
    CHECK(contains(ran.err, "back-over"));
    const std::string wrongBreak = folder.write("other.txt", "break somewhere\n").string();
    CHECK(cli({"step", "nowhere.log", "--script", wrongBreak}).code == 2);
    CHECK(cli({"step", "nowhere.log", "--break", "somewhere"}).code == 2);
}
