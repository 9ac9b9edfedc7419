// The hooks that ship with the program: PyTorch's own graphs of them (packs-2.15/hook_library), and their
// errors.
#include "app/cli_support.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace aotscope;
using test::cli;

namespace {

std::string packFile(const std::string& ending) {
    return std::string(AOTSCOPE_TEST_DIR) + "/golden/packs-2.15/hook_library" + ending;
}

/// The hook of each compile: programs are named hl_NAME and hl_NAME_dynamic.
std::map<std::string, std::string> hookOfCompile() {
    std::ifstream table(packFile(".expected.tsv"));
    std::map<std::string, std::string> hooks;
    for (std::string line; std::getline(table, line);) {
        std::istringstream columns(line);
        std::string compile;
        std::string program;
        std::getline(columns, compile, '\t');
        std::getline(columns, program, '\t');
        const std::string dynamic = "_dynamic";
        if (program.starts_with("hl_")) {
            const std::string name = program.substr(3);
            hooks[compile.substr(0, compile.find(' '))] =
                name.ends_with(dynamic) ? name.substr(0, name.size() - dynamic.size()) : name;
        }
    }
    return hooks;
}

nlohmann::json onlyCompile(const test::Ran& ran) {
    const auto told = test::json(ran);
    REQUIRE_MESSAGE(told.is_object(), ran.err);
    REQUIRE(told["compiles"].size() == 1);
    return told["compiles"][0];
}

} // namespace

TEST_CASE(
    "the hooks that PyTorch traced with a program, and the library's of the same name, give its graphs") {
    const auto hooks = hookOfCompile();
    CHECK(hooks.size() == 26);
    for (const auto& [compile, name] : hooks) {
        const std::string mode = name == "relu_mask" ? "donated" : "all";
        for (const std::string& hook : {std::string("logged"), name}) {
            CAPTURE(compile + " --hook " + hook);
            const auto told = onlyCompile(cli({"hooks", packFile(".log.xz"), "--id", compile, "--hook", hook,
                                               "--mode", mode, "--input", "traced", "--compare", "--json"}));
            CHECK(told["traced"] == true);
            CHECK_MESSAGE(told["equal"] == true, told["differences"].dump());
            CHECK(told["metadata_equal"] == true);
            CHECK(told["broken"].empty());
        }
    }
}

TEST_CASE("the error of a round trip is one that the stored format explains") {
    // Half a unit in the last place; a scaled format's is a part of the largest number of the tensor or row.
    const std::map<std::string, double> bounds = {
        {"bf16", 1.0 / 256},           {"fp8_e4m3", 1.0 / 16},   {"fp8_e4m3_row", 1.0 / 16},
        {"fp8_e4m3_tensor", 1.0 / 16}, {"fp8_e5m2", 1.0 / 8},    {"fp8_e5m2_row", 1.0 / 8},
        {"fp8_e5m2_tensor", 1.0 / 8},  {"int8_row", 1.0 / 100},  {"int8_tensor", 1.0 / 50},
        {"int4_row", 1.0 / 4},         {"int4_tensor", 1.0 / 3}, {"cpu_offload", 0}};
    for (const auto& [compile, name] : hookOfCompile()) {
        CAPTURE(name);
        const bool isMask = name == "relu_mask";
        const auto told = onlyCompile(cli({"hooks", packFile(".log.xz"), "--id", compile, "--hook", name,
                                           "--mode", isMask ? "donated" : "all", "--errors", "--json"}));
        CHECK_FALSE(told["errors"]["hooks"].empty());
        // A row of one number is exact in any scaled format, other rows are not.
        double largest = 0;
        for (const auto& hook : told["errors"]["hooks"]) {
            CAPTURE(hook.dump());
            CHECK(hook["failure"] == "");
            if (isMask) {
                // It does not keep the numbers, and the gradients do not need them.
                for (const auto& gradient : hook["gradients"]) {
                    CHECK(gradient["error"]["max"] == 0);
                }
                continue;
            }
            const auto& value = hook["value"];
            CHECK(value["relative"].get<double>() <= bounds.at(name));
            largest = std::max(largest, value["relative"].get<double>());
            CHECK(value["mean"].get<double>() <= value["max"].get<double>());
        }
        CHECK((isMask || (largest > 0) == (bounds.at(name) > 0)));
    }
}

