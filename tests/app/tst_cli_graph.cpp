#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/found_libraries.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::cli;
using test::contains;

TEST_CASE("usage errors have code 2 and say what is wrong") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    struct Case {
        std::vector<std::string> arguments;
        std::string said;
    };
    const std::vector<Case> cases{
        {{}, "Usage"},
        {{"open"}, "FILE"},
        {{"graph"}, "FILE"},
        {{"no-such-command"}, "no-such-command"},
        {{"open", file, "--no-such-option"}, "no-such-option"},
        {{"graph", file, "--format", "jpeg"}, "jpeg"},
        {{"graph", file, "--id", "0/0"}, "-"},
        {{"graph", file, "--id", "zero"}, "zero"},
        {{"graph", file, "--kind", "joint"}, "graph"},
        {{"run", file, "--symbol", "s0"}, "s0"},
        {{"run", file, "--symbol", "s0=x"}, "s0=x"},
        {{"run", file, "--seed", "-"}, "seed"},
        {{"payload", file, "--name", "x"}, "graph"},
        {{"diff", file}, "B"},
        {{"open", file, "--log-level", "loud"}, "loud"},
        {{"coverage", "colours"}, "colours"},
    };
    for (const Case& wrong : cases) {
        const auto ran = cli(wrong.arguments);
        INFO(wrong.said << ": " << ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(contains(ran.err, wrong.said));
    }
}

TEST_CASE("unreadable inputs and unwritable outputs have code 3") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    const std::string absent = (folder.path() / "absent").string();
    const std::string noise = folder.write("noise.bin", std::string("\x7f\x45\x4c\x46\0\1\2\3", 8)).string();
    const std::string badJson = folder.write("bad.json", "{\"nodes\": [").string();
    const std::string hugeNumber = folder.write("huge.json", "{\"nodes\": [1e400]}").string();
    const std::string noGraph = folder.write("other.json", "{\"a\": 1}").string();
    const std::string deep = folder.write("deep.json", "{\"a\":" + std::string(100'000, '[')).string();
    const std::string emptyFolder = (folder.path() / "empty").string();
    std::filesystem::create_directory(emptyFolder);
    const std::vector<std::vector<std::string>> cases{
        {"open", absent},
        {"graph", absent},
        {"payload", absent, "--name", "x"},
        {"problems", absent},
        {"run", absent},
        {"replay", absent},
        {"replay", file},
        {"replay", emptyFolder},
        {"replay", "/dev/zero"},
        {"diff", absent, file},
        {"diff", file, absent + ":0/0:joint"},
        {"open", noise},
        {"open", badJson},
        {"open", hugeNumber},
        {"replay", hugeNumber},
        {"open", noGraph},
        {"open", deep},
        {"open", emptyFolder},
        {"graph", file, "-o", absent + "/deeper/out.txt"},
        {"graph", file, "-o", "/dev/full"},
        {"run", file, "--inputs", absent},
        {"run", file, "--inputs", noise},
    };
    for (const auto& arguments : cases) {
        const auto ran = cli(arguments);
        INFO(arguments.front() << " " << arguments.at(1) << ": " << ran.err);
        CHECK(ran.code == 3);
        CHECK_FALSE(ran.err.empty());
        CHECK_FALSE(contains(ran.err, "exception"));
    }
}

TEST_CASE("a graph goes through its own JSON and comes out the same text" * test::needsCorpus()) {
    test::TempFolder folder;
    for (const char* name : {"mlp_sgd", "hop_cond", "dyn_mark_symint_saved", "hooks_fp8_mlp"}) {
        INFO(name);
        const std::string log = test::corpusLog(name);
        const std::string json = (folder.path() / "joint.json").string();
        const auto text = cli({"graph", log, "--id", "0/0", "--kind", "joint"});
        CHECK(text.code == 0);
        CHECK(cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "json", "-o", json}).code ==
              0);
        CHECK(cli({"graph", json}).out == text.out);
        const auto same = cli({"diff", json, log + ":0/0:joint"});
        CHECK(same.code == 0);
        CHECK(same.out.empty());
    }
}

TEST_CASE("diff says equal with code 0 and different with code 1") {
    test::TempFolder folder;
    const std::string left = folder.write("a.txt", test::smallGraphText("1")).string();
    const std::string right = folder.write("with:colon.txt", test::smallGraphText("2")).string();
    CHECK(cli({"diff", left, left}).code == 0);
    const auto structural = cli({"diff", left, right});
    CHECK(structural.code == 1);
    CHECK(contains(structural.out, "add"));
    const auto unified = cli({"diff", left, right + ":-:graph", "--text", "unified"});
    CHECK(unified.code == 1);
    CHECK(contains(unified.out, "--- a.txt"));
    const auto json = test::json(cli({"diff", left, right, "--json"}));
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.diff/1");
    CHECK(json.at("equal") == false);
    REQUIRE(json.at("differences").size() == 1);
    CHECK(json.at("differences").at(0).at("kind") == "changed");
    CHECK(json.at("differences").at(0).at("left") == "add");

    std::string renamed = test::smallGraphText("1");
    for (std::size_t at = renamed.find("relu:"); at != std::string::npos; at = renamed.find("relu:")) {
        renamed.replace(at, 5, "positive:");
    }
    renamed.replace(renamed.find("(relu,)"), 7, "(positive,)");
    const std::string other = folder.write("renamed.txt", renamed).string();
    CHECK(cli({"diff", left, other}).code == 1);
    CHECK(cli({"diff", left, other, "--ignore-names"}).code == 0);
}

