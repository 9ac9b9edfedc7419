// The command devices, and --device of the commands that run: with GPUs that pretend (tests/torch/fake_cuda),
// and without a driver.
#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::contains;

namespace {

const std::vector<std::string> noDriver{"AOTSCOPE_CUDA_DRIVER=/nonexistent/libcuda.so.1"};
const std::vector<std::string> twoGpus{
    "AOTSCOPE_CUDA_DRIVER=" AOTSCOPE_BINARY_DIR "/lib/libfake_cuda_driver.so",
    "AOTSCOPE_TORCH_CUDA=" AOTSCOPE_BINARY_DIR "/lib/libfake_torch_cuda.so", "FAKE_CUDA_DEVICES=2",
    "XDG_CACHE_HOME=" AOTSCOPE_BINARY_DIR "/test_caches"};

test::Ran cliWith(std::vector<std::string> arguments, const std::vector<std::string>& environment) {
    arguments.insert(arguments.begin(), AOTSCOPE_BINARY_DIR "/bin/aotscope-cli");
    return test::runChild(std::move(arguments), environment);
}

std::filesystem::path graphFile(const test::TempFolder& folder) {
    return folder.write("graph.txt",
                        "class GraphModule(torch.nn.Module):\n"
                        "    def forward(self, x: \"f32[4, 4][4, 1]cuda:0\"):\n"
                        "        mm: \"f32[4, 4][4, 1]cuda:0\" = torch.ops.aten.mm.default(x, x)\n"
                        "        return (mm,)\n");
}

} // namespace

TEST_CASE("without a driver there is the CPU, and the way to a GPU") {
    const auto text = cliWith({"devices"}, noDriver);
    CHECK(text.code == 0);
    CHECK(contains(text.out, "cpu"));
    CHECK(contains(text.out, "No GPU can be used: "));
    CHECK(
        contains(text.out, "missing: the NVIDIA driver (libcuda.so.1); to install it: sudo apt-get install"));
    const auto list = test::json(cliWith({"devices", "--json"}, noDriver));
    CHECK(list["schema"] == "aotscope.devices/2");
    REQUIRE(list["devices"].size() == 1);
    CHECK(list["devices"][0]["device"] == "cpu");
    CHECK(list["devices"][0]["cores"].get<int>() > 0);
    CHECK(list["devices"][0]["compute_capability"] == "");
    CHECK(list["driver_version"] == "");
    CHECK(list["missing"][0]["name"] == "the NVIDIA driver");
}

TEST_CASE("GPUs are listed with what their driver says") {
    const auto list = test::json(cliWith({"devices", "--json"}, twoGpus));
    REQUIRE(list["devices"].size() == 3);
    CHECK(list["devices"][2]["device"] == "cuda:1");
    CHECK(list["devices"][2]["compute_capability"] == "9.0");
    CHECK(list["driver_version"] == "13.2");
    CHECK(list["no_gpu"] == "");
    CHECK(contains(cliWith({"devices"}, twoGpus).out, "3352 GB/s"));
}

TEST_CASE("a run on a GPU that is not there is one clear error, and exit code 1") {
    const test::TempFolder folder;
    const std::string file = graphFile(folder).string();
    const auto ran = cliWith({"run", file, "--device", "cuda"}, noDriver);
    CHECK(ran.code == 1);
    CHECK(contains(ran.err, "Nothing can run on cuda:0 here."));
    CHECK(contains(ran.err, "missing: the NVIDIA driver"));
    CHECK(contains(ran.err, "--device cpu"));
    CHECK(contains(ran.err, "apt-get install nvidia-driver"));
    const auto third = cliWith({"run", file, "--device", "cuda:2"}, twoGpus);
    CHECK(third.code == 1);
    CHECK(contains(third.err, "There is no such GPU in this machine."));
}

TEST_CASE("a device is spelled as PyTorch spells it, for every command that runs") {
    for (const char* command :
         {"run", "memory", "wrappers", "step", "hooks", "retrace", "rerun", "kernels"}) {
        INFO(command);
        const auto ran = cliWith({command, "absent.log", "--device", "gpu"}, noDriver);
        CHECK(ran.code == 2);
        CHECK(contains(ran.err, "\"gpu\" is no device to run on."));
    }
}

