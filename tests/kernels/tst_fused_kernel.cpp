// Kernels' texts, compiled by this machine's compiler and run, beside arithmetic done here and published
// numbers.
#include "kernels/fusion_plan.h"
#include "kernels/host_compiler.h"
#include "kernels/philox.h"

#include "parsed_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace aotscope;
using namespace aotscope::kernels;

namespace {

FusionPlan planOf(const std::string& inputs, const std::string& body) {
    static std::vector<ir::GraphPtr> kept;
    kept.push_back(test::parsedGraph(inputs, body));
    return planFusion(*kept.back());
}

std::shared_ptr<const HostLibrary> compiled(const std::string& name, const std::string& source) {
    static const auto compiler = findHostCompiler();
    REQUIRE_MESSAGE(compiler.ok(), compiler.error().text());
    HostSource text;
    text.prelude = hostPreludeText();
    text.kernels.push_back({name, source, hostEntryText(name, source)});
    HostCompileOptions options;
    options.flags = hostCompileOptions();
    options.flags.emplace_back("-O1");
    const auto built = compileForHost(*compiler, text, options);
    REQUIRE_MESSAGE(built.ok(), built.error().text());
    REQUIRE_MESSAGE(built->library != nullptr, (built->messages.empty() ? source : built->messages[0].text));
    return built->library;
}

/// Runs a kernel on buffers in the order of its parameters.
void run(const FusedKernel& kernel, const std::vector<void*>& buffers, std::uint32_t grid = 0) {
    const auto library = compiled(kernel.name, kernel.source);
    auto* entry = library->function<void(void**, unsigned, unsigned, unsigned)>(hostEntryName(kernel.name));
    REQUIRE((entry != nullptr));
    std::vector<void*> pointers = buffers;
    std::vector<void*> addresses;
    for (void*& pointer : pointers) {
        addresses.push_back(&pointer);
    }
    entry(addresses.data(), grid == 0 ? kernel.launch.grid : grid, kernel.launch.block, 0);
}

std::vector<float> ramp(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = std::sin(static_cast<float>(i) * 0.7F) * 3;
    }
    return values;
}

} // namespace

TEST_CASE("the threads of blocks and warps together compute a softmax of any row length") {
    for (const std::int64_t columns : {2, 7, 32, 100, 520, 1000, 5000}) {
        CAPTURE(columns);
        const std::string n = std::to_string(columns);
        const FusionPlan plan = planOf("x: \"f32[5, " + n + "][" + n + ", 1]\"", R"(
        _softmax: "f32[5, )" + n + "][" + n + R"(, 1]" = torch.ops.aten._softmax.default(x, 1, False)
        return (_softmax,)
)");
        REQUIRE(plan.groups.size() == 1);
        std::vector<float> x = ramp(static_cast<std::size_t>(5 * columns));
        // Not aligned to 16 bytes the second time, so that elements are taken one by one.
        for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
            std::vector<float> in(x.size() + 1);
            std::ranges::copy(x, in.begin() + static_cast<std::ptrdiff_t>(shift));
            std::vector<float> out(x.size() + 1, -1);
            // A grid smaller than the rows: kernels walk over the rest.
            run(plan.groups[0].kernel, {in.data() + shift, out.data() + shift}, 2);
            for (std::int64_t row = 0; row < 5; ++row) {
                const float* begin = x.data() + row * columns;
                double sum = 0;
                for (std::int64_t i = 0; i < columns; ++i) {
                    sum += std::exp(static_cast<double>(begin[i]) - 3);
                }
                for (std::int64_t i = 0; i < columns; ++i) {
                    const double expected = std::exp(static_cast<double>(begin[i]) - 3) / sum;
                    CHECK(std::abs(out[static_cast<std::size_t>(row * columns + i) + shift] - expected) <
                          1e-6);
                }
            }
        }
    }
}

TEST_CASE("elements beyond the last whole vector are computed, and none beyond the tensor is written") {
    for (const std::size_t count : {1U, 3U, 4U, 13U, 1027U}) {
        CAPTURE(count);
        const std::string n = std::to_string(count);
        const FusionPlan plan = planOf("x: \"f32[" + n + "][1]\", y: \"f32[" + n + "][1]\"",
                                       "\n        mul: \"f32[" + n +
                                           "][1]\" = torch.ops.aten.mul.Tensor(x, y)\n"
                                           "        add: \"f32[" +
                                           n +
                                           "][1]\" = torch.ops.aten.add.Tensor(mul, 2)\n"
                                           "        return (add,)\n");
        REQUIRE(plan.groups.size() == 1);
        std::vector<float> x = ramp(count);
        std::vector<float> y = ramp(count);
        std::vector<float> out(count + 8, 77);
        run(plan.groups[0].kernel, {x.data(), y.data(), out.data()}, 1);
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(out[i] == x[i] * y[i] + 2);
        }
        CHECK(std::ranges::count(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), 77.0F) == 8);
    }
}