TEST_CASE("pictures and documents are written in each format") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    CHECK(contains(cli({"graph", file, "--format", "dot"}).out, "digraph"));
    const auto svg = cli({"graph", file, "--format", "svg"});
    CHECK(svg.code == 0);
    CHECK(contains(svg.out, "<svg"));
    CHECK(contains(svg.out, "relu"));
    if (std::filesystem::exists("/usr/bin/neato")) {
        const auto png = cli({"graph", file, "--format", "png"});
        CHECK(png.code == 0);
        CHECK(png.out.starts_with("\x89PNG"));
    }
}

TEST_CASE("what cannot be parsed is said with its place, and its raw text is still given") {
    test::TempFolder folder;
    std::string broken = test::smallGraphText();
    broken.replace(broken.find("relu.default(add)"), 17, "relu.default(add");
    const std::string log =
        folder
            .write("x.log",
                   test::graphRecord("aot_inference_graph",
                                     "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0", broken))
            .string();
    const auto text = cli({"graph", log});
    CHECK(text.code == 1);
    CHECK(text.out.empty());
    CHECK(contains(text.err, "4:"));
    CHECK(cli({"graph", log, "--format", "svg"}).code == 1);
    CHECK(cli({"diff", log, log}).code == 1);
    const auto raw = cli({"graph", log, "--format", "raw"});
    CHECK(raw.code == 0);
    CHECK(raw.out == broken);
}

TEST_CASE("of several graphs of one name each is reached") {
    test::TempFolder folder;
    const std::string ids = "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0";
    const std::string log =
        folder
            .write("x.log", test::graphRecord("aot_inference_graph", ids, test::smallGraphText("1")) +
                                test::graphRecord("aot_inference_graph", ids, test::smallGraphText("2")))
            .string();
    const auto textOf = [&](const std::string& kind) {
        return cli({"graph", log, "--id", "0/0", "--kind", kind, "--format", "raw"}).out;
    };
    CHECK(textOf("inference#1") == test::smallGraphText("1"));
    CHECK(textOf("inference#2") == test::smallGraphText("2"));
    CHECK(textOf("inference") == test::smallGraphText("2"));
    CHECK(cli({"graph", log, "--id", "0/0", "--kind", "inference#3"}).code == 2);
}

TEST_CASE("of two ranks in one log each graph of one id and kind is reached") {
    test::TempFolder folder;
    const auto recordOf = [](int rank) {
        return test::graphRecord("aot_inference_graph",
                                 "\"rank\": " + std::to_string(rank) +
                                     ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0",
                                 test::smallGraphText(std::to_string(rank)));
    };
    const std::string log = folder.write("mixed.log", recordOf(3) + recordOf(5)).string();
    const auto textOf = [&](const std::string& id, const std::string& format) {
        return cli({"graph", log, "--id", id, "--kind", "inference", "--format", format}).out;
    };
    CHECK(textOf("0/0", "raw") == test::smallGraphText("3"));
    CHECK(textOf("rank3:0/0", "raw") == test::smallGraphText("3"));
    CHECK(textOf("rank5:0/0", "raw") == test::smallGraphText("5"));
    CHECK(contains(textOf("rank5:0/0", "text"), "arg0_1, 5)"));
    const auto payload = cli({"payload", log, "--id", "rank5:0/0", "--name", "inference"});
    CHECK(payload.out == test::smallGraphText("5"));
    CHECK(cli({"diff", log + ":0/0:inference", log + ":rank5:0/0:inference"}).code == 1);
    CHECK(contains(cli({"open", log}).out, "rank5:0/0"));
    CHECK(cli({"graph", log, "--id", "rank4:0/0", "--kind", "inference"}).code == 2);
}

TEST_CASE("without an id the choice is listed" * test::needsCorpus()) {
    const std::string log = test::corpusLog("recompiles_guards");
    const auto several = cli({"graph", log, "--kind", "joint"});
    CHECK(several.code == 2);
    CHECK(contains(several.err, "0/0"));
    CHECK(contains(several.err, "0/1"));
    const auto kinds = cli({"graph", log, "--id", "0/0"});
    CHECK(kinds.code == 2);
    CHECK(contains(kinds.err, "joint"));
    CHECK(contains(kinds.err, "backward"));
    const auto wrong = cli({"graph", log, "--id", "0/77", "--kind", "joint"});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "0/1"));
}

TEST_CASE("an artifact of several graphs lists them, and each is reached by its name" * test::needsCorpus()) {
    const std::string log = test::corpusLog("hooks_fp8_mlp");
    std::vector<std::string> arguments{"graph", log,      "--id",
                                       "0/0",   "--kind", "aot_saved_tensors_hooks_graphs"};
    const auto several = cli(arguments);
    CHECK(several.code == 2);
    CHECK(contains(several.err, "aot_saved_tensors_hooks_pack"));
    arguments.insert(arguments.end(), {"--section", "aot_forward_graph_pre_saved_tensors_hooks"});
    const auto one = cli(arguments);
    CHECK(one.code == 0);
    CHECK(contains(one.out, "def forward"));
    arguments.back() = "no_such_section";
    CHECK(cli(arguments).code == 2);
}

TEST_CASE("quiet keeps messages away, and a reader that leaves early ends the program quietly") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    CHECK(cli({"--quiet", "diff", file, file}).err.empty());
    CHECK(cli({"diff", file, file, "--quiet"}).err.empty());
    CHECK_FALSE(cli({"diff", file, file}).err.empty());
    if (!found::hasDot()) {
        // Of which the program tells.
        return;
    }
    const std::string program = std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli";
    const auto piped = test::runChild({"bash", "-c",
                                       program + " schemas --help; " + program + " graph " + file +
                                           " --format svg | head -c 10 > /dev/null"});
    CHECK(piped.err.empty());
}
