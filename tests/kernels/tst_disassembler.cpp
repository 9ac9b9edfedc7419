#include "kernels/disassembler.h"

#include "kernels/code_lines.h"
#include "nvrtc_or_skip.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope;
using namespace aotscope::kernels;

TEST_CASE("nvdisasm shows the machine code of each architecture with lines") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const auto program = findDisassembler(nvrtc->library());
    if (!program) {
        CHECK(program.error().code == "kernels.no_disassembler");
        CHECK(program.error().hint.find("nvidia-cuda-nvdisasm") != std::string::npos);
        test::skip("nvdisasm is not on this machine: " + program.error().hint);
        return;
    }
    std::vector<CudaRequest> requests;
    for (const std::string& architecture : nvrtc->architectures()) {
        requests.push_back(test::cudaRequest("extern \"C\" __global__ void twice(float* a) {\n"
                                             "    const float x = a[threadIdx.x];\n"
                                             "    a[threadIdx.x] = x * 2;\n"
                                             "}\n",
                                             architecture));
    }
    const auto builds = nvrtc->compile(requests);
    REQUIRE_MESSAGE(builds.ok(), builds.error().text());
    for (const CudaBuild& build : *builds) {
        const auto sass = disassemble(*program, build.cubin);
        REQUIRE_MESSAGE(sass.ok(), sass.error().text());
        CHECK(sass->find(".text.twice") != std::string::npos);
        const CodeLines lines = sassLines(*sass, "tested.cu");
        for (const std::size_t line : {2, 3}) {
            CHECK_FALSE(lines.codeLinesOf(line).empty());
        }
    }
    const auto broken = disassemble(*program, "no image");
    REQUIRE_FALSE(broken.ok());
    CHECK(broken.error().code == "kernels.disassembler_failed");
}
