#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

using namespace aotscope;
using test::cli;
using test::contains;

TEST_CASE("a file without a joint graph is a usage error") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    const auto ran = cli({"partition", file});
    CHECK(ran.code == 2);
    CHECK(contains(ran.err, "joint graph"));
    CHECK(cli({"partition", file, "--budget", "2"}).code == 2);
    CHECK(cli({"partition", file, "--partitioner", "best"}).code == 2);
}

TEST_CASE("what is saved is told with its reason" * test::needsCorpus()) {
    const auto ran = cli({"partition", test::corpusLog("mlp_sgd")});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "it is an input of the forward"));
    CHECK(contains(ran.out, "cannot fuse with it"));
    CHECK(contains(ran.out, "from the traced joint graph"));
    const auto logged = cli({"partition", test::corpusLog("mlp_sgd"), "--input", "logged"});
    CHECK(logged.code == 0);
    CHECK(contains(logged.out, "from the logged joint graph"));

    const auto told = test::json(cli({"partition", test::corpusLog("mlp_sgd"), "--json"}));
    CHECK(told["schema"] == "aotscope.partition/4");
    REQUIRE(told["partitions"].size() == 1);
    const auto& partition = told["partitions"][0];
    REQUIRE(partition["saved"].size() == 3);
    CHECK(partition["saved"][2]["name"] == "relu");
    CHECK(partition["saved"][2]["bytes"] == 1024);
    CHECK(partition["recomputed"][0]["name"] == "t_1");
    CHECK(partition["equal"].is_null());
}

TEST_CASE("compare answers with the exit code" * test::needsCorpus()) {
    const auto equal = cli({"partition", test::corpusLog("transformer_encoder_layer"), "--compare"});
    CHECK(equal.code == 0);
    CHECK(contains(equal.err, "1 equal"));
    const auto wrong = cli(
        {"partition", test::corpusLog("transformer_encoder_layer"), "--compare", "--partitioner", "default"});
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.out, "differs"));
    const auto golden =
        cli({"partition", (test::corpusDir() / "golden" / "conv_bn_relu.json").string(), "--compare"});
    CHECK(golden.code == 0);
    CHECK(contains(golden.err, "2 equal"));
}

namespace {

/// A log without the records of these kinds.
std::string withoutRecords(const std::string& log, const std::vector<std::string>& kinds) {
    std::string kept;
    bool keeps = true;
    std::istringstream in(test::readFile(log));
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with('\t')) {
            keeps = std::ranges::none_of(kinds, [&](const auto& kind) { return contains(line, kind); });
        }
        kept += keeps ? line + '\n' : "";
    }
    return kept;
}

} // namespace

TEST_CASE("the result does not need the log's forward and backward records, nor its joint graph" *
          test::needsCorpus()) {
    const std::string log = test::corpusLog("transformer_encoder_layer");
    test::TempFolder folder;
    const std::string stripped =
        folder.write("stripped.log", withoutRecords(log, {"aot_forward_graph", "aot_backward_graph"}))
            .string();
    const std::string bare =
        folder.write("bare.log", withoutRecords(log, {"{\"aot_", "\"name\": \"aot_"})).string();
    const auto partitionOf = [](const std::string& file, const std::string& input) {
        auto told = test::json(cli({"partition", file, "--json", "--input", input}))["partitions"][0];
        told.erase("graph");
        return told;
    };
    for (const char* input : {"auto", "traced", "logged"}) {
        CAPTURE(input);
        const auto whole = partitionOf(log, input);
        CHECK(whole["input"] ==
              (std::string(input) == "logged" ? "logged joint graph" : "traced joint graph"));
        CHECK(whole == partitionOf(stripped, input));
    }
    CHECK(partitionOf(log, "traced")["saved"] == partitionOf(bare, "auto")["saved"]);
    CHECK(cli({"partition", stripped, "--compare"}).code == 1);
    CHECK(cli({"partition", bare, "--input", "logged"}).code == 2);
}

TEST_CASE("the engine's own joint graph and the logged one are split alike, as PyTorch did" *
          test::needsCorpus()) {
    for (const char* name : {"mlp_sgd", "transformer_encoder_layer"}) {
        CAPTURE(name);
        for (const char* input : {"traced", "logged"}) {
            const auto ran = cli({"partition", test::corpusLog(name), "--compare", "--input", input});
            CHECK(ran.code == 0);
            CHECK(contains(ran.out, input));
            CHECK(contains(ran.err, "1 equal"));
        }
    }
}

