#include "kernels/nvrtc.h"

#include "kernels/compile_wire.h"
#include "nvrtc_or_skip.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

using namespace aotscope;
using namespace aotscope::kernels;
using test::cudaRequest;

namespace {

const std::string gpuScale =
    "extern \"C\" __global__ void scale(float* out, const float* in, int n, float by) {\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) {\n"
    "        out[i] = in[i] * by;\n"
    "    }\n"
    "}\n";

CudaBuild compileOne(const Nvrtc& nvrtc, const CudaRequest& request, const CudaCompileLimits& limits = {}) {
    auto builds = nvrtc.compile({request}, limits);
    REQUIRE_MESSAGE(builds.ok(), builds.error().text());
    REQUIRE(builds->size() == 1);
    return std::move(builds->front());
}

} // namespace

TEST_CASE("a kernel is compiled for each architecture that NVRTC names") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    CHECK(std::filesystem::exists(nvrtc->library()));
    std::vector<CudaRequest> requests;
    for (const std::string& architecture : nvrtc->architectures()) {
        requests.push_back(cudaRequest(gpuScale, architecture));
    }
    for (const char* needed : {"sm_80", "sm_90", "sm_100"}) {
        CHECK_MESSAGE(nvrtc->accepts(needed).ok(), needed);
    }
    const auto builds = nvrtc->compile(requests);
    REQUIRE_MESSAGE(builds.ok(), builds.error().text());
    REQUIRE(builds->size() == requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const CudaBuild& build = (*builds)[i];
        CHECK(build.compiled());
        CHECK(build.cubin.starts_with("\177ELF"));
        CHECK(build.ptx.find(".target " + requests[i].architecture) != std::string::npos);
        CHECK(build.ptx.find(".entry scale(") != std::string::npos);
        CHECK(build.messages.empty());
        CHECK(build.seconds > 0);
    }
}

TEST_CASE("what is compiled does not depend on where") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const CudaBuild build = compileOne(*nvrtc, cudaRequest(gpuScale));
    const std::string here = std::filesystem::current_path().string();
    CHECK(build.ptx.find(here) == std::string::npos);
    CHECK(build.cubin.find(here) == std::string::npos);
    CHECK(build.ptx.find("\"/tested.cu\"") != std::string::npos);
}

TEST_CASE("NVRTC's errors have lines and columns of the kernel's text") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    CudaRequest request = cudaRequest("extern \"C\" __global__ void f(float* out) {\n"
                                      "    int unused = 3;\n"
                                      "    out[0] = bye;\n"
                                      "\tout[1] = 3 +;\n"
                                      "}\n");
    request.text = "struct Ours { int a; };\nstruct More {};\n" + request.text;
    const CudaBuild build = compileOne(*nvrtc, request);
    CHECK_FALSE(build.compiled());
    using Severity = CompileMessage::Severity;
    REQUIRE(build.messages.size() >= 3);
    CHECK(build.messages[0] ==
          CompileMessage{Severity::Error, "tested.cu", 3, 14, "identifier \"bye\" is undefined"});
    CHECK(build.messages[1] == CompileMessage{Severity::Error, "tested.cu", 4, 14, "expected an expression"});
    CHECK(build.messages[2].severity == Severity::Warning);
    CHECK(build.messages[2].line == 2);
    request.text = "struct Ours { wrong };\n" + request.text;
    CHECK(compileOne(*nvrtc, request).messages.at(0).file == "prelude.h");
}

TEST_CASE("a text cannot read files, in any spelling, and NVRTC is given no folders") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const CudaBuild refused = compileOne(*nvrtc, cudaRequest("int a;\n#include \"/etc/hostname\"\n"));
    REQUIRE(refused.messages.size() == 1);
    CHECK(refused.messages[0].file == "tested.cu");
    CHECK(refused.messages[0].line == 2);
    CudaRequest request = cudaRequest(gpuScale);
    request.text = "#include <cuda_runtime.h>\n" + request.text;
    const CudaBuild build = compileOne(*nvrtc, request);
    CHECK_FALSE(build.compiled());
    REQUIRE_FALSE(build.messages.empty());
    CHECK(build.messages[0].text.find("cuda_runtime.h") != std::string::npos);
}