TEST_CASE("a changed text computes something else") {
    const FusionPlan plan = planOf("x: \"f32[8][1]\"", R"(
        mul: "f32[8][1]" = torch.ops.aten.mul.Tensor(x, 2.0)
        return (mul,)
)");
    FusedKernel kernel = plan.groups.at(0).kernel;
    std::vector<float> x = ramp(8);
    std::vector<float> out(8);
    run(kernel, {x.data(), out.data()});
    CHECK(out[3] == x[3] * 2);
    const std::size_t factor = kernel.source.find("* 2.0f");
    REQUIRE(factor != std::string::npos);
    kernel.source.replace(factor, 6, "* 3.0f");
    run(kernel, {x.data(), out.data()});
    CHECK(out[3] == x[3] * 3);
}

TEST_CASE("philox gives the numbers of its authors' known answers") {
    // Random123's kat_vectors of philox4x32-10: counter, key, result.
    const std::string source =
        "extern \"C\" __global__ void numbers(unsigned* __restrict__ out) {\n"
        "    const four_words zero = philox(0, 0, 0);\n"
        "    const four_words ones = philox(~0ull, ~0ull, ~0ull);\n"
        "    const four_words pi = philox(0x299f31d0a4093822ull, 0x0370734413198a2eull,"
        " 0x85a308d3243f6a88ull);\n"
        "    const four_words all[3] = {zero, ones, pi};\n"
        "    for (int i = 0; i < 3; ++i) {\n"
        "        out[4 * i] = all[i].x; out[4 * i + 1] = all[i].y;\n"
        "        out[4 * i + 2] = all[i].z; out[4 * i + 3] = all[i].w;\n"
        "    }\n"
        "}\n";
    FusedKernel kernel;
    kernel.name = "numbers";
    kernel.source = source;
    kernel.launch.block = 1;
    std::vector<std::uint32_t> out(12);
    run(kernel, {out.data()});
    const std::vector<std::uint32_t> expected = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                                                 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
                                                 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    CHECK(out == expected);
    const auto zero = philoxWords(0, 0, 0);
    const auto ones = philoxWords(~0ULL, ~0ULL, ~0ULL);
    const auto pi = philoxWords(0x299f31d0a4093822ULL, 0x0370734413198a2eULL, 0x85a308d3243f6a88ULL);
    CHECK(std::equal(zero.begin(), zero.end(), expected.begin()));
    CHECK(std::equal(ones.begin(), ones.end(), expected.begin() + 4));
    CHECK(std::equal(pi.begin(), pi.end(), expected.begin() + 8));
}

TEST_CASE("random numbers of the graph's seed and offset are the same in every kernel") {
    const FusionPlan plan = planOf("seed: \"i64[][]\", offset: \"i64[][]\", x: \"f32[300][1]\"", R"(
        philox_rand = torch.ops.rngprims.philox_rand.default([300], seed, offset, None, device(type='cuda', index=0), torch.float32)
        getitem: "f32[300][1]" = philox_rand[0]
        gt: "b8[300][1]" = torch.ops.aten.gt.Scalar(getitem, 0.5)
        mul: "f32[300][1]" = torch.ops.aten.mul.Tensor(x, gt)
        return (mul, getitem)
)");
    REQUIRE(plan.groups.size() == 1);
    CHECK(plan.groups[0].nodes.size() == 3);
    std::vector<float> x(300, 4);
    std::int64_t seed = 42;
    std::int64_t offset = 8;
    std::vector<float> first(300);
    std::vector<float> second(300);
    const auto& parameters = plan.groups[0].kernel.parameters;
    const auto buffers = [&](std::vector<float>& random, std::vector<float>& product) {
        std::vector<void*> result;
        for (const KernelParameter& parameter : parameters) {
            void* const input = parameter.layout.dtype == ir::DType::Int64
                                    ? static_cast<void*>(parameter.tensor.node.index() == 0 ? &seed : &offset)
                                    : static_cast<void*>(x.data());
            const bool isRandom = parameter.written && parameter.tensor.node == plan.groups[0].nodes[0];
            result.push_back(
                !parameter.written ? input : static_cast<void*>(isRandom ? random.data() : product.data()));
        }
        return result;
    };
    std::vector<float> product(300);
    run(plan.groups[0].kernel, buffers(first, product), 1);
    run(plan.groups[0].kernel, buffers(second, product), 2);
    CHECK(first == second);
    CHECK(first[7] == philoxUniform(42, 8, 7, philoxThreads(300)));
    CHECK(std::ranges::all_of(first, [](float number) { return number >= 0 && number < 1; }));
    CHECK(std::abs(std::accumulate(first.begin(), first.end(), 0.0F) / 300 - 0.5F) < 0.1F);
    for (std::size_t i = 0; i < 300; ++i) {
        CHECK(product[i] == (first[i] > 0.5F ? 4.0F : 0.0F));
    }
}
