// Nodes and fused kernels repeated on a GPU that pretends: its clock goes on by 1000 ns for each operator and
// by 1 ns for each thread of a kernel, so that what lies between two events is known to the nanosecond, and
// it writes down what it is given to do. Kernels come as the cubins that NVRTC made.
#include "fake_cuda/fake_cuda.h"
#include "kernels/nvrtc_or_skip.h"
#include "run_support.h"

#include "kernels/fusion_plan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace aotscope;

namespace {

using Lines = std::vector<std::string>;

session::DeviceChoice onCuda(int index = 0) {
    return {session::DeviceChoice::Kind::Cuda, index};
}

/// An engine whose child process for the GPU writes into a log of its own.
class GpuBench {
public:
    explicit GpuBench(int gpus = 1) {
        std::filesystem::create_directories(AOTSCOPE_BINARY_DIR "/test_caches");
        test::pretendGpus(gpus);
        test::failAtWait(0);
        test::logGpuWork(logFile());
        auto made = app::torchBackendFactory()();
        REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        m_backend = std::move(made).value();
    }
    ~GpuBench() { test::logGpuWork({}); }
    GpuBench(const GpuBench&) = delete;
    GpuBench& operator=(const GpuBench&) = delete;

    [[nodiscard]] session::Backend& backend() const { return *m_backend; }
    [[nodiscard]] session::RerunResult rerun(const session::RerunRequest& request) const {
        auto result = m_backend->answer(request);
        REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().text()));
        return std::move(result).value();
    }
    [[nodiscard]] base::Error refused(const session::RerunRequest& request) const {
        const auto result = m_backend->answer(request);
        REQUIRE_FALSE(result.ok());
        return result.error();
    }
    /// What the GPU did from the first repetition that is measured for the result, events and all.
    [[nodiscard]] static Lines lastRepetitions(std::size_t repetitions, std::size_t linesOfEach) {
        std::ifstream in(logFile());
        Lines all;
        for (std::string line; std::getline(in, line);) {
            all.push_back(line);
        }
        const std::size_t wanted = repetitions * linesOfEach;
        const auto last = std::ranges::find(all.rbegin(), all.rend(), "record").base();
        REQUIRE(static_cast<std::size_t>(last - all.begin()) >= wanted);
        return {last - static_cast<std::ptrdiff_t>(wanted), last};
    }

private:
    static std::filesystem::path logFile() { return AOTSCOPE_BINARY_DIR "/test_caches/gpu_rerun.log"; }
    std::unique_ptr<session::Backend> m_backend;
};

session::RerunRequest requestOn(session::DeviceChoice device, const ir::GraphPtr& graph, Lines nodes) {
    session::RerunRequest request;
    request.graph = graph;
    request.nodes = std::move(nodes);
    request.run.seed = 3;
    request.run.device = device;
    request.settings.repetitions = 4;
    request.settings.warmUp = 2;
    request.keepOutputs = true;
    return request;
}

/// The lines of one repetition, as often as there are repetitions.
Lines times(std::size_t count, const Lines& lines) {
    Lines all;
    for (std::size_t i = 0; i < count; ++i) {
        all.insert(all.end(), lines.begin(), lines.end());
    }
    return all;
}

ir::GraphPtr sineGraph() {
    return test::graphOf("x: \"f32[4, 5][1, 4]cuda:0\"",
                         "        exp: \"f32[4, 5][1, 4]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                         "        sin: \"f32[4, 5][1, 4]cuda:0\" = torch.ops.aten.sin.default(exp)\n"
                         "        neg: \"f32[4, 5][1, 4]cuda:0\" = torch.ops.aten.neg.default(sin)\n"
                         "        return (neg,)\n");
}

/// The fused kernels of a graph, as the engine plans them from the graph's metadata.
kernels::FusionPlan planOf(const ir::GraphPtr& graph) {
    return kernels::planFusion(*graph);
}

session::RerunRequest kernelRequest(const ir::GraphPtr& graph, const kernels::FusionGroup& group,
                                    std::string source = {}) {
    Lines nodes;
    for (const ir::NodeId node : group.kernel.nodes) {
        nodes.push_back(graph->node(node).name);
    }
    session::RerunRequest request = requestOn(onCuda(), graph, std::move(nodes));
    request.kernel = session::RerunKernel{std::move(source)};
    return request;
}

