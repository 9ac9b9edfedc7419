// Graphs and functions on a GPU that pretends: tensors lie on cuda:0, in this machine's memory, and operators
// run on the CPU. So everything but the GPU's own numbers and times is as on a real one: the process of its
// own, where inputs, constants, devices in arguments and results lie, memory, and what becomes of an error
// that costs the GPU.
#include "fake_cuda/fake_cuda.h"
#include "run_support.h"
#include "support/corpus_case.h"

#include "load/trace_log.h"
#include "remote/remote_backend.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <thread>

using namespace aotscope;

namespace {

session::DeviceChoice gpu(int index = 0) {
    return {session::DeviceChoice::Kind::Cuda, index};
}

session::RunOptions on(session::DeviceChoice device, std::uint64_t seed = 3) {
    session::RunOptions options = test::seeded(seed);
    options.device = device;
    options.keepOutputs = true;
    return options;
}

std::unique_ptr<session::Backend> backendWithGpus(int gpus) {
    test::pretendGpus(gpus);
    test::failAtWait(0);
    auto made = app::torchBackendFactory()();
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
    return std::move(made).value();
}

session::RunSnapshot ranOn(session::Backend& backend, const ir::GraphPtr& graph,
                           const session::RunOptions& options) {
    auto ran = backend.answer(session::RunCall{graph, options});
    REQUIRE_MESSAGE(ran.ok(), (ran.ok() ? "" : ran.error().text()));
    REQUIRE_MESSAGE(!ran->error, ran->error->text());
    return std::move(ran).value();
}

/// The same values; the statistics are those of the values.
void checkSame(const session::RunSnapshot& left, const session::RunSnapshot& right) {
    REQUIRE(left.nodes.size() == right.nodes.size());
    for (std::size_t i = 0; i < left.nodes.size(); ++i) {
        REQUIRE(left.nodes[i].outputs.size() == right.nodes[i].outputs.size());
        for (std::size_t j = 0; j < left.nodes[i].outputs.size(); ++j) {
            CHECK(left.nodes[i].outputs[j].mean == right.nodes[i].outputs[j].mean);
            CHECK(left.nodes[i].outputs[j].stride == right.nodes[i].outputs[j].stride);
        }
    }
    REQUIRE(left.outputs.size() == right.outputs.size());
    for (std::size_t i = 0; i < left.outputs.size(); ++i) {
        CHECK(left.outputs[i].dtype == right.outputs[i].dtype);
        CHECK((left.outputs[i].bytes == right.outputs[i].bytes));
    }
}

/// Values of the same size: where operands are copied to the CPU and back, kernels may take another order of
/// summation.
void checkClose(const session::RunSnapshot& left, const session::RunSnapshot& right) {
    REQUIRE(left.nodes.size() == right.nodes.size());
    for (std::size_t i = 0; i < left.nodes.size(); ++i) {
        REQUIRE(left.nodes[i].outputs.size() == right.nodes[i].outputs.size());
        for (std::size_t j = 0; j < left.nodes[i].outputs.size(); ++j) {
            const session::TensorSummary& one = left.nodes[i].outputs[j];
            const session::TensorSummary& other = right.nodes[i].outputs[j];
            CHECK(one.shape == other.shape);
            CHECK(one.dtype == other.dtype);
            CHECK(one.nanCount == other.nanCount);
            REQUIRE(one.maximum.has_value() == other.maximum.has_value());
            if (one.maximum) {
                const double size = std::max(std::abs(*other.maximum), std::abs(*other.minimum));
                CHECK(std::abs(*one.maximum - *other.maximum) <= 1e-4 * size);
                CHECK(std::abs(*one.minimum - *other.minimum) <= 1e-4 * size);
                CHECK(std::abs(*one.mean - *other.mean) <= 1e-4 * size);
            }
        }
    }
}

const char* const loggedOnGpu =
    "        full: \"f32[4, 5][5, 1]cuda:0\" = torch.ops.aten.full.default([4, 5], 2.0, dtype = "
    "torch.float32, "
    "layout = torch.strided, device = device(type='cuda', index=0), pin_memory = False)\n"
    "        size: \"f32[][]cpu\" = torch.ops.aten.full.default([], 3.0, dtype = torch.float32, layout = "
    "torch.strided, device = device(type='cpu'), pin_memory = False)\n"
    "        mul: \"f32[4, 5][5, 1]cuda:0\" = torch.ops.aten.mul.Tensor(x, full)\n"
    "        add: \"f32[4, 5][5, 1]cuda:0\" = torch.ops.aten.add.Tensor(mul, size)\n"
    "        return (add,)\n";

} // namespace

