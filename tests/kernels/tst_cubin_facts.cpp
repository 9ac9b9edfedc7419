#include "kernels/cubin_facts.h"

#include "kernels/code_lines.h"
#include "nvrtc_or_skip.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace aotscope;
using namespace aotscope::kernels;

namespace {

/// A kernel that needs more registers than a block of 1024 threads may have, shared and constant memory, and
/// one that needs nearly nothing.
const std::string hungry = R"(__constant__ float table[64];
extern "C" __global__ void __launch_bounds__(1024) hungry(float* out, const float* in, int n) {
    __shared__ float part[300];
    extern __shared__ float dynamic[];
    float v[64];
    #pragma unroll
    for (int i = 0; i < 64; ++i) v[i] = in[i * n + threadIdx.x];
    part[threadIdx.x % 300] = v[3] + table[n & 63];
    dynamic[threadIdx.x] = v[1];
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < 64; ++i) out[i * n + threadIdx.x] = v[i] * part[i] + v[63 - i] + dynamic[i];
}
extern "C" __global__ void modest(float* out) { out[0] = 1; }
)";

std::vector<CudaBuild> buildForMost(const Nvrtc& nvrtc, const std::string& source) {
    std::vector<CudaRequest> requests;
    for (const char* architecture : {"sm_80", "sm_89", "sm_90", "sm_100", "sm_120"}) {
        requests.push_back(test::cudaRequest(source, architecture));
    }
    auto builds = nvrtc.compile(requests);
    REQUIRE_MESSAGE(builds.ok(), builds.error().text());
    return *std::move(builds);
}

} // namespace

TEST_CASE("what the image says of a kernel is what the assembler said, for GPUs of five generations") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    for (const CudaBuild& build : buildForMost(*nvrtc, hungry)) {
        REQUIRE(build.compiled());
        const auto image = readCubin(build.cubin);
        REQUIRE_MESSAGE(image.ok(), image.error().text());
        const std::vector<AssemblerFacts> said = readAssemblerLog(build.log);
        REQUIRE(image->size() == 2);
        REQUIRE(said.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK((*image)[i].kernel == said[i].kernel);
            CHECK((*image)[i].registers == said[i].registers);
            CHECK((*image)[i].localBytes == said[i].stackBytes);
            CHECK((*image)[i].staticSharedBytes == said[i].staticSharedBytes);
            CHECK((*image)[i].barriers == said[i].barriers);
        }
        // A block of 1024 threads leaves 64 of a multiprocessor's 65,536 registers to each.
        CHECK(said[0].kernel == "hungry");
        CHECK(said[0].registers <= 64);
        CHECK(said[0].spillStoreBytes > 0);
        CHECK(said[0].spillLoadBytes > 0);
        CHECK(said[0].staticSharedBytes == 300 * 4);
        CHECK(said[1].spillStoreBytes == 0);
        CHECK((*image)[0].constantBytes >= 64 * 4);
        CHECK((*image)[0].parameterBytes == 2 * 8 + 4);
        CHECK((*image)[1].parameterBytes == 8);
    }
}

TEST_CASE("an image that is damaged anywhere is read without harm") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const auto builds = nvrtc->compile({test::cudaRequest(hungry)});
    REQUIRE(builds.ok());
    const std::string& cubin = builds->front().cubin;
    CHECK_FALSE(readCubin("").ok());
    CHECK_FALSE(readCubin("no image").ok());
    std::size_t refused = 0;
    for (std::size_t length = 0; length < cubin.size(); length += 61) {
        refused += readCubin(std::string_view(cubin).substr(0, length)).ok() ? 0 : 1;
    }
    // The table of sections lies behind them.
    CHECK(refused > cubin.size() / 61 / 2);
    std::size_t read = 0;
    for (std::size_t at = 0; at < cubin.size(); at += 7) {
        std::string damaged = cubin;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
        read += readCubin(damaged).ok() ? 1 : 0;
    }
    CHECK(read > 0);
}

TEST_CASE("lines of PTX lead to lines of the kernel's text, through inlined functions of the prelude") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    CudaRequest request = test::cudaRequest("extern \"C\" __global__ void k(float* a) {\n"
                                            "    float x = a[threadIdx.x];\n"
                                            "    x = rootOfRoot(x);\n"
                                            "    a[threadIdx.x] = x;\n"
                                            "}\n");
    request.text =
        "__device__ __forceinline__ float root(float x) {\n    return __fsqrt_rn(x);\n}\n"
        "__device__ __forceinline__ float rootOfRoot(float x) {\n    return root(\n       root(x));\n}\n" +
        request.text;
    const auto builds = nvrtc->compile({request});
    REQUIRE(builds.ok());
    const std::string& ptx = builds->front().ptx;
    const CodeLines lines = ptxLines(ptx, "tested.cu");
    CHECK(lines.sourceLines.size() == static_cast<std::size_t>(std::ranges::count(ptx, '\n')));
    std::vector<std::string> text;
    for (std::size_t begin = 0; begin < ptx.size();) {
        const std::size_t end = ptx.find('\n', begin);
        text.push_back(ptx.substr(begin, end - begin));
        begin = end + 1;
    }
    const auto has = [&](std::size_t sourceLine, std::string_view word) {
        return std::ranges::any_of(lines.codeLinesOf(sourceLine), [&](std::size_t line) {
            return text[line - 1].find(word) != std::string::npos;
        });
    };
    CHECK(has(2, "ld.global.f32"));
    CHECK(has(3, "sqrt.rn.f32"));
    CHECK(has(4, "st.global.f32"));
    CHECK_FALSE(has(3, "st.global.f32"));
    CHECK(lines.codeLinesOf(0).empty());
    std::size_t roots = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i].find("sqrt.rn.f32") != std::string::npos) {
            ++roots;
            CHECK(lines.sourceLines[i] == 3);
        }
    }
    CHECK(roots == 2);
    CHECK(ptxLines(ptx, "other.cu").codeLinesOf(3).empty());
}

TEST_CASE("lines of machine code lead to lines of the kernel's text") {
    // As nvdisasm 13.5 writes it.
    const std::string sass = "//--------------------- .text.k ---\n"
                             "k:\n"
                             "\t//## File \"/k.cu\", line 2\n"
                             "        /*0000*/                   LDG.E R0, [R2.64] ;\n"
                             "\t//## File \"/prelude.h\", line 2 inlined at \"/prelude.h\", line 5\n"
                             "\t//## File \"/prelude.h\", line 5 inlined at \"/k.cu\", line 3\n"
                             "\t//## File \"/k.cu\", line 3\n"
                             "        /*0010*/                   MUFU.RSQ R5, R0 ;\n"
                             ".L_x_1:\n"
                             "        /*0020*/                   FMUL R4, R5, R0 ;\n"
                             "\t//## File \"/prelude.h\", line 9\n"
                             "        /*0030*/                   EXIT ;\n";
    CHECK(sassLines(sass, "k.cu").sourceLines ==
          std::vector<std::size_t>{0, 0, 0, 2, 0, 0, 0, 3, 0, 3, 0, 0});
}