TEST_CASE("graphs and report are written where --out says" * test::needsCorpus()) {
    test::TempFolder folder;
    const std::string out = (folder.path() / "halves").string();
    CHECK(cli({"partition", test::corpusLog("mlp_sgd"), "--out", out}).code == 0);
    for (const char* half : {"forward", "backward"}) {
        const auto same =
            cli({"diff", out + "/0_0/" + half + ".txt", test::corpusLog("mlp_sgd") + ":0/0:" + half});
        INFO(same.err);
        CHECK(same.code == 0);
    }
    CHECK(std::filesystem::exists(out + "/0_0/report.json"));

    // The same place as retrace writes to, with a folder per log above it where there are several.
    const std::string both = (folder.path() / "both").string();
    CHECK(cli({"partition", test::corpusLog("mlp_sgd"), test::corpusLog("transformer_encoder_layer"), "--out",
               both})
              .code == 0);
    CHECK(std::filesystem::exists(both + "/dedicated_log_torch_trace_mlp_sgd.log/0_0/forward.json"));
    CHECK(std::filesystem::exists(
        both + "/dedicated_log_torch_trace_transformer_encoder_layer.log/0_0/report.json"));
}

namespace {

struct PrintedPass {
    /// "cut: forward"
    std::string name;
    std::string graph;
};

/// The graphs that --print-after wrote, in order; the last one with what follows it.
std::vector<PrintedPass> printedPasses(const std::string& text) {
    std::vector<PrintedPass> printed;
    const std::string after = ", after ";
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const std::size_t name = line.find(after);
        if (line.starts_with("# ") && name != std::string::npos) {
            printed.push_back({line.substr(name + after.size()), {}});
        } else if (!printed.empty()) {
            printed.back().graph += line + "\n";
        }
    }
    return printed;
}

std::vector<std::string> namesOf(const std::vector<PrintedPass>& printed) {
    std::vector<std::string> names;
    std::ranges::transform(printed, std::back_inserter(names), &PrintedPass::name);
    return names;
}

} // namespace

TEST_CASE("the graphs that passes leave are printed, and the last ones are the halves" *
          test::needsCorpus()) {
    const test::TempFolder folder;
    const std::string log = test::corpusLog("mlp_sgd");
    const std::string out = (folder.path() / "halves").string();
    const auto ran = cli({"partition", log, "--print-after", "all", "--out", out});
    CHECK(ran.code == 0);
    CHECK(contains(ran.err, "Passes of "));
    const std::vector<PrintedPass> printed = printedPasses(ran.out);
    const std::vector<std::string> expected = {
        "tensorify: joint", "subgraphs: joint", "dead-code: joint",       "merge-equal: joint",
        "cut: forward",     "cut: backward",    "rng: forward",           "rng: backward",
        "order: forward",   "order: backward",  "effect-tokens: forward", "effect-tokens: backward"};
    REQUIRE(namesOf(printed) == expected);
    for (const PrintedPass& pass : printed) {
        INFO(pass.name);
        // Results follow the last graph.
        const std::string graph = pass.graph.substr(0, pass.graph.find("\nsaved "));
        const auto parsed = cli({"graph", folder.write("one.txt", graph).string()});
        CHECK(parsed.code == 0);
        CHECK(contains(parsed.out, "def forward"));
    }
    CHECK(printed[printed.size() - 2].graph == test::readFile(out + "/0_0/forward.txt"));
    CHECK(printed.back().graph.starts_with(test::readFile(out + "/0_0/backward.txt")));

    // Where standard output is JSON, graphs go to stderr; several passes can be named.
    const auto both =
        cli({"--quiet", "partition", "--print-after", "order", "--print-after", "cut", "--json", log});
    CHECK(test::json(both)["schema"] == "aotscope.partition/4");
    CHECK(namesOf(printedPasses(both.err)) ==
          std::vector<std::string>{"cut: forward", "cut: backward", "order: forward", "order: backward"});
}

