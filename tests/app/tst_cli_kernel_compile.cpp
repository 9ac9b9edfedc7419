#include "cli_support.h"
#include "support/corpus_case.h"
#include "support/skipped.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace aotscope;
using test::cli;
using test::contains;
using Json = nlohmann::json;

namespace {

const std::string graphText =
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self, a: \"f32[4096, 8192][8192, 1]cpu\", b: \"f32[8192][1]cpu\"):\n"
    "        add: \"f32[4096, 8192][8192, 1]cpu\" = torch.ops.aten.add.Tensor(a, b)\n"
    "        relu: \"f32[4096, 8192][8192, 1]cpu\" = torch.ops.aten.relu.default(add)\n"
    "        return (relu,)\n";

/// Runs `kernels --compile`; false: there is no NVRTC, and the case is skipped.
bool compile(std::vector<std::string> arguments, test::Ran& ran,
             const std::vector<std::string>& environment = {}) {
    arguments.insert(arguments.begin(), {std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli", "kernels"});
    arguments.insert(arguments.end(), {"--compile", "--no-cache"});
    ran = test::runChild(std::move(arguments), environment);
    if (contains(ran.err, "NVRTC, which compiles kernels for GPUs, was not found")) {
        CHECK(ran.code == 1);
        CHECK(contains(ran.err, "pip install nvidia-cuda-nvrtc"));
        test::skip("NVRTC is not on this machine: pip install nvidia-cuda-nvrtc");
        return false;
    }
    return true;
}

} // namespace

TEST_CASE("kernels of a graph are compiled and reported, and their files written") {
    const test::TempFolder folder;
    const std::string graph = folder.write("graph.txt", graphText).string();
    test::Ran ran;
    if (!compile({graph, "--json", "--device-figures", "A100 40GB", "--arch", "sm_80,sm_90", "--out",
                  (folder.path() / "out").string()},
                 ran)) {
        return;
    }
    CHECK(ran.code == 0);
    const Json told = test::json(ran);
    CHECK(told["schema"] == "aotscope.kernel_compile/2");
    CHECK(told["device"] == "A100 40GB");
    REQUIRE(told["graphs"].size() == 1);
    REQUIRE(told["graphs"][0]["kernels"].size() == 1);
    const Json& kernel = told["graphs"][0]["kernels"][0];
    const double bytes = 2.0 * 4096 * 8192 * 4 + 8192 * 4;
    CHECK(kernel["work"]["bytes_read"].get<double>() + kernel["work"]["bytes_written"].get<double>() ==
          bytes);
    CHECK(kernel["predicted_seconds"].get<double>() == doctest::Approx(bytes / 1555e9));
    CHECK(kernel["time"]["limit"] == "memory");
    REQUIRE(kernel["builds"].size() == 2);
    for (const Json& build : kernel["builds"]) {
        CHECK(build["ok"] == true);
        CHECK(build["facts"]["registers"].get<int>() > 0);
        CHECK(build["spill_store_bytes"] == 0);
        const Json& occupancy = build["occupancy"];
        CHECK(2 * occupancy["warps"].get<int>() > occupancy["most_warps"].get<int>());
    }
    const std::string name = kernel["name"];
    const auto files = test::filesBelow(folder.path() / "out");
    std::size_t found = 0;
    for (const auto& [path, content] : files) {
        if (path.ends_with(name + ".cu")) {
            CHECK(contains(content, "__global__"));
            ++found;
        } else if (path.ends_with(name + ".sm_80.ptx")) {
            CHECK(contains(content, ".target sm_80"));
            ++found;
        } else if (path.ends_with(name + ".sm_90.cubin")) {
            CHECK(content.starts_with("\177ELF"));
            ++found;
        }
    }
    CHECK(found == 3);
}

TEST_CASE("a disassembler that fails leaves all but the machine code, and the command says so") {
    const test::TempFolder folder;
    const std::string graph = folder.write("graph.txt", graphText).string();
    const std::filesystem::path program = folder.write("broken", "#!/bin/sh\nexit 1\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    test::Ran ran;
    if (!compile({graph, "--json", "--arch", "sm_80,sm_90", "--out", (folder.path() / "out").string()}, ran,
                 {"AOTSCOPE_NVDISASM=" + program.string()})) {
        return;
    }
    CHECK(ran.code == 1);
    CHECK(contains(ran.err, "nvdisasm could not show the machine code"));
    CHECK(test::json(ran)["ok"] == true);
    std::set<std::string> endings;
    for (const auto& [path, content] : test::filesBelow(folder.path() / "out")) {
        endings.insert(path.substr(path.find('.', path.rfind('/') + 1)));
    }
    CHECK(endings ==
          std::set<std::string>{".cu", ".sm_80.cubin", ".sm_80.ptx", ".sm_90.cubin", ".sm_90.ptx"});
}

TEST_CASE("what is predicted is said to be, and wrong choices are told") {
    const test::TempFolder folder;
    const std::string graph = folder.write("graph.txt", graphText).string();
    test::Ran ran;
    if (!compile({graph}, ran)) {
        return;
    }
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "sm_90"));
    CHECK(contains(ran.out, "1 kernel for sm_90: 1 compiled by NVRTC"));
    CHECK(contains(ran.out, "predicted, not measured"));
    CHECK(contains(ran.out, "H100 SXM"));
    const auto unknownDevice = cli({"kernels", graph, "--compile", "--device-figures", "V100"});
    CHECK(unknownDevice.code == 2);
    CHECK(contains(unknownDevice.err, "RTX 4090"));
    const auto unknownArchitecture = cli({"kernels", graph, "--compile", "--arch", "sm_35"});
    CHECK(unknownArchitecture.code == 2);
    CHECK(contains(unknownArchitecture.err, "sm_100"));
    CHECK(cli({"kernels", graph, "--arch", "sm_90"}).code == 2);
}

TEST_CASE("all fused kernels of a few logs compile for three generations" * test::needsCorpus()) {
    for (const char* name : {"mlp_sgd", "mlp_inference", "transformer_encoder_layer"}) {
        CAPTURE(name);
        test::Ran ran;
        if (!compile({test::corpusLog(name), "--json", "--arch", "sm_80,sm_90,sm_100"}, ran)) {
            return;
        }
        CHECK_MESSAGE(ran.code == 0, ran.err);
        const Json told = test::json(ran);
        CHECK(told["ok"] == true);
        for (const Json& graph : told["graphs"]) {
            // Each has pointwise operators.
            REQUIRE(!graph["kernels"].empty());
            for (const Json& kernel : graph["kernels"]) {
                REQUIRE(kernel["builds"].size() == 3);
                for (const Json& build : kernel["builds"]) {
                    CHECK(build["occupancy"]["blocks"].get<int>() > 0);
                }
                CHECK(kernel["predicted_seconds"].get<double>() >=
                      kernel["time"]["launch_seconds"].get<double>());
            }
        }
    }
}
