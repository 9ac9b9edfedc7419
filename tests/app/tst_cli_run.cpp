#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/found_libraries.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <map>

using namespace aotscope;
using test::cli;
using test::contains;

#ifdef AOTSCOPE_HAS_TORCH

namespace {

/// The text after "aotscope-cli replay " in a message.
std::string reproducerIn(const std::string& message) {
    const std::string before = "aotscope-cli replay ";
    const std::size_t start = message.find(before);
    if (start == std::string::npos) {
        return {};
    }
    const std::size_t from = start + before.size();
    return message.substr(from, message.find('\n', from) - from);
}

/// [8, 4] times [8, 4] is an invalid matrix product.
std::string wrongProductText() {
    std::string text = test::smallGraphText();
    const std::string before = "aten.relu.default(add)";
    text.replace(text.find(before), before.size(), "aten.mm.default(add, add)");
    return text;
}

} // namespace

TEST_CASE("a graph is run node by node") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    const auto ran = cli({"run", file, "--seed", "3"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "aten.relu.default"));
    CHECK(contains(ran.out, "float32[8, 4]"));
    const auto json = test::json(cli({"run", file, "--seed", "3", "--json"}));
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.run/2");
    CHECK(json.at("ok") == true);
    CHECK(json.at("seed") == 3);
    bool sawRelu = false;
    for (const auto& node : json.at("nodes")) {
        if (node.at("node") == "relu") {
            sawRelu = true;
            const auto& output = node.at("outputs").at(0);
            CHECK(output.at("shape") == nlohmann::json{8, 4});
            CHECK(output.at("bytes") == 128);
            CHECK(output.at("minimum").get<double>() >= 0);
        }
    }
    CHECK(sawRelu);
}

TEST_CASE("the same seed gives the same numbers, another seed others") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    const auto outputs = [&](const std::string& seed) {
        const std::string out = (folder.path() / ("out" + seed + ".safetensors")).string();
        CHECK(cli({"run", file, "--seed", seed, "--outputs", out}).code == 0);
        return test::readFile(out);
    };
    const std::string first = outputs("1");
    CHECK(first.size() > 128);
    CHECK(outputs("1") == first);
    CHECK(outputs("2") != first);
}

TEST_CASE("given inputs are used: relu(x + 1)") {
    test::TempFolder folder;
    std::string text = test::smallGraphText();
    for (std::size_t at = text.find("[8, 4][4, 1]"); at != std::string::npos;
         at = text.find("[8, 4][4, 1]")) {
        text.replace(at, 12, "[2][1]");
    }
    const std::string file = folder.write("g.txt", text).string();
    const std::string header = R"({"arg0_1":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} )";
    std::string tensors(1, static_cast<char>(header.size()));
    tensors += std::string(7, '\0') + header;
    const std::array<float, 2> values{2.0F, -5.0F};
    tensors.append(reinterpret_cast<const char*>(values.data()), sizeof(values));
    const std::string inputs = folder.write("in.safetensors", tensors).string();
    const std::string out = (folder.path() / "out.safetensors").string();
    const auto ran = cli({"run", file, "--inputs", inputs, "--save-outputs", out});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const std::string written = test::readFile(out);
    std::array<float, 2> results{};
    REQUIRE(written.size() > sizeof(results));
    written.copy(reinterpret_cast<char*>(results.data()), sizeof(results), written.size() - sizeof(results));
    CHECK(results[0] == 3.0F);
    CHECK(results[1] == 0.0F);
}