TEST_CASE("a graph of a GPU runs on the chosen one, with the same inputs as on the CPU") {
    const auto backend = backendWithGpus(2);
    const ir::GraphPtr graph = test::graphOf("x: \"f32[4, 5][1, 4]cuda:0\"", loggedOnGpu);
    const session::RunSnapshot here = ranOn(*backend, graph, on({}));
    for (const int index : {0, 1}) {
        const session::RunSnapshot there = ranOn(*backend, graph, on(gpu(index)));
        checkSame(there, here);
        CHECK(there.backend.find("cuda:" + std::to_string(index)) != std::string::npos);
    }
    CHECK(here.backend.find("CPU") != std::string::npos);
    // On the CPU the log's device is replaced, which is said; on a GPU it is not.
    const auto saysCpu = [](const session::RunSnapshot& run) {
        return std::ranges::find(run.notes, "Logged on cuda:0, run on the CPU.") != run.notes.end();
    };
    CHECK(saysCpu(here));
    CHECK_FALSE(saysCpu(ranOn(*backend, graph, on(gpu()))));
}

TEST_CASE("a graph of the CPU runs on a GPU as a whole, with its factories and constants") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph =
        test::graphOf("x: \"f32[6][1]cpu\"",
                      "        arange: \"i64[6][1]cpu\" = torch.ops.aten.arange.default(6, dtype = "
                      "torch.int64, layout = torch.strided, device = device(type='cpu'), pin_memory = "
                      "False)\n"
                      "        iota: \"i64[6][1]cpu\" = torch.ops.prims.iota.default(6, start = 0, step = 1, "
                      "dtype = torch.int64, device = device(type='cpu'), requires_grad = False)\n"
                      "        add: \"i64[6][1]cpu\" = torch.ops.aten.add.Tensor(arange, iota)\n"
                      "        mul: \"f32[6][1]cpu\" = torch.ops.aten.mul.Tensor(x, add)\n"
                      "        index: \"f32[6][1]cpu\" = torch.ops.aten.index.Tensor(mul, [arange])\n"
                      "        return (index, add)\n");
    checkSame(ranOn(*backend, graph, on(gpu())), ranOn(*backend, graph, on({})));
}

TEST_CASE("memory is measured by the GPU's allocator, in its blocks") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[100][1]cuda:0\"", "        exp: \"f32[100][1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                                    "        sin: \"f32[100][1]cuda:0\" = torch.ops.aten.sin.default(exp)\n"
                                    "        return (sin,)\n");
    CHECK(ranOn(*backend, graph, on({})).peakBytes == 800);
    CHECK(ranOn(*backend, graph, on(gpu())).peakBytes == 1024);
}

TEST_CASE("where there is no such GPU, one error says so") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph = test::graphOf("x: \"f32[2][1]cpu\"", "        return (x,)\n");
    const auto ran = backend->answer(session::RunCall{graph, on(gpu(4))});
    REQUIRE_FALSE(ran.ok());
    CHECK(ran.error().code == "run.no_gpu");
    CHECK(ran.error().message.find("cuda:4") != std::string::npos);
}

TEST_CASE("an index outside of its range is an error before the GPU sees it") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph =
        test::graphOf("x: \"f32[4][1]cuda:0\", i: \"i64[2][1]cuda:0\"",
                      "        gather: \"f32[2][1]cuda:0\" = torch.ops.aten.gather.default(x, 0, i)\n        "
                      "return (gather,)\n");
    session::RunOptions options = on(gpu());
    options.inputs["i"] = test::integers({2}, {1, 9});
    const auto ran = backend->answer(session::RunCall{graph, options});
    REQUIRE(ran.ok());
    REQUIRE(ran->error);
    CHECK(ran->error->code == "run.index");
}

TEST_CASE("an error that costs the GPU is told once, and the next run has a new process") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[4][1]cuda:0\"", "        exp: \"f32[4][1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                                  "        sin: \"f32[4][1]cuda:0\" = torch.ops.aten.sin.default(exp)\n"
                                  "        return (sin,)\n");
    // The first wait is that of the warm-up.
    test::failAtWait(3);
    const auto lost = backend->answer(session::RunCall{graph, on(gpu())});
    REQUIRE(lost.ok());
    REQUIRE(lost->error);
    CHECK(lost->error->code == "cuda.lost");
    CHECK(lost->error->message ==
          "The node sin (aten.sin.default) failed: CUDA error: an illegal memory access was "
          "encountered");
    // Values before it are there, and the CPU works on.
    CHECK(lost->nodes.size() == 2);
    ranOn(*backend, graph, on({}));
    test::failAtWait(0);
    const session::RunSnapshot again = ranOn(*backend, graph, on(gpu()));
    CHECK(again.nodes.size() == 3);
}

TEST_CASE("in one process nothing more runs on the GPU after such an error") {
    test::pretendGpus(1);
    test::failAtWait(2);
    const char* module = std::getenv("AOTSCOPE_TORCH_MODULE");
    remote::RemoteBackend engine(
        {AOTSCOPE_BINARY_DIR "/bin/aotscope-engine",
         {module != nullptr ? module : AOTSCOPE_BINARY_DIR "/lib/libaotscope_torch.so"}});
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[4][1]cuda:0\"", "        exp: \"f32[4][1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                                  "        return (exp,)\n");
    const auto lost = engine.answer(session::RunCall{graph, on(gpu())});
    REQUIRE(lost.ok());
    REQUIRE(lost->error);
    CHECK(lost->error->code == "cuda.lost");
    const auto refused = engine.answer(session::RunCall{graph, on(gpu())});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == "cuda.lost");
    CHECK(refused.error().notes ==
          std::vector<std::string>{"CUDA error: an illegal memory access was encountered"});
    CHECK(engine.answer(session::RunCall{graph, on({})}).ok());
    test::failAtWait(0);
}