TEST_CASE("hostile texts are refused one by one, and the others are compiled") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    // Each macro is twice the one before: two to the power of sixty words.
    std::string endless = "#define A0 a[1] + a[1]\n";
    for (int i = 0; i < 60; ++i) {
        endless += "#define A" + std::to_string(i + 1) + " A" + std::to_string(i) + " + A" +
                   std::to_string(i) + "\n";
    }
    endless += "extern \"C\" __global__ void f(float* a) { a[0] = A60; }\n";
    const std::string deep =
        "extern \"C\" __global__ void f(float* a) { a[0] = " + std::string(200'000, '(') + "1" +
        std::string(200'000, ')') + "; }\n";
    std::string zero = gpuScale;
    zero[5] = '\0';
    std::vector<CudaRequest> requests;
    for (const std::string& source : {gpuScale, endless, gpuScale, deep, zero, std::string(2'000'000, ' '),
                                      std::string("\xff\xfe\x80"), gpuScale}) {
        requests.push_back(cudaRequest(source));
    }
    CudaCompileLimits limits;
    limits.time = std::chrono::seconds(2);
    limits.memoryBytes = std::size_t{4} << 30U;
    limits.processes = 1;
    const auto builds = nvrtc->compile(requests, limits);
    REQUIRE_MESSAGE(builds.ok(), builds.error().text());
    for (const std::size_t good : {0, 2, 7}) {
        CHECK((*builds)[good].compiled());
    }
    for (const std::size_t bad : {1, 4, 5}) {
        CHECK_FALSE((*builds)[bad].compiled());
        CHECK(hasErrors((*builds)[bad].messages));
    }
}

TEST_CASE("a compilation that is canceled ends at once") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    std::stop_source stop;
    const std::vector<CudaRequest> requests(500, cudaRequest(gpuScale));
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        stop.request_stop();
    });
    const auto builds = nvrtc->compile(requests, {}, base::Progress({}, stop.get_token()));
    stopper.join();
    REQUIRE_FALSE(builds.ok());
    CHECK(base::isCanceled(builds.error()));
}

TEST_CASE("several threads compile at once") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    std::vector<std::string> cubins(3);
    {
        std::vector<std::jthread> threads;
        for (std::string& cubin : cubins) {
            threads.emplace_back([&cubin, nvrtc] {
                const auto builds = nvrtc->compile({cudaRequest(gpuScale)});
                cubin = builds ? builds->front().cubin : "";
            });
        }
    }
    CHECK_FALSE(cubins[0].empty());
    CHECK(cubins[0] == cubins[1]);
    CHECK(cubins[0] == cubins[2]);
}

TEST_CASE("an architecture that NVRTC does not know is refused with those that it knows") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    CHECK(nvrtc->accepts("sm_90a").ok());
    for (const char* unknown : {"sm_35", "sm_", "compute_90", "sm_90 -o x", "", "sm_9a0"}) {
        const auto builds = nvrtc->compile({cudaRequest(gpuScale, unknown)});
        REQUIRE_FALSE(builds.ok());
        CHECK(builds.error().code == "kernels.no_architecture");
        CHECK(builds.error().hint.find("sm_90") != std::string::npos);
    }
}

TEST_CASE(
    "where there is no NVRTC the error names the package, and where the program is not there, its name") {
    const test::TempFolder folder;
    const auto program = folder.write("compiler", "#!/bin/sh\nexit 3\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const auto broken = Nvrtc::find({.places = {}, .program = program});
    REQUIRE_FALSE(broken.ok());
    CHECK(broken.error().code == "kernels.compiler_failed");
    CHECK(broken.error().message.find("exit code 3") != std::string::npos);
    const auto missing = Nvrtc::find({.places = {}, .program = folder.path() / "nothing"});
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().code == "kernels.no_compiler_program");
    // A program that says that it opened none.
    std::string wire;
    appendGreeting(wire, {"", "", {}, {"libnvrtc.so.13: cannot open shared object file"}});
    folder.write("wire", wire);
    const auto none = folder.write("none", "#!/bin/sh\nexec cat " + (folder.path() / "wire").string() + "\n");
    std::filesystem::permissions(none, std::filesystem::perms::owner_all);
    const auto found = Nvrtc::find({.places = {}, .program = none});
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == "kernels.no_nvrtc");
    CHECK(found.error().hint.find("pip install nvidia-cuda-nvrtc") != std::string::npos);
    CHECK(found.error().notes.at(0).starts_with("libnvrtc.so.13"));
}

TEST_CASE("the wire between the two programs is read whole or not at all") {
    std::string wire;
    appendGreeting(wire, {"/lib/x.so", "13.2", {80, 90}, {"one", ""}});
    appendRequest(wire, {"text", {"-a", "-b"}});
    appendAnswer(wire, {{true, "", "log", "ptx", std::string("\0\1", 2)}, 42});
    std::string_view rest = wire;
    const auto greeting = takeGreeting(rest);
    const auto request = takeRequest(rest);
    const auto answer = takeAnswer(rest);
    REQUIRE((greeting && request && answer));
    CHECK(rest.empty());
    CHECK(greeting->architectures == std::vector<int>{80, 90});
    CHECK(greeting->troubles.size() == 2);
    CHECK(request->options == std::vector<std::string>{"-a", "-b"});
    CHECK(answer->answer.compiled);
    CHECK(answer->answer.cubin == std::string("\0\1", 2));
    CHECK(answer->microseconds == 42);
    std::size_t whole = 0;
    for (std::size_t length = 0; length < wire.size(); ++length) {
        std::string_view part = std::string_view(wire).substr(0, length);
        whole += takeGreeting(part) && takeRequest(part) && takeAnswer(part) ? 1 : 0;
    }
    CHECK(whole == 0);
    std::string_view wrong = "\xff\xff\xff\xff\xff\xff\xff\xff";
    CHECK_FALSE(takeRequest(wrong));
}