TEST_CASE("only what a pass changed is printed on request, and unknown passes are refused") {
    // Dropout that the backward recomputes.
    const std::string log = std::string(AOTSCOPE_TEST_DIR) + "/golden/graph_warnings/random-2.15.log.xz";
    const auto ran = cli({"partition", log, "--id", "0/0", "--input", "logged", "--print-changed"});
    CHECK(ran.code == 0);
    const std::vector<std::string> names = namesOf(printedPasses(ran.out));
    const auto isPrinted = [&names](const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    CHECK(isPrinted("cut: backward"));
    CHECK(isPrinted("rng: backward"));
    CHECK_FALSE(isPrinted("tensorify: joint"));
    CHECK_FALSE(isPrinted("effect-tokens: forward"));
    const auto named = cli({"partition", log, "--id", "0/0", "--input", "logged", "--print-changed",
                            "--print-after", "rng", "--print-after", "tensorify"});
    CHECK(namesOf(printedPasses(named.out)) == std::vector<std::string>{"rng: forward", "rng: backward"});

    const auto unknown = cli({"partition", log, "--print-after", "fuse"});
    CHECK(unknown.code == 2);
    CHECK(unknown.out.empty());
    CHECK(contains(unknown.err, "merge-equal"));
    CHECK(contains(unknown.err, "effect-tokens"));
}

TEST_CASE("a person can force a value to be saved or computed again" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto again = test::json(cli({"partition", log, "--recompute", "relu", "--json"}));
    const auto& partition = again["partitions"][0];
    const auto saved = partition["saved"].dump();
    CHECK(!contains(saved, "\"relu\""));
    CHECK(contains(partition["recomputed"].dump(), "you chose to have it recomputed"));
    const auto impossible = cli({"partition", log, "--recompute", "primals_3"});
    CHECK(impossible.code == 1);
    CHECK(contains(impossible.err, "primals_3"));
    CHECK(cli({"partition", log, "--save", "no_such_node"}).code == 1);
    const auto byDefault = cli({"partition", log, "--partitioner", "default", "--save", "relu"});
    CHECK(byDefault.code == 1);
    CHECK(contains(byDefault.err, "min-cut"));
}

TEST_CASE("why tells the rule that decided and what the other way would cost" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto relu = test::json(cli({"why", log, "--node", "relu", "--json"}));
    CHECK(relu["schema"] == "aotscope.why/2");
    CHECK(contains(relu["decision"], "cannot fuse with it"));
    CHECK(relu["alternative"]["choice"] == "recompute");
    CHECK(relu["alternative"]["weight"].get<std::int64_t>() >= 0);
    CHECK(contains(relu["alternative"]["no_longer_saved"].dump(), "\"relu\""));
    CHECK(contains(relu["alternative"]["newly_recomputed"].dump(), "\"relu\""));
    const auto input = cli({"why", log, "--node", "primals_3"});
    CHECK(input.code == 0);
    CHECK(contains(input.out, "There is no alternative"));
    CHECK(cli({"why", log, "--node", "no_such_node"}).code == 2);
    // The engine's own joint graph and the logged one are equal, and so are the answers.
    CHECK(relu["input"] == "traced joint graph");
    auto logged = test::json(cli({"why", log, "--node", "relu", "--input", "logged", "--json"}));
    CHECK(logged["input"] == "logged joint graph");
    logged["input"] = relu["input"];
    logged["graph"] = relu["graph"];
    CHECK(logged == relu);
    CHECK(cli({"why", log, "--node", "relu", "--input", "guessed"}).code == 2);
}

TEST_CASE("what is saved and computed again is told as CSV, a line per value" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto told = test::json(cli({"partition", log, "--format", "json"}))["partitions"][0];
    std::istringstream lines(cli({"partition", log, "--format", "csv"}).out);
    std::string line;
    REQUIRE(std::getline(lines, line));
    CHECK(line.starts_with("graph,fate,name,bytes,"));
    std::size_t saved = 0;
    std::size_t recomputed = 0;
    for (; std::getline(lines, line); line.clear()) {
        saved += contains(line, ",saved,") ? 1 : 0;
        recomputed += contains(line, ",recomputed,") ? 1 : 0;
        if (contains(line, ",saved,relu,")) {
            CHECK(contains(line, ",relu,1024,"));
        }
    }
    CHECK(saved == told["saved"].size() + told["saved_symbols"].size());
    CHECK(recomputed == told["recomputed"].size());
}

TEST_CASE("pictures mark what a split saves and computes again" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto told = test::json(cli({"partition", log, "--input", "logged", "--json"}))["partitions"][0];
    const auto dot = cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "dot", "--split"});
    CHECK(dot.code == 0);
    for (const auto& row : told["recomputed"]) {
        CHECK(contains(dot.out, "↻ " + row["name"].get<std::string>() + "\\n"));
    }
    const auto svg = cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "svg", "--split"});
    CHECK(svg.code == 0);
    CHECK(contains(svg.out, ">↻</text>"));
    // Everything is saved that can be: nothing is computed again.
    CHECK_FALSE(contains(
        cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "svg", "--partitioner", "default"})
            .out,
        ">↻</text>"));
    CHECK_FALSE(contains(cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "svg"}).out, "↻"));
    CHECK(cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "text", "--split"}).code == 2);
}

