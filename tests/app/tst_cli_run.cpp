#include "app/cli_support.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <array>
#include <csignal>

using namespace aotscope;
using test::cli;
using test::contains;

#ifdef AOTSCOPE_HAS_TORCH

namespace {

/// What follows "aotscope-cli replay " in a message.
std::string reproducerIn(const std::string& message) {
    const std::string before = "aotscope-cli replay ";
    const std::size_t start = message.find(before);
    if (start == std::string::npos) {
        return {};
    }
    const std::size_t from = start + before.size();
    return message.substr(from, message.find('\n', from) - from);
}

/// [8, 4] times [8, 4] is no matrix product.
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
    CHECK(json.at("schema") == "aotscope.run/1");
    CHECK(json.at("ok") == true);
    CHECK(json.at("seed") == 3);
    bool sawRelu = false;
    for (const auto& node : json.at("nodes")) {
        if (node.at("name") == "relu") {
            sawRelu = true;
            const auto& output = node.at("outputs").at(0);
            CHECK(output.at("shape") == nlohmann::json{8, 4});
            CHECK(output.at("bytes") == 128);
            CHECK(output.at("min").get<double>() >= 0);
        }
    }
    CHECK(sawRelu);
}

TEST_CASE("the same seed gives the same numbers, another seed others") {
    test::TempFolder folder;
    const std::string file = folder.write("g.txt", test::smallGraphText()).string();
    const auto outputs = [&](const std::string& seed) {
        const std::string out = (folder.path() / ("out" + seed)).string();
        CHECK(cli({"run", file, "--seed", seed, "--save-outputs", out}).code == 0);
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

TEST_CASE("without an id every ATen graph is run and summed up") {
    if (test::corpusMissing()) {
        return;
    }
    const auto json = test::json(cli({"run", test::corpusLog("mlp_sgd"), "--json"}));
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.runs/1");
    CHECK(json.at("graphs") == 3);
    CHECK(json.at("ran") == 3);
    const auto table = cli({"run", test::corpusLog("mlp_sgd")});
    CHECK(table.code == 0);
    CHECK(contains(table.out, "3 of 3 graphs ran (100 %)"));
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

TEST_CASE("the operators' schemas are listed, sorted") {
    const auto ran = cli({"schemas"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "aten::add.Tensor("));
    CHECK(contains(ran.out, "aten::addmm("));
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
    for (const auto& arguments : {std::vector<std::string>{"run", file}, {"schemas"}}) {
        const auto ran = cli(arguments);
        CHECK(ran.code == 1);
        CHECK(contains(ran.err, "LibTorch"));
    }
}

#endif