TEST_CASE("a graph that runs on a GPU gives the CPU's numbers, and its reproducer keeps the device") {
    const test::TempFolder folder;
    const std::string file = graphFile(folder).string();
    const auto run = [&](const std::string& device, std::vector<std::string> environment) {
        environment.push_back("XDG_STATE_HOME=" + folder.path().string());
        return cliWith({"run", file, "--seed", "2", "--json", "--device", device}, environment);
    };
    const auto cpu = test::json(run("cpu", twoGpus));
    const auto gpu = test::json(run("cuda:1", twoGpus));
    CHECK(cpu["ok"] == true);
    CHECK(gpu["ok"] == true);
    CHECK(contains(gpu["backend"].get<std::string>(), "cuda:1"));
    CHECK(gpu["nodes"][1]["outputs"][0]["mean"] == cpu["nodes"][1]["outputs"][0]["mean"]);
    CHECK(gpu["peak_bytes"] == 512);
    CHECK(cpu["peak_bytes"] == 64);

    std::vector<std::string> failing = twoGpus;
    failing.emplace_back("FAKE_CUDA_FAILS=2");
    const auto lost = run("cuda:1", failing);
    CHECK(lost.code == 1);
    CHECK(contains(lost.err, "an illegal memory access was encountered"));
    std::filesystem::path reproducer;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "aotscope")) {
        reproducer = entry.is_regular_file() ? entry.path() : reproducer;
    }
    REQUIRE_FALSE(reproducer.empty());
    const auto replayed = cliWith({"replay", reproducer.string(), "--json"}, twoGpus);
    CHECK(replayed.code == 0);
    CHECK(contains(test::json(replayed)["backend"].get<std::string>(), "cuda:1"));
    const auto refused = cliWith({"replay", reproducer.string()}, noDriver);
    CHECK(contains(refused.err, "Nothing can run on cuda:1 here."));
}

TEST_CASE("nodes are repeated on a GPU, or moved there, and the report says where and by which clock") {
    const test::TempFolder folder;
    const std::string file = graphFile(folder).string();
    const std::vector<std::string> rerun{"rerun", file, "--node", "mm", "--repeat", "5"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), rerun.begin(), rerun.end());
        return cliWith(std::move(more), twoGpus);
    };
    const auto there = with({"--device", "cuda:1"});
    CHECK(there.code == 0);
    CHECK(contains(there.out, "5 repetitions on cuda:1 after 3, warm caches, timed by CUDA events"));
    CHECK(contains(there.out, "what is possible: Fake H100 1"));
    const auto moved = test::json(with({"--device", "cpu", "--move-to", "cuda", "--json"}));
    CHECK(moved["result"]["device"] == "cuda:0");
    CHECK(moved["result"]["clock"] == "cuda_events");
    CHECK(moved["settings"]["changes"]["device"] == "cuda:0");
    CHECK(moved["result"]["outputs"][0]["from_run"]["max"] == 0);
    CHECK(test::json(with({"--json"}))["result"]["clock"] == "steady");
    const auto absent = cliWith({"rerun", file, "--node", "mm", "--device", "cuda"}, noDriver);
    CHECK(absent.code == 1);
    CHECK(contains(absent.err, "Nothing can run on cuda:0 here."));
    CHECK(with({"--move-to", "tpu"}).code == 2);
}

TEST_CASE("kernels are checked on a GPU, and where there is none that is told once") {
    const test::TempFolder folder;
    const std::string file =
        folder
            .write("graph.txt", "class GraphModule(torch.nn.Module):\n"
                                "    def forward(self, x: \"f32[4, 4][4, 1]cuda:0\"):\n"
                                "        exp: \"f32[4, 4][4, 1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                                "        neg: \"f32[4, 4][4, 1]cuda:0\" = torch.ops.aten.neg.default(exp)\n"
                                "        return (neg,)\n")
            .string();
    const auto absent = cliWith({"kernels", file, "--check", "--device", "cuda"}, noDriver);
    CHECK(absent.code == 1);
    CHECK(contains(absent.err, "Nothing can run on cuda:0 here."));
    CHECK(cliWith({"kernels", file, "--device", "cuda"}, twoGpus).code == 2);
    const auto checked = cliWith({"kernels", file, "--check", "--device", "cuda", "--json"}, twoGpus);
    if (contains(checked.err, "nvidia-cuda-nvrtc")) {
        CHECK(checked.code == 1);
        return;
    }
    const auto json = test::json(checked);
    REQUIRE(json["graphs"].size() == 1);
    const auto& check = json.at("graphs").at(0).at("check");
    CHECK(check.at("compiler").get<std::string>().ends_with(" for sm_90"));
    CHECK(check.at("kernels").at(0).at("agrees") == true);
}