/// Every operand matters in its own way, so that no two can change places.
ir::GraphPtr threeOperands() {
    return test::graphOf(
        "a: \"f32[6, 50][50, 1]cuda:0\", b: \"f32[50][1]cuda:0\", c: \"f32[6, 1][1, 1]cuda:0\"",
        "        sub: \"f32[6, 50][50, 1]cuda:0\" = torch.ops.aten.sub.Tensor(a, b)\n"
        "        div: \"f32[6, 50][50, 1]cuda:0\" = torch.ops.aten.div.Tensor(sub, c)\n"
        "        neg: \"f32[6, 50][50, 1]cuda:0\" = torch.ops.aten.neg.default(div)\n"
        "        return (neg, div)\n");
}

std::string launchLine(const kernels::FusedKernel& kernel) {
    return "launch " + kernel.name + " " + std::to_string(kernel.launch.grid) + " " +
           std::to_string(kernel.launch.block) + " " + std::to_string(kernel.launch.dynamicSharedBytes);
}

std::vector<std::int64_t> threadsOf(const kernels::FusedKernel& kernel, std::size_t repetitions) {
    return std::vector<std::int64_t>(repetitions, std::int64_t{kernel.launch.grid} * kernel.launch.block);
}

} // namespace

TEST_CASE("nodes are repeated on the GPU, between two events, on what a run there gave them") {
    const GpuBench bench;
    const ir::GraphPtr graph = sineGraph();
    const session::RerunResult there = bench.rerun(requestOn(onCuda(), graph, {"sin", "neg"}));
    CHECK(there.device == "cuda:0");
    CHECK(there.clock == session::RerunClock::CudaEvents);
    CHECK(there.backend.find("cuda:0") != std::string::npos);
    // Two operators, and nothing else.
    CHECK(there.samples == std::vector<std::int64_t>(4, 2000));
    CHECK(there.overheadNanoseconds == 0);
    CHECK(GpuBench::lastRepetitions(4, 4) ==
          times(4, {"record", "operator aten::sin", "operator aten::neg", "record"}));
    const session::RerunResult here = bench.rerun(requestOn({}, graph, {"sin", "neg"}));
    CHECK(here.device == "cpu");
    CHECK(here.clock == session::RerunClock::Steady);
    CHECK(there.outputData.at(0).bytes == here.outputData.at(0).bytes);
    CHECK(there.outputs.at(0).fromRun->max == 0);
    // The figures of an H100's memory: 2619 MHz twice per clock on 5120 lines.
    REQUIRE(there.limits);
    CHECK(there.limits->device == "Fake H100 0");
    CHECK(there.limits->bytesPerSecond == doctest::Approx(3.352e12).epsilon(0.001));
    CHECK(there.limits->flopsPerSecond == doctest::Approx(66.9e12).epsilon(0.001));
    // Each of the two reads and writes 80 bytes.
    CHECK(there.cost->bytes == 320);
    CHECK(there.bytesPerSecond().value() == doctest::Approx(160e6));
}

TEST_CASE("the L2 cache is overwritten before each repetition, and not while it is timed") {
    const GpuBench bench;
    session::RerunRequest request = requestOn(onCuda(), sineGraph(), {"sin"});
    request.settings.coldCache = true;
    const session::RerunResult result = bench.rerun(request);
    CHECK(result.samples == std::vector<std::int64_t>(4, 1000));
    // Twice an H100's 50 MiB.
    CHECK(GpuBench::lastRepetitions(4, 4) ==
          times(4, {"fill 104857600", "record", "operator aten::sin", "record"}));
}