TEST_CASE("arrays of numpy go in, and outputs and values of nodes come out as such") {
    if (!found::hasZip()) {
        return;
    }
    test::TempFolder folder;
    std::string text = test::smallGraphText();
    for (std::size_t at = text.find("[8, 4][4, 1]"); at != std::string::npos;
         at = text.find("[8, 4][4, 1]")) {
        text.replace(at, 12, "[2][1]");
    }
    const std::string file = folder.write("g.txt", text).string();
    const auto array = [](const char* dtype, std::array<float, 2> values) {
        std::string header =
            std::string("{'descr': '") + dtype + "', 'fortran_order': False, 'shape': (2,), }\n";
        std::string bytes =
            std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header;
        bytes.append(reinterpret_cast<const char*>(values.data()), sizeof(values));
        return bytes;
    };
    const std::string input = folder.write("in.npy", array("<f4", {2.0F, -5.0F})).string();
    const std::string value = (folder.path() / "add.npy").string();
    const std::string out = (folder.path() / "out.npz").string();
    const auto ran = cli(
        {"run", file, "--inputs", "arg0_1=" + input, "--outputs", out, "--value", "add=" + value, "--json"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(test::readFile(value).ends_with(std::string("\0\0\x40\x40\0\0\x80\xc0", 8)));
    const auto json = test::json(ran);
    CHECK(json.at("values").at(0).at("node") == "add");
    const auto& histogram = json.at("values").at(0).at("tensors").at(0).at("histogram");
    CHECK(histogram.at("from") == -4);
    CHECK(histogram.at("to") == 3);
    CHECK(histogram.at("counts").at(0) == 1);
    // An archive goes in again by the names in it; a folder has a file per output.
    const auto folderOut = (folder.path() / "outputs").string();
    CHECK(cli({"run", file, "--inputs", "arg0_1=" + out, "--outputs", folderOut}).code == 0);
    CHECK(test::readFile(folder.path() / "outputs/output_0.npy")
              .ends_with(std::string("\0\0\x80\x40\0\0\x80\x3f", 8)));

    CHECK(cli({"run", file, "--inputs", input}).code == 2);
    CHECK(cli({"run", file, "--value", "add"}).code == 2);
    CHECK(cli({"run", file, "--value", "nothing=" + value}).code == 2);
    const std::string broken = folder.write("broken.npy", "\x93NUMPY\1").string();
    const auto refused = cli({"run", file, "--inputs", "arg0_1=" + broken});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "broken.npy"));
}

TEST_CASE("without an id every ATen graph is run and summed up" * test::needsCorpus()) {
    const auto json = test::json(cli({"run", test::corpusLog("mlp_sgd"), "--json"}));
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.runs/2");
    CHECK(json.at("graphs") == 3);
    CHECK(json.at("ran") == 3);
    const auto table = cli({"run", test::corpusLog("mlp_sgd")});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "3 of 3 graphs ran (100 %)"));
}

TEST_CASE("a made-up number is never shown for a true one") {
    test::TempFolder folder;
    const std::string file = folder
                                 .write("g.txt", R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu"):
        before: "f32[4][1]cpu" = torch.ops.aten.relu.default(x)
        mine: "f32[4][1]cpu" = torch.ops.mylib.mine.default(x);  x = None
        view: "f32[2, 2][2, 1]cpu" = torch.ops.aten.view.default(mine, [2, 2])
        after: "f32[2, 2][2, 1]cpu" = torch.ops.aten.relu.default(view);  view = None
        return (before, after)
        )")
                                 .string();
    const auto table = cli({"run", file});
    CHECK(table.code == 1);
    CHECK(contains(table.err, "mylib.mine"));
    CHECK(contains(table.err, "--allow-stand-ins"));
    CHECK(contains(table.out, "synthetic, in place of mylib.mine"));
    CHECK(contains(table.out, "depends on a stand-in"));
    const auto strict = test::json(cli({"run", file, "--json"}));
    REQUIRE(strict.is_object());
    CHECK(strict.at("ok") == false);
    CHECK(strict.at("error").at("code") == "run.stand_ins");
    CHECK(strict.at("stand_ins") ==
          nlohmann::json::parse(R"([{"target": "mylib.mine.default", "nodes": 1}])"));
    const auto allowed = cli({"run", file, "--json", "--allow-stand-ins"});
    CHECK(allowed.code == 0);
    CHECK(contains(allowed.err, "mylib.mine"));
    const auto json = test::json(allowed);
    CHECK(json.at("ok") == true);
    CHECK(json.at("made_up") == 3);
    const std::map<std::string, std::string> origins{{"x", "computed"},
                                                     {"before", "computed"},
                                                     {"mine", "stand_in"},
                                                     {"view", "follows_from_stand_in"},
                                                     {"after", "follows_from_stand_in"}};
    REQUIRE(json.at("nodes").size() == origins.size());
    for (std::size_t i = 0; i < origins.size(); ++i) {
        const auto& node = json.at("nodes").at(i);
        const auto name = node.at("node").get<std::string>();
        INFO(name);
        CHECK(node.at("origin") == origins.at(name));
        CHECK(node.at("outputs").at(0).at("mean").is_number());
        CHECK(node.at("numbers_withheld") == false);
        CHECK(strict.at("nodes").at(i).at("numbers_withheld") == (origins.at(name) != "computed"));
        const auto& withheld = strict.at("nodes").at(i).at("outputs").at(0).at("mean");
        CHECK(withheld.is_null() == (origins.at(name) != "computed"));
    }
}

