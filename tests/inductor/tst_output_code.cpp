#include "inductor/output_code.h"

#include "logged_code.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;
using inductor::KernelKind;

namespace {

/// The code is only copied into the test where it is not in the corpus.
constexpr const char* oldForm = R"(
from torch._inductor.codecache import AsyncCompile
async_compile = AsyncCompile()

# kernel path: /tmp/torchinductor_me/xx/cxx.py
# Original ATen: aten.add, aten.relu
triton_poi_fused_add_relu_0 = async_compile.triton('''
import triton
@pointwise(size_hints=[8], filename=__file__, meta={'signature': {0: '*fp32', 1: '*fp32', 2: 'i32'}, 'device': 0})
@triton.jit
def triton_(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8
''')

kernel_cpp_0 = async_compile.cpp('''
#include "/tmp/x.h"
extern "C" void kernel(const float* in_ptr0,
                       float* out_ptr0)
{
}
''')

def call(args):
    arg0_1, = args
    args.clear()
    buf0 = empty_strided((8, ), (1, ), device='cuda', dtype=torch.float32)
    # Source Nodes: [add, relu], Original ATen: [aten.add, aten.relu]
    triton_poi_fused_add_relu_0.run(arg0_1, buf0, 8, grid=grid(8), stream=stream0)
    kernel_cpp_0(c_void_p(arg0_1.data_ptr()), c_void_p(buf0.data_ptr()))
    buf1 = as_strided(buf0, (2, 4), (4, 1)); del buf0  # reuse
    return (buf1, )
)";

const inductor::Launch& launch(const inductor::OutputCode& code, std::size_t place) {
    REQUIRE(place < code.launches.size());
    return code.launches[place];
}

std::string kernelOf(const inductor::OutputCode& code, std::size_t place) {
    return code.kernels[launch(code, place).kernel].name;
}

} // namespace

TEST_CASE("text that is not generated code is refused") {
    CHECK(inductor::readOutputCode("hello").error().code == "inductor.not_output_code");
    CHECK(inductor::readOutputCode("").error().code == "inductor.not_output_code");
}

TEST_CASE("Triton kernels with their comments, facts and launches" * test::needsCorpus()) {
    const auto texts = test::outputCodes(test::corpusDir() / "tlparse-logs" /
                                         "inductor_provenance_jit_debug_handle_log.txt");
    REQUIRE(texts.size() == 1);
    const auto code = inductor::readOutputCode(texts[0]);
    REQUIRE(code.ok());
    CHECK(code->problems.empty());
    CHECK(code->aotId == "0_forward");
    CHECK_FALSE(code->cppWrapper);
    REQUIRE(code->kernels.size() == 4);

    const inductor::Kernel& gelu = code->kernels[2];
    CHECK(gelu.name == "triton_poi_fused_addmm_gelu_2");
    CHECK(gelu.kind == KernelKind::TritonPointwise);
    CHECK(gelu.fact("num_load") == "2");
    CHECK(gelu.fact("xnumel") == "300");
    CHECK(gelu.fact("mutated_arg_names") == "['in_out_ptr0']");
    REQUIRE(gelu.parameters.size() == 4);
    CHECK(gelu.parameters[0].name == "in_out_ptr0");
    CHECK(gelu.parameters[0].type == "*fp32");
    CHECK(gelu.parameters[3].type == "constexpr");
    REQUIRE(gelu.source);
    const std::string source = texts[0].substr(gelu.source->begin, gelu.source->end - gelu.source->begin);
    CHECK(source.starts_with("import triton\n"));
    CHECK(source.ends_with("tl.store(in_out_ptr0 + (x0), tmp10, xmask)\n"));
    CHECK(std::count(source.begin(), source.end(), '\n') ==
          static_cast<std::ptrdiff_t>(gelu.source->lastLine - gelu.source->firstLine + 1));

    CHECK(gelu.comments.sourceNodes == std::vector<std::string>{"y", "z"});
    CHECK(gelu.comments.originalAten == std::vector<std::string>{"aten.addmm", "aten.gelu"});
    REQUIRE(gelu.comments.reads.size() == 2);
    CHECK(gelu.comments.reads[0].name == "mm_default");
    REQUIRE(gelu.comments.nodes.size() == 6);
    CHECK(gelu.comments.nodes[3].name == "erf");
    CHECK(gelu.comments.nodes[3].target == "aten.erf.default");
    CHECK(gelu.comments.writes == std::vector<std::string>{"mul_3"});

    REQUIRE(code->launches.size() == 5);
    CHECK(kernelOf(*code, 0) == "extern_kernels.mm");
    CHECK(code->kernels[launch(*code, 0).kernel].launches == std::vector<std::uint32_t>{0, 3});
    CHECK(launch(*code, 0).comments.handle == 4);
    CHECK(launch(*code, 0).arguments[1].buffers == std::vector<std::string>{"primals_1"});
    CHECK(launch(*code, 0).arguments[2].keyword == "out");
    CHECK(launch(*code, 4).comments.handleName == "triton_poi_fused_addmm_gelu_2");
    CHECK(launch(*code, 4).comments.handle == 3);
    CHECK(launch(*code, 4).stream == "stream0");
    CHECK(launch(*code, 4).arguments[2].text == "300");
    const auto reuse = std::find_if(code->buffers.begin(), code->buffers.end(), [](const auto& event) {
        return event.kind == inductor::BufferEventKind::Reused;
    });
    REQUIRE(reuse != code->buffers.end());
    CHECK(reuse->buffer == "buf4");
    CHECK(reuse->from == "buf3");
    REQUIRE(code->entry() != nullptr);
    CHECK(code->entry()->inputs.size() == 6);
    CHECK(code->entry()->returned.size() == 5);
    CHECK(code->kernelAtLine(gelu.comments.range->firstLine) == 2U);
    CHECK(code->kernelAtLine(launch(*code, 0).range.firstLine) == 3U);
}