TEST_CASE("what a node writes to is put back on the GPU before each repetition") {
    const GpuBench bench;
    const auto graph =
        test::graphOf("x: \"f32[4][1]cuda:0\", y: \"f32[4][1]cuda:0\"",
                      "        mul: \"f32[4][1]cuda:0\" = torch.ops.aten.mul.Tensor(x, 2)\n"
                      "        add_: \"f32[4][1]cuda:0\" = torch.ops.aten.add_.Tensor(mul, y)\n"
                      "        return (add_,)\n");
    session::RerunRequest request = requestOn(onCuda(), graph, {"add_"});
    request.run.inputs = {{"x", test::floats({4}, {1, 2, 3, 4})}, {"y", test::floats({4}, {10, 20, 30, 40})}};
    request.settings.coldCache = true;
    const session::RerunResult result = bench.rerun(request);
    CHECK(result.restored == Lines{"mul"});
    // 2 x + y, however often it was added.
    CHECK(test::numbers<float>(result.outputData.at(0)) == std::vector<float>{12, 24, 36, 48});
    CHECK(result.samples == std::vector<std::int64_t>(4, 1000));
    // The whole memory of `mul`, which the allocator rounds to nothing more.
    CHECK(GpuBench::lastRepetitions(4, 5) ==
          times(4, {"copy 16", "fill 104857600", "record", "operator aten::add", "record"}));
}

TEST_CASE("another device is compared with the one before, in both directions") {
    // This GPU's sine is wrong by a quarter.
    const test::GpuSetting wrongSine("FAKE_CUDA_SIN", "0.25");
    const GpuBench bench(2);
    const ir::GraphPtr graph = sineGraph();
    for (const bool startsOnCpu : {true, false}) {
        INFO(startsOnCpu);
        // Whole runs on one device and on the other.
        session::RerunRequest request =
            requestOn(startsOnCpu ? session::DeviceChoice() : onCuda(1), graph, {"sin"});
        const session::RerunResult before = bench.rerun(request);
        request.run.device = startsOnCpu ? onCuda(1) : session::DeviceChoice();
        request.baseline = std::make_shared<const session::RerunResult>(before);
        const session::RerunResult after = bench.rerun(request);
        CHECK(after.device == (startsOnCpu ? "cuda:1" : "cpu"));
        CHECK(after.outputs.at(0).fromRun->max == 0);
        CHECK(after.outputs.at(0).fromBaseline->max == doctest::Approx(0.25).epsilon(1e-6));
        CHECK(after.outputs.at(0).fromBaseline->mean == doctest::Approx(0.25).epsilon(1e-6));
        // The nodes alone, with the inputs of a run on the other one.
        session::RerunRequest moved =
            requestOn(startsOnCpu ? session::DeviceChoice() : onCuda(1), graph, {"sin"});
        moved.settings.changes.device = startsOnCpu ? "cuda:1" : "cpu";
        const session::RerunResult result = bench.rerun(moved);
        CHECK(result.device == (startsOnCpu ? "cuda:1" : "cpu"));
        CHECK(result.clock == (startsOnCpu ? session::RerunClock::CudaEvents : session::RerunClock::Steady));
        CHECK(result.outputs.at(0).fromRun->max == doctest::Approx(0.25).epsilon(1e-6));
        CHECK(result.outputs.at(0).summary.stride == std::vector<std::int64_t>{1, 4});
        CHECK(std::ranges::find(result.notes, std::string("The inputs are those of a run on ") +
                                                  (startsOnCpu ? "cpu." : "cuda:1.")) != result.notes.end());
    }
}

TEST_CASE("inputs that share memory go on sharing it on another device, and are put back there") {
    const GpuBench bench;
    const auto graph =
        test::graphOf("x: \"f32[4][1]cpu\", y: \"f32[4][1]cpu\"",
                      "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(x, 2)\n"
                      "        view: \"f32[2, 2][2, 1]cpu\" = torch.ops.aten.view.default(mul, [2, 2])\n"
                      "        add_: \"f32[4][1]cpu\" = torch.ops.aten.add_.Tensor(mul, y)\n"
                      "        neg: \"f32[2, 2][2, 1]cpu\" = torch.ops.aten.neg.default(view)\n"
                      "        return (add_, neg)\n");
    session::RerunRequest request = requestOn({}, graph, {"add_", "neg"});
    request.run.inputs = {{"x", test::floats({4}, {1, 2, 3, 4})}, {"y", test::floats({4}, {10, 20, 30, 40})}};
    request.settings.changes.device = "cuda";
    const session::RerunResult result = bench.rerun(request);
    CHECK(result.restored == Lines{"mul", "view"});
    for (std::size_t i = 0; i < 2; ++i) {
        const float sign = result.outputs.at(i).node == "neg" ? -1 : 1;
        CHECK(test::numbers<float>(result.outputData.at(i)) ==
              std::vector<float>{sign * 12, sign * 24, sign * 36, sign * 48});
    }
}