TEST_CASE("a picture's split finds what to save as partition does with the same solver and costs" *
          test::needsCorpus()) {
    const std::string log = test::corpusLog("transformer_encoder_layer");
    std::set<std::set<std::string>> answers;
    for (const char* solver : {"dp", "greedy"}) {
        for (const char* runtime : {"flops", "testing"}) {
            const std::vector<std::string> given{"--budget", "0.5", "--solver", solver, "--runtime", runtime};
            std::vector<std::string> split{"partition", log, "--input", "logged", "--json"};
            split.insert(split.end(), given.begin(), given.end());
            std::vector<std::string> drawn{"graph", log,        "--id", "0/0",    "--kind",
                                           "joint", "--format", "dot",  "--split"};
            drawn.insert(drawn.end(), given.begin(), given.end());
            const auto told = test::json(cli(split))["partitions"][0]["recomputed"];
            const auto dot = cli(drawn);
            INFO(solver << ' ' << runtime << ": " << dot.err);
            CHECK(dot.code == 0);
            std::set<std::string> names;
            for (const auto& row : told) {
                names.insert(row["name"].get<std::string>());
                CHECK(contains(dot.out, "↻ " + row["name"].get<std::string>() + "\\n"));
            }
            CHECK_FALSE(names.empty());
            answers.insert(names);
        }
    }
    // They are heard: not every choice gives the same split.
    CHECK(answers.size() > 1);
}

TEST_CASE("the backward's inputs are told: which may be overwritten, and the strides they really have" *
          test::needsCorpus()) {
    const auto told = test::json(cli({"partition", test::corpusLog("conv_bn_relu__inductor"), "--json"}));
    const auto& partition = told["partitions"][0];
    std::vector<std::size_t> donated;
    std::map<std::string, std::vector<int>> restrided;
    for (const auto& input : partition["backward_inputs"]) {
        if (input["donated"].get<bool>()) {
            donated.push_back(donated.size());
        }
        if (!input["restrided"].is_null()) {
            restrided[input["name"].get<std::string>()] = input["restrided"].get<std::vector<int>>();
        }
    }
    CHECK(donated.size() == partition["donated_inputs_of_backward"].size());
    // As the log's backward in Inductor says: channels last, chosen by the compiled forward.
    CHECK(restrided == std::map<std::string, std::vector<int>>{{"primals_1", {27, 1, 9, 3}},
                                                               {"primals_2", {192, 1, 24, 3}},
                                                               {"convolution", {512, 1, 64, 8}}});
    CHECK(contains(cli({"partition", test::corpusLog("conv_bn_relu__inductor")}).out, "[512, 1, 64, 8]"));
    // Eager's forward returns what was traced.
    const auto eager = test::json(cli({"partition", test::corpusLog("mlp_sgd"), "--json"}));
    for (const auto& input : eager["partitions"][0]["backward_inputs"]) {
        CHECK(input["restrided"].is_null());
    }
}

TEST_CASE("predicted memory is told as a table, JSON and CSV" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto table = cli({"memory", log});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "peak of the backward"));
    const auto told = test::json(cli({"memory", log, "--format", "json"}))["profiles"][0];
    std::int64_t atPeak = 0;
    const auto peak = told["peak"]["position"].get<std::int64_t>();
    for (const auto& range : told["ranges"]) {
        const bool alive =
            range["from"].get<std::int64_t>() <= peak && peak <= range["last"].get<std::int64_t>();
        atPeak += alive ? range["bytes"].get<std::int64_t>() : 0;
    }
    CHECK(atPeak == told["peak"]["bytes"].get<std::int64_t>());
    CHECK(contains(cli({"memory", log, "--format", "csv"}).out, ",saved activation,"));
    const auto blocks =
        test::json(cli({"memory", log, "--format", "json", "--rounding", "512"}))["profiles"][0];
    CHECK(blocks["peak"]["bytes"].get<std::int64_t>() % 512 == 0);
}

TEST_CASE("the budget curve saves less and computes more the smaller the budget" * test::needsCorpus()) {
    const auto told =
        test::json(cli({"budget", test::corpusLog("transformer_encoder_layer"), "--steps", "4", "--json"}));
    REQUIRE(told["points"].size() == 5);
    const auto& least = told["points"][0];
    const auto& most = told["points"][4];
    CHECK(least["saved_bytes"].get<std::int64_t>() < most["saved_bytes"].get<std::int64_t>());
    CHECK(least["recomputed_flops"].get<double>() > most["recomputed_flops"].get<double>());
    CHECK(cli({"budget", test::corpusLog("mlp_sgd"), "--steps", "0"}).code == 2);
    CHECK(cli({"budget", test::corpusLog("mlp_sgd"), "--runtime", "seconds"}).code == 2);
}