TEST_CASE("a kernel that ends its process costs a run and nothing else") {
    test::pretendGpus(1);
    test::failAtWait(0);
    const char* module = std::getenv("AOTSCOPE_TORCH_MODULE");
    remote::RemoteBackend engine(
        {AOTSCOPE_BINARY_DIR "/bin/aotscope-engine",
         {module != nullptr ? module : AOTSCOPE_BINARY_DIR "/lib/libaotscope_torch.so"}});
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[4][1]cuda:0\"", "        exp: \"f32[4][1]cuda:0\" = torch.ops.aten.exp.default(x)\n"
                                  "        return (exp,)\n");
    REQUIRE(engine.answer(session::RunCall{graph, on(gpu())}).ok());
    const auto process = engine.process();
    REQUIRE(process.ok());
    const auto killer = [&](const base::ProgressState& state) {
        if (state.stage == "Running") {
            ::kill((*process)->id(), SIGKILL);
        }
    };
    const auto killed = engine.answer(session::RunCall{graph, on(gpu())}, base::Progress(killer, {}));
    // The run may have been done when the signal came.
    CHECK((killed || killed.error().code == "remote.ended"));
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!(*process)->hasEnded() && std::chrono::steady_clock::now() < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK((*process)->hasEnded());
    CHECK(engine.answer(session::RunCall{graph, on(gpu())}).ok());
}

TEST_CASE("the graphs of the corpus compute on the GPU what they compute on the CPU" * test::needsCorpus()) {
    const auto backend = backendWithGpus(1);
    std::size_t graphs = 0;
    std::size_t nodes = 0;
    // None with memory that is not written, or with complex views, which the stand-in copies.
    for (const char* name : {"mlp_sgd", "bert_tiny", "hop_cond", "mut_input_mul"}) {
        const auto log = load::TraceLog::read(test::corpusTrace(name));
        REQUIRE(log.ok());
        for (std::size_t i = 0; i < (*log)->compiles().size(); ++i) {
            const load::CompileIndex compile(static_cast<std::uint32_t>(i));
            for (const load::Artifact& artifact : (*log)->artifacts(compile)) {
                if (artifact.kind != load::RecordKind::AotForwardGraph &&
                    artifact.kind != load::RecordKind::AotBackwardGraph &&
                    artifact.kind != load::RecordKind::AotInferenceGraph) {
                    continue;
                }
                const auto graph = ir::parseGraphText((*log)->payload(artifact.record));
                REQUIRE(graph.ok());
                INFO(std::string(name) << " " << artifact.name);
                checkClose(ranOn(*backend, *graph, on(gpu())), ranOn(*backend, *graph, on({})));
                ++graphs;
                nodes += (*graph)->size();
            }
        }
    }
    std::cout << graphs << " graphs of " << nodes << " nodes have the same values on both devices\n";
    CHECK(graphs >= 5);
}

TEST_CASE("a saved tensor that is moved to the CPU and back is the same, with its strides") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[4, 5][1, 4]cuda:0\"",
        "        _to_copy: \"f32[4, 5][1, 4]cpu\" = torch.ops.aten._to_copy.default(x, device = "
        "device(type='cpu'))\n"
        "        _to_copy_1: \"f32[4, 5][1, 4]cuda:0\" = torch.ops.aten._to_copy.default(_to_copy, device = "
        "device(type='cuda', index=0))\n"
        "        _to_copy_2: \"f64[4, 5][1, 4]cpu\" = torch.ops.aten._to_copy.default(x, dtype = "
        "torch.float64, "
        "device = device(type='cpu'))\n"
        "        add: \"f32[4, 5][1, 4]cuda:0\" = torch.ops.aten.add.Tensor(_to_copy_1, x)\n"
        "        return (add, _to_copy, _to_copy_2)\n");
    checkSame(ranOn(*backend, graph, on(gpu())), ranOn(*backend, graph, on({})));
}

TEST_CASE("what is made from nothing lies on the GPU though its call names no device") {
    const auto backend = backendWithGpus(1);
    const ir::GraphPtr graph = test::graphOf(
        "x: \"f32[3][1]cpu\"", "        ones: \"f32[3][1]cpu\" = torch.ops.aten.ones.default([3])\n"
                               "        add: \"f32[3][1]cpu\" = torch.ops.aten.add.Tensor(x, ones)\n"
                               "        return (add,)\n");
    checkSame(ranOn(*backend, graph, on(gpu())), ranOn(*backend, graph, on({})));
}