TEST_CASE("a device that is not there, and one that is none, are refused by name") {
    const GpuBench bench;
    CHECK(bench.refused(requestOn(onCuda(5), sineGraph(), {"sin"})).code == "run.no_gpu");
    session::RerunRequest request = requestOn({}, sineGraph(), {"sin"});
    request.settings.changes.device = "tpu";
    CHECK(bench.refused(request).code == "run.device_name");
}

TEST_CASE("a fused kernel runs on the GPU with its operands in their places, over the grid of its plan") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const GpuBench bench;
    const ir::GraphPtr graph = threeOperands();
    const kernels::FusionPlan plan = planOf(graph);
    REQUIRE(plan.groups.size() == 1);
    const kernels::FusedKernel& kernel = plan.groups[0].kernel;
    REQUIRE(kernel.parameters.size() == 5);
    const session::RerunResult result = bench.rerun(kernelRequest(graph, plan.groups[0]));
    REQUIRE(result.build);
    CHECK_FALSE(result.build->isRefused());
    CHECK(result.build->compiler == "NVRTC " + test::nvrtcOrSkip()->version() + " for sm_90");
    CHECK(result.device == "cuda:0");
    CHECK(result.clock == session::RerunClock::CudaEvents);
    CHECK(result.samples == threadsOf(kernel, 4));
    CHECK(GpuBench::lastRepetitions(4, 3) == times(4, {"record", launchLine(kernel), "record"}));
    REQUIRE(result.outputs.size() == 2);
    for (const session::RerunValue& output : result.outputs) {
        INFO(output.node);
        CHECK(output.fromRun->max == 0);
        CHECK(output.summary.maximum.value() > 0);
    }
    // Four operands and results of 300, 50, 6, 300 and 300 floats.
    CHECK(result.cost->bytes == 4 * (300 + 50 + 6 + 300 + 300));
    CHECK(result.limits->device == "Fake H100 0");
}

TEST_CASE("a kernel of rows, whose threads wait for each other, runs on the GPU") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const GpuBench bench;
    const auto graph = test::graphOf(
        "x: \"f32[3, 700][700, 1]cuda:0\"",
        "        _softmax: \"f32[3, 700][700, 1]cuda:0\" = torch.ops.aten._softmax.default(x, 1, False)\n"
        "        mul: \"f32[3, 700][700, 1]cuda:0\" = torch.ops.aten.mul.Tensor(_softmax, 3)\n"
        "        return (mul,)\n");
    const kernels::FusionPlan plan = planOf(graph);
    REQUIRE(plan.groups.size() == 1);
    REQUIRE(plan.groups[0].kernel.kind == kernels::KernelKind::RowReduction);
    session::RerunRequest request = kernelRequest(graph, plan.groups[0]);
    request.settings.coldCache = true;
    const session::RerunResult result = bench.rerun(request);
    CHECK(result.samples == threadsOf(plan.groups[0].kernel, 4));
    CHECK(GpuBench::lastRepetitions(4, 4) ==
          times(4, {"fill 104857600", "record", launchLine(plan.groups[0].kernel), "record"}));
    CHECK(result.outputs.at(0).fromRun->relative < 1e-6);
    // Each row's 700 numbers add up to 3.
    CHECK(result.outputs.at(0).summary.mean.value() == doctest::Approx(3.0 / 700).epsilon(1e-5));
}

