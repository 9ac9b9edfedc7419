// Compiled functions called through AOTAutograd's runtime wrappers: run --trace-wrappers, run --reference
// eager, wrappers --run.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;
using test::cli;
using test::contains;

TEST_CASE("a golden program is called through its wrappers and has the loss that PyTorch recorded" *
          test::needsCorpus()) {
    const std::string golden = (test::corpusDir() / "golden" / "mlp_sgd.json").string();
    const auto called = cli({"run", golden, "--trace-wrappers", "--json"});
    CHECK(called.code == 0);
    const auto json = test::json(called);
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.call/2");
    const auto& function = json.at("functions").at(0);
    CHECK(function.at("agrees") == true);
    CHECK(function.at("record").at("eager").at("losses").at(0).get<double>() ==
          doctest::Approx(0.06183119863271713));
    const auto recorded = nlohmann::json::parse(test::readFile(golden));
    CHECK(recorded.at("eager").at(0).at("loss").get<double>() == doctest::Approx(0.06183119863271713));
    std::vector<std::string> wrappers;
    for (const auto& wrapper : function.at("record").at("wrappers")) {
        wrappers.push_back(wrapper.at("name"));
        CHECK(wrapper.at("exit").is_number());
    }
    CHECK(wrappers ==
          std::vector<std::string>{"RuntimeWrapper", "AOTDispatchAutograd", "AOTDispatchAutograd"});
    const auto& events = function.at("record").at("events");
    const auto ofKind = [&](const std::string& kind) {
        return std::count_if(events.begin(), events.end(),
                             [&](const auto& event) { return event.at("kind") == kind; });
    };
    CHECK(ofKind("wrapper entry") == 3);
    CHECK(ofKind("wrapper exit") == 3);
    CHECK(ofKind("saving") == 1);
    CHECK(ofKind("gradient accumulation") == 4);
    CHECK(ofKind("backward node") > ofKind("forward node"));
}

TEST_CASE("a training loop's losses are printed beside eager's" * test::needsCorpus()) {
    const std::string log = test::corpusTrace("mlp_sgd").string();
    const auto called = cli({"run", log, "--trace-wrappers", "--calls", "5", "--learning-rate", "0.1"});
    CHECK(called.code == 0);
    CHECK(contains(called.out, "loss of call 4: "));
    CHECK(contains(called.out, "wrapper entry RuntimeWrapper"));
    CHECK(contains(called.out, "0/0: equal to Dynamo's graph in eager mode"));
}

TEST_CASE("what cannot be called is named, and wrong uses are refused" * test::needsCorpus()) {
    const auto subclass = cli({"run", test::corpusTrace("subclass_two_tensor").string(), "--trace-wrappers"});
    CHECK(subclass.code == 1);
    CHECK(contains(subclass.out, "not called, not supported: tensor subclasses"));
    const std::string log = test::corpusTrace("mlp_sgd").string();
    CHECK(cli({"run", log, "--trace-wrappers", "--kind", "forward"}).code == 2);
    CHECK(cli({"run", log, "--calls", "2"}).code == 2);
    CHECK(cli({"run", log, "--cache"}).code == 2);
    CHECK(cli({"run", log, "--reference", "eager", "--kind", "forward"}).code == 2);
    CHECK(cli({"run", log, "--reference", "eager", "--trace-wrappers"}).code == 2);
    CHECK(cli({"wrappers", log, "--seed", "1"}).code == 2);
}

TEST_CASE("a compiled call is compared with the program in eager mode, value by value" *
          test::needsCorpus()) {
    const std::string golden = (test::corpusDir() / "golden" / "mlp_sgd.json").string();
    const auto compared = cli({"run", golden, "--reference", "eager"});
    CHECK(compared.code == 0);
    CHECK(contains(compared.out, "largest difference"));
    CHECK(contains(compared.out, "gradient of "));
    CHECK(contains(compared.out, ": equal to Dynamo's graph in eager mode ("));
    CHECK_FALSE(contains(compared.out, "wrapper entry"));
    const auto json = test::json(cli({"run", golden, "--reference", "eager", "--json"}));
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.call/2");
    const auto& function = json.at("functions").at(0);
    CHECK(function.at("agrees") == true);
    CHECK(function.at("cache").is_null());
    // The loss of PyTorch's own call, which the golden file holds.
    CHECK(function.at("record").at("eager").at("losses").at(0).get<double>() ==
          doctest::Approx(0.06183119863271713));
    CHECK(function.at("record").at("eager").at("values").size() > 4);
    const auto first = cli({"run", golden, "--reference", "eager", "--first-difference", "--json"});
    CHECK(first.code == 0);
    CHECK(test::json(first).at("functions").at(0).at("first_difference").is_null());
}

TEST_CASE("a value that differs from eager is the first difference and decides the exit code" *
          test::needsCorpus()) {
    // PyTorch's own decomposition of this operator gives other gradients than eager.
    const std::string golden =
        (test::corpusDir() / "golden" / "transformer_encoder_layer__coredecomp.json").string();
    const auto first = cli({"run", golden, "--reference", "eager", "--first-difference"});
    CHECK(first.code == 1);
    CHECK(contains(first.out, "first difference from Dynamo's graph in eager mode: gradient of "));
    const auto all = test::json(cli({"run", golden, "--reference", "eager", "--json"}));
    CHECK(all.at("functions").at(0).at("agrees") == false);
}

TEST_CASE("wrappers --run tells below the stack what each wrapper did" * test::needsCorpus()) {
    const std::string log = test::corpusTrace("mut_input_mul").string();
    const auto ran = cli({"wrappers", log, "--run"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "wrapper RuntimeWrapper: applied"));
    CHECK(contains(ran.out, "called, from the outermost wrapper:"));
    CHECK(contains(ran.out, "  RuntimeWrapper: "));
    CHECK(contains(ran.out, "equal to Dynamo's graph in eager mode"));
    const auto told = test::json(cli({"wrappers", log, "--run", "--json"}));
    const auto& call = told.at("compiles").at(0).at("call");
    CHECK(call.at("agrees") == true);
    CHECK(call.at("record").at("wrappers").at(0).at("name") == "RuntimeWrapper");
    CHECK_FALSE(call.at("record").at("wrappers").at(0).at("actions").empty());
    const auto without = test::json(cli({"wrappers", log, "--json"}));
    CHECK(without.at("compiles").at(0).at("call").is_null());
    CHECK(without.at("compiles").at(0).at("wrappers") == told.at("compiles").at(0).at("wrappers"));
}

TEST_CASE("states of generators that the forward saves are handed to the backward") {
    // A checkpointed region with dropout, which the backward computes again.
    const std::filesystem::path packs = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "packs";
    const auto called =
        cli({"run", (packs / "unusual_text.log.xz").string(), "--id", "6/0", "--reference", "eager"});
    CHECK(called.code == 0);
    CHECK(
        contains(called.out, "6/0: equal to Dynamo's graph in eager mode (5 values, largest difference 0)"));
}

TEST_CASE("a primitive is given a Python number where its schema has a tensor") {
    // An optimizer of torch 2.15, whose graph multiplies and adds by prims.fma(tensor, number, tensor).
    const std::filesystem::path packs = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "packs-2.15";
    const auto called =
        cli({"run", (packs / "symbolic_sizes.log.xz").string(), "--id", "16/0", "--reference", "eager"});
    CHECK(called.code == 0);
    CHECK(contains(called.out, "16/0: equal to Dynamo's graph in eager mode"));
}