TEST_CASE("what a stand-in writes to, and what shares its memory, follows from it") {
    test::TempFolder folder;
    const std::string file = folder
                                 .write("g.txt", R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu", y: "f32[4][1]cpu", z: "f32[4][1]cpu"):
        view: "f32[2, 2][2, 1]cpu" = torch.ops.aten.view.default(x, [2, 2])
        fill = torch.ops.mylib.fill_.default(view);  fill = None
        of_x: "f32[4][1]cpu" = torch.ops.aten.relu.default(x)
        copy_: "f32[4][1]cpu" = torch.ops.aten.copy_.default(y, of_x);  of_x = copy_ = None
        of_y: "f32[4][1]cpu" = torch.ops.aten.relu.default(y)
        of_z: "f32[4][1]cpu" = torch.ops.aten.relu.default(z)
        return (of_y, of_z)
        )")
                                 .string();
    const auto json = test::json(cli({"run", file, "--json", "--allow-stand-ins"}));
    REQUIRE(json.is_object());
    std::map<std::string, std::string> origins;
    for (const auto& node : json.at("nodes")) {
        origins[node.at("node").get<std::string>()] = node.at("origin");
    }
    CHECK(origins.at("fill") == "stand_in");
    CHECK(origins.at("of_x") == "follows_from_stand_in");
    CHECK(origins.at("of_y") == "follows_from_stand_in");
    CHECK(origins.at("of_z") == "computed");
}

TEST_CASE("a summary tells runs with stand-ins and failed ones from true ones" * test::needsCorpus()) {
    const std::string log = test::corpusLog("custom_op");
    const auto strict = cli({"run", log});
    CHECK(strict.code == 1);
    CHECK(contains(strict.out, "ran with stand-ins for corpus.scaled_add"));
    const auto json = test::json(cli({"run", log, "--json", "--allow-stand-ins"}));
    REQUIRE(json.is_object());
    CHECK(json.at("ran_with_stand_ins").get<int>() > 0);
    CHECK(json.at("ran").get<int>() + json.at("ran_with_stand_ins").get<int>() +
              json.at("failed").get<int>() ==
          json.at("graphs").get<int>());
}

TEST_CASE("a failing run names the node, has code 1 and leaves a reproducer that replays to the same") {
    test::TempFolder folder;
    const auto failed = cli({"run", folder.write("g.txt", wrongProductText()).string()});
    CHECK(failed.code == 1);
    CHECK(contains(failed.err, "relu"));
    const std::string reproducer = reproducerIn(failed.err);
    REQUIRE(std::filesystem::exists(reproducer));
    const auto replayed = cli({"replay", reproducer});
    CHECK(replayed.code == 1);
    CHECK(contains(replayed.err, "relu"));
    CHECK(test::json(cli({"replay", reproducer, "--json"})).at("ok") == false);

    std::string repaired = test::readFile(reproducer);
    const std::string wrong = "aten.mm.default";
    for (std::size_t at = repaired.find(wrong); at != std::string::npos; at = repaired.find(wrong)) {
        repaired.replace(at, wrong.size(), "aten.mul.Tensor");
    }
    CHECK(cli({"replay", folder.write("repaired.json", repaired).string()}).code == 0);

    // Inputs that it does not have are named, and one that cannot be read is not replaced by another.
    auto json = nlohmann::ordered_json::parse(repaired);
    json["inputs_left_out"] = nlohmann::ordered_json::array({"arg0_1"});
    const auto without = cli({"replay", folder.write("without.json", json.dump()).string()});
    CHECK(without.code == 0);
    CHECK(contains(without.err, "generated from the seed instead: arg0_1."));
    json["options"]["inputs"]["arg0_1"] = {{"dtype", "float32"}, {"shape", {8, 4}}, {"base64", "AAA"}};
    const auto unreadable = cli({"replay", folder.write("unreadable.json", json.dump()).string()});
    CHECK(unreadable.code == 3);
    CHECK(contains(unreadable.err, "options: inputs: arg0_1: base64: expected bytes in base64."));
}