TEST_CASE("a text that a person changed runs on the GPU, and its errors are at their lines") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const GpuBench bench;
    const ir::GraphPtr graph = threeOperands();
    const kernels::FusionPlan plan = planOf(graph);
    const kernels::FusedKernel& kernel = plan.groups.at(0).kernel;
    std::string changed = "extern \"C\" __global__ void " + kernel.name + "(";
    for (const kernels::KernelParameter& parameter : kernel.parameters) {
        changed += std::string(parameter.written ? "" : "const ") + "float* " + parameter.name +
                   (&parameter == &kernel.parameters.back() ? ") {\n" : ", ");
    }
    for (const kernels::KernelParameter& parameter : kernel.parameters) {
        if (parameter.written) {
            changed += "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 300; i += gridDim.x * "
                       "blockDim.x) " +
                       parameter.name + "[i] = 7.5f;\n";
        }
    }
    const session::RerunResult result = bench.rerun(kernelRequest(graph, plan.groups[0], changed + "}\n"));
    CHECK(result.outputs.at(0).summary.minimum == 7.5);
    CHECK(result.outputs.at(0).summary.maximum == 7.5);
    CHECK(result.outputs.at(0).fromRun->max > 1);
    CHECK(result.samples == threadsOf(kernel, 4));
    const session::RerunResult wrong =
        bench.rerun(kernelRequest(graph, plan.groups[0], changed + "    undeclared = 1;\n}\n"));
    REQUIRE(wrong.build);
    CHECK(wrong.build->isRefused());
    CHECK(wrong.samples.empty());
    REQUIRE(wrong.build->messages.size() == 1);
    CHECK(wrong.build->messages[0].line == 4);
    CHECK(wrong.build->messages[0].text.find("undeclared") != std::string::npos);
    const session::RerunResult nameless = bench.rerun(
        kernelRequest(graph, plan.groups[0], "extern \"C\" __global__ void other(float* x) { *x = 1; }\n"));
    CHECK(nameless.build->isRefused());
    CHECK(nameless.build->messages.back().text.find(kernel.name) != std::string::npos);
}

TEST_CASE("a launch that the driver refuses is an error of this rerun alone") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    // Of the two of the warm-up.
    const test::GpuSetting second("FAKE_CUDA_LAUNCH", "701@2");
    const GpuBench bench;
    const ir::GraphPtr graph = threeOperands();
    const kernels::FusionPlan plan = planOf(graph);
    const session::RerunRequest request = kernelRequest(graph, plan.groups.at(0));
    const base::Error error = bench.refused(request);
    CHECK(error.code == "cuda.failed");
    CHECK(
        error.message.find("too many resources requested for launch (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)") !=
        std::string::npos);
    // In the same process, which the setting would make fail again at a second launch.
    CHECK(bench.rerun(request).samples.size() == 4);
}

TEST_CASE("a kernel that costs the GPU is told once, and the next rerun has a new process") {
    if (test::nvrtcOrSkip() == nullptr) {
        return;
    }
    const ir::GraphPtr graph = threeOperands();
    const kernels::FusionPlan plan = planOf(graph);
    const session::RerunRequest request = kernelRequest(graph, plan.groups.at(0));
    std::unique_ptr<GpuBench> bench;
    {
        const test::GpuSetting third("FAKE_CUDA_LAUNCH", "719@3");
        bench = std::make_unique<GpuBench>();
        const base::Error error = bench->refused(request);
        CHECK(error.code == "cuda.lost");
        CHECK(error.message.find("unspecified launch failure") != std::string::npos);
    }
    const session::RerunResult again = bench->rerun(request);
    CHECK(again.samples.size() == 4);
    CHECK(again.outputs.at(0).fromRun->max == 0);
    // A kernel that writes where it has no memory costs it too; nodes on the CPU do not notice.
    CHECK(bench->rerun(requestOn({}, graph, {"sub"})).samples.size() == 4);
}

TEST_CASE("memory that is used up on the GPU is an error that names the call") {
    const test::GpuSetting little("FAKE_CUDA_MEMORY", "50000000");
    const GpuBench bench;
    session::RerunRequest request = requestOn(onCuda(), sineGraph(), {"sin"});
    CHECK(bench.rerun(request).samples.size() == 4);
    request.settings.coldCache = true;
    const base::Error error = bench.refused(request);
    CHECK(error.code == "run.too_large");
    CHECK(error.message == "CUDA failed while allocating 104857600 bytes: out of memory "
                           "(CUDA_ERROR_OUT_OF_MEMORY).");
    request.settings.coldCache = false;
    CHECK(bench.rerun(request).samples.size() == 4);
}