TEST_CASE("hooks are suggested for a goal, and it is measured whether they reach it") {
    const std::vector<std::string> asked = {"hooks", packFile(".log.xz"), "--id", "0/0", "--mode", "all",
                                            "--json"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = asked;
        all.insert(all.end(), more.begin(), more.end());
        return cli(std::move(all));
    };
    const auto small = with({"--stored-at-most", "300B"});
    CHECK(small.code == 0);
    const auto bytes = onlyCompile(small);
    CHECK(bytes["suggestion"]["is_reached"] == true);
    CHECK(bytes["stored_bytes"].get<int>() <= 300);
    const auto exact = with({"--error-at-most", "0.001"});
    CHECK(exact.code == 0);
    const auto error = onlyCompile(exact);
    CHECK(error["suggestion"]["error"].get<double>() <= 0.001);
    CHECK(error["stored_bytes"].get<int>() < error["saved_bytes"].get<int>());
    const auto& gradients = error["suggestion"]["errors"]["together"];
    CHECK_FALSE(gradients.empty());
    for (const auto& gradient : gradients) {
        CHECK(gradient["error"]["relative"].get<double>() <= 0.001);
    }
    const auto impossible = with({"--stored-at-most", "10B", "--error-at-most", "0.001"});
    CHECK(impossible.code == 1);
    CHECK(onlyCompile(impossible)["suggestion"]["is_reached"] == false);
}

TEST_CASE("a hook from a file is told by its name and line where it is broken, and left out") {
    const test::TempFolder folder;
    const std::string text = cli({"hooks", "--text", "bf16"}).out;
    const std::string file = folder.write("mine.txt", text).string();
    const std::string log = packFile(".log.xz");
    const auto same = onlyCompile(
        cli({"hooks", log, "--id", "0/0", "--hook", file, "--mode", "all", "--compare", "--json"}));
    CHECK(same["equal"] == true);
    std::string wrong = text;
    wrong.replace(wrong.find("x.to(torch.bfloat16)"), 20, "x.no_such_method()  ");
    const auto broken = cli({"hooks", log, "--id", "0/0", "--hook", folder.write("wrong.txt", wrong).string(),
                             "--mode", "all", "--json"});
    CHECK(broken.code == 1);
    const auto told = onlyCompile(broken);
    REQUIRE(told["broken"].size() == 1);
    CHECK(told["broken"][0]["hook"] == "wrong.txt");
    CHECK(told["broken"][0]["error"]["place"]["line"] == 6);
    CHECK(told["stored_bytes"] == told["saved_bytes"]);
}

TEST_CASE("a hook that is called while the function runs packs each saved tensor, as events of the call") {
    const std::string log = packFile(".log.xz");
    const auto exact =
        cli({"wrappers", "--run", "--id", "0/0", "--run-time-hook", "cpu_offload", "--json", log});
    CHECK_MESSAGE(exact.code == 0, exact.err);
    const auto packed = cli({"wrappers", "--run", "--id", "0/0", "--run-time-hook", "bf16", "--json", log});
    const std::string actions = test::json(packed)["compiles"][0]["call"]["record"]["wrappers"].dump();
    // The network saves nine tensors, x of 3 by 6 numbers among them: 72 bytes in float32, 36 in bfloat16.
    CHECK(test::countOf(actions, "a saved-tensors hook packed ") == 9);
    CHECK(test::countOf(actions, "a saved-tensors hook unpacked ") == 9);
    CHECK(test::contains(actions, "72 bytes as 36"));
    const auto wrong = cli({"wrappers", "--run", "--id", "0/0", "--run-time-hook", "no_such_hook.txt", log});
    CHECK(wrong.code == 3);
}

TEST_CASE("a call runs the halves with the hooks that a person chose") {
    const auto called = [](const std::string& hook, const std::string& mode) {
        return cli({"wrappers", "--run", "--id", "0/0", "--hook", hook, "--mode", mode, packFile(".log.xz")});
    };
    const auto lossy = called("bf16", "all");
    // What the hooks lose is told as theirs: the compile is right.
    CHECK_MESSAGE(lossy.code == 0, lossy.out);
    CHECK(test::contains(lossy.out, "equal to Dynamo's graph in eager mode"));
    CHECK(test::contains(lossy.out, "the same saved-tensors hooks, which change values by up to "));
    CHECK_FALSE(test::contains(lossy.out, "a saved-tensors hook packed"));
    CHECK(called("none", "all").code == 0);
    CHECK(called("cpu_offload", "all").code == 0);
}

TEST_CASE("with --out each hook's graphs lie beside the halves") {
    const test::TempFolder out;
    REQUIRE(cli({"hooks", packFile(".log.xz"), "--id", "0/0", "--out", out.path().string()}).code == 0);
    const auto files = test::filesBelow(out.path());
    for (const char* stem : {"joint", "forward", "backward", "forward_before_hooks", "backward_before_hooks",
                             "pack_0", "unpack_0", "pack_8", "unpack_8"}) {
        CAPTURE(stem);
        CHECK(files.contains(std::string("0_0/") + stem + ".json"));
        CHECK(files.contains(std::string("0_0/") + stem + ".txt"));
    }
    CHECK_FALSE(files.contains("0_0/pack_9.json"));
}