TEST_CASE("a script that PyTorch wrote to reproduce a graph is replayed, from a file and from its log") {
    test::TempFolder folder;
    const std::string script = "import torch\nfrom torch.nn import *\nclass Repro(torch.nn.Module):\n"
                               "    def __init__(self) -> None:\n        super().__init__()\n\n\n\n"
                               "    def forward(self, x, y):\n"
                               "        mm = torch.ops.aten.mm.default(x, y);  x = y = None\n"
                               "        return (mm,)\n\ndef load_args(reader):\n"
                               "    buf0 = reader.storage(None, 24)\n"
                               "    reader.tensor(buf0, (2, 3), is_leaf=True)  # x\n"
                               "    buf1 = reader.storage(None, 48)\n"
                               "    reader.tensor(buf1, (3, 4), is_leaf=True)  # y\n"
                               "load_args._version = 0\nmod = Repro()\n";
    const std::string file = folder.write("repro.py", script).string();
    const auto replayed = test::json(cli({"replay", file, "--json"}));
    CHECK(replayed.at("ok") == true);
    CHECK(replayed.at("nodes")[2].at("outputs")[0].at("shape") == nlohmann::json({2, 4}));
    CHECK(cli({"run", file}).code == 0);
    CHECK(contains(cli({"graph", file}).out, "x: \"f32[2, 3]cpu\", y: \"f32[3, 4]cpu\""));
    const auto failing = cli(
        {"replay",
         folder.write("wrong.py", std::string(script).replace(script.find("(3, 4)"), 6, "(5, 4)")).string()});
    CHECK(failing.code == 1);
    CHECK(contains(failing.err, "mm"));
}

TEST_CASE("the reproducing scripts that Inductor logs run" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd__inductor");
    for (const char* const name : {"fx_graph_runnable", "fx_graph_runnable#2"}) {
        const auto run = test::json(cli({"run", log, "--id", "0/0", "--kind", name, "--json"}));
        CHECK(run.at("ok") == true);
    }
}

TEST_CASE("what an operator prints is no result") {
    test::TempFolder folder;
    const std::string text =
        "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[1][1]cpu\"):\n"
        "        _print = torch.ops.aten._print.default('a word');  _print = None\n"
        "        return (x,)\n";
    const auto run = cli({"run", folder.write("g.txt", text).string(), "--json"});
    CHECK(test::json(run).is_object());
    CHECK(contains(run.err, "a word"));
}

TEST_CASE("Ctrl+C during a run ends it cleanly with code 130 and leaves no reproducer") {
    test::TempFolder state;
    test::TempFolder folder;
    // A chain of products that would take minutes.
    std::string text = "class GraphModule(torch.nn.Module):\n"
                       "    def forward(self, x0: \"f32[700, 700][700, 1]cpu\"):\n";
    constexpr int nodes = 20'000;
    for (int i = 1; i <= nodes; ++i) {
        const std::string before = "x" + std::to_string(i - 1);
        text += "        x" + std::to_string(i) +
                ": \"f32[700, 700][700, 1]cpu\" = torch.ops.aten.mm.default(" + before + ", " + before +
                ");  " + before + " = None\n";
    }
    text += "        return (x" + std::to_string(nodes) + ",)\n        \n";
    const std::string file = folder.write("long.txt", text).string();
    const auto reproducers = state.path() / "aotscope" / "reproducers";
    // The log's line of the opened backend is the sign that the run begins.
    bool sent = false;
    const auto ran = test::runChild(
        {std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli", "--log-level", "info", "run", file},
        {"XDG_STATE_HOME=" + state.path().string()}, [&](pid_t child, const test::Ran& sofar) {
            if (!sent && contains(sofar.err, "backend:")) {
                sent = true;
                ::kill(child, SIGINT);
            }
        });
    CHECK(sent);
    CHECK(ran.code == 130);
    CHECK(contains(ran.err, "Interrupted"));
    CHECK((!std::filesystem::exists(reproducers) || std::filesystem::is_empty(reproducers)));
}

TEST_CASE("a missing module is said with what to do") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    const auto ran = test::runChild(
        {std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli", "run", file},
        {"AOTSCOPE_TORCH_MODULE=/nonexistent/module.so", "XDG_STATE_HOME=" + folder.path().string()});
    CHECK(ran.code == 1);
    CHECK(contains(ran.err, "LibTorch"));
}

#else

TEST_CASE("a program built without LibTorch says so when asked to run") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    for (const auto& arguments : {std::vector<std::string>{"run", file}, {"schemas"}, {"coverage"}}) {
        const auto ran = cli(arguments);
        CHECK(ran.code == 1);
        CHECK(contains(ran.err, "LibTorch"));
    }
}

#endif