TEST_CASE("the forms of other releases" * test::needsCorpus()) {
    const auto early = inductor::readOutputCode(oldForm);
    REQUIRE(early.ok());
    REQUIRE(early->kernels.size() == 2);
    CHECK(early->kernels[0].kind == KernelKind::TritonPointwise);
    CHECK(early->kernels[0].comments.originalAten == std::vector<std::string>{"aten.add", "aten.relu"});
    CHECK(early->kernels[0].parameters[1].name == "out_ptr0");
    CHECK(early->kernels[0].parameters[1].type == "*fp32");
    CHECK(early->kernels[1].kind == KernelKind::Cpp);
    CHECK(early->kernels[1].parameters[0].type == "const float*");
    REQUIRE(early->launches.size() == 2);
    CHECK(early->launches[0].grid == "grid(8)");
    CHECK(early->launches[1].arguments[1].buffers == std::vector<std::string>{"buf0"});
    CHECK(early->buffers.front().dtype == "torch.float32");

    const auto simple = test::outputCodes(test::corpusDir() / "tlparse-logs" / "simple.log");
    REQUIRE(simple.size() == 1);
    const auto code = inductor::readOutputCode(simple[0]);
    REQUIRE(code.ok());
    CHECK(code->launches.size() == 4);
    CHECK(kernelOf(*code, 0) == "aten.randint.low_out");
    CHECK(launch(*code, 1).grid == "grid(5242880)");
    CHECK(kernelOf(*code, 3) == "torch.ops.test.baz.default");
    CHECK(launch(*code, 3).result == "buf3");

    const auto collectives = test::outputCodes(test::corpusDir() / "tlparse-logs" / "graph_exec_order_tests" /
                                               "dedicated_log_torch_trace_rank_0_a74od7a1.log");
    REQUIRE(collectives.size() == 2);
    const auto reduction = inductor::readOutputCode(collectives[1]);
    REQUIRE(reduction.ok());
    CHECK(reduction->kernels[0].kind == KernelKind::TritonPersistentReduction);
    CHECK(reduction->kernels[0].fact("r0_numel") == "1024");
    CHECK(reduction->kernels[0].fact("num_reduction") == "4");
}

TEST_CASE("C++ kernels, in a Python and in a C++ wrapper") {
    for (const char* name : {"mlp", "mlp_plain"}) {
        const auto texts = test::outputCodes(test::recordedLog(name));
        REQUIRE(texts.size() == 2);
        const auto code = inductor::readOutputCode(texts[1]);
        REQUIRE(code.ok());
        CHECK(code->aotId == "0_backward");
        CHECK(code->problems.empty());
        for (const inductor::Kernel& kernel : code->kernels) {
            CHECK((kernel.kind == KernelKind::Cpp || kernel.kind == KernelKind::Extern));
            CHECK(kernel.source.has_value() == (kernel.kind == KernelKind::Cpp));
        }
    }
    const auto texts = test::outputCodes(test::recordedLog("cpp_wrapper"));
    REQUIRE(texts.size() == 2);
    const auto code = inductor::readOutputCode(texts[0]);
    REQUIRE(code.ok());
    CHECK(code->cppWrapper);
    REQUIRE(code->kernels.size() == 3);
    CHECK(code->kernels[0].name == "aoti_torch_cpu_addmm_out");
    CHECK(code->kernels[1].kind == KernelKind::Cpp);
    REQUIRE(code->kernels[1].source);
    CHECK(texts[0].substr(code->kernels[1].source->begin).starts_with("extern \"C\""));
    CHECK(launch(*code, 2).arguments[4].buffers == std::vector<std::string>{"buf11"});
    CHECK(code->entry()->inputs.size() == 5);
    CHECK(code->entry()->returned.size() == 10);
}

TEST_CASE("code that is cut off anywhere gives what it has") {
    const std::string whole = test::outputCodes(test::recordedLog("mlp")).at(0);
    const std::size_t kernels = inductor::readOutputCode(whole)->kernels.size();
    for (std::size_t size = 1000; size < whole.size(); size += 97) {
        const auto code = inductor::readOutputCode(std::string_view(whole).substr(0, size));
        REQUIRE(code.ok());
        CHECK(code->kernels.size() <= kernels);
        for (const inductor::Kernel& kernel : code->kernels) {
            CHECK((!kernel.source || kernel.source->end <= size));
        }
        const bool complete = code->entry() != nullptr && code->entry()->complete;
        CHECK((complete || !code->problems.empty()));
    }
}

TEST_CASE("hostile text costs linear time") {
    // What a quadratic reader would need hours for.
    const std::size_t size = 4U << 20U;
    for (const std::string& part :
         {std::string("x = async_compile.triton('''"), std::string("(((((("),
          std::string("# Graph fragment:\n#   %a = [target="), std::string("buf = f(\n"),
          std::string("    extern_kernels.mm(a, out=b)\n"), std::string("'\\")}) {
        std::string text = "# torch._inductor\ndef call(args):\n    a = args\n";
        while (text.size() < size) {
            text += part;
        }
        CHECK(inductor::readOutputCode(text).ok());
        CHECK(inductor::readOutputCode("# torch._inductor\n" + text.substr(40)).ok());
        CHECK(inductor::readOutputCode("# cpp_wrapper_src inductor_entry_impl(\n" + text.substr(40)).ok());
    }
}
