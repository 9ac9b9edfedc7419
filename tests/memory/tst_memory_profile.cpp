#include "memory/band_stack.h"
#include "memory/measured_profile.h"
#include "memory/memory_profile.h"
#include "memory/peak_difference.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace aotscope;

namespace {

ir::GraphPtr parsed(const std::string& body) {
    const auto graph =
        ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, " + body);
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

const memory::LiveRange& rangeOf(const memory::MemoryProfile& profile, const std::string& name) {
    for (const memory::LiveRange& range : profile.ranges) {
        if (range.name == name) {
            return range;
        }
    }
    FAIL("no range " << name);
    return profile.ranges.front();
}

} // namespace

TEST_CASE("a value lives from the node that makes it to its last use; views add nothing") {
    const auto graph = parsed("x: \"f32[8, 4][4, 1]cpu\"):\n"
                              "        relu: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.relu.default(x)\n"
                              "        t: \"f32[4, 8][1, 4]cpu\" = torch.ops.aten.t.default(relu)\n"
                              "        mm: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.mm.default(t, x)\n"
                              "        neg: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.neg.default(mm)\n"
                              "        return (neg,)\n");
    const auto profile = memory::profileGraph(*graph);
    REQUIRE(profile.ranges.size() == 4);
    const auto& relu = rangeOf(profile, "relu");
    CHECK(relu.bytes == 128);
    CHECK(relu.aliases == std::vector<std::string>{"t"});
    CHECK(relu.from == 1);
    CHECK(relu.last == 3);
    CHECK(profile.intermediateBytes == std::vector<std::int64_t>{0, 128, 128, 192, 128, 64});
    CHECK(profile.intermediatePeak.bytes == 192);
    CHECK(profile.peak.bytes == 192 + 128);
    CHECK(memory::aliveAt(profile, 3).front()->bytes == 128);
    CHECK(profile.unknown.empty());
}

TEST_CASE("blocks of the CUDA allocator are multiples of 512 bytes") {
    const auto graph = parsed("x: \"f32[129][1]cuda:0\"):\n"
                              "        neg: \"f32[129][1]cuda:0\" = torch.ops.aten.neg.default(x)\n"
                              "        return (neg,)\n");
    CHECK(memory::profileGraph(*graph, {memory::Rounding::Blocks512}).peak.bytes == 2048);
    CHECK(memory::profileGraph(*graph).peak.bytes == 2 * 516);
}

TEST_CASE("an expanded value's memory is its source's, and an unbound symbol's size is said to be unknown") {
    const auto graph = parsed("x: \"f32[s0][1]cpu\", y: \"f32[1][1]cpu\"):\n"
                              "        expand: \"f32[100][0]cpu\" = torch.ops.aten.expand.default(y, [100])\n"
                              "        return (expand,)\n");
    const auto profile = memory::profileGraph(*graph);
    CHECK(profile.peak.bytes == 4);
    CHECK(profile.unknown == std::vector<std::string>{"x"});
}

TEST_CASE("a result that an operator is told not to make has no size to be unknown") {
    const auto graphWith = [](const std::string& mask) {
        return parsed("g: \"f32[2, 4, 8, 8][256, 64, 8, 1]cpu\", x: \"f32[2, 3, 8, 8][192, 64, 8, 1]cpu\", "
                      "w: \"f32[4, 3, 1, 1][3, 1, 1, 1]cpu\"):\n"
                      "        convolution_backward = torch.ops.aten.convolution_backward.default(g, x, w, "
                      "[0], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, " +
                      mask +
                      ")\n"
                      "        getitem: \"f32[2, 3, 8, 8][192, 64, 8, 1]cpu\" = convolution_backward[0]\n"
                      "        getitem_1: \"f32[4, 3, 1, 1][3, 1, 1, 1]cpu\" = convolution_backward[1]\n"
                      "        return (getitem, getitem_1)\n");
    };
    CHECK(memory::profileGraph(*graphWith("[True, True, False]")).unknown.empty());
    CHECK(memory::profileGraph(*graphWith("[True, True, True]")).unknown ==
          std::vector<std::string>{"convolution_backward"});
}

TEST_CASE("a step keeps what is saved until the backward has used it") {
    const auto forward =
        parsed("primals_1: \"f32[4][1]cpu\", primals_2: \"f32[4][1]cpu\"):\n"
               "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, primals_2)\n"
               "        sin: \"f32[4][1]cpu\" = torch.ops.aten.sin.default(mul)\n"
               "        return (sin, primals_2, mul)\n");
    const auto backward =
        parsed("primals_2: \"f32[4][1]cpu\", mul: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
               "        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(mul)\n"
               "        mul_1: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, cos)\n"
               "        mul_2: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(mul_1, primals_2)\n"
               "        return (mul_2, None)\n");
    const memory::TrainingStepGraphs step{*forward, *backward, 1, {1}};
    const auto profile = memory::profileTrainingStep(step);
    CHECK(rangeOf(profile, "primals_1").category == memory::Category::Input);
    CHECK(rangeOf(profile, "primals_2").category == memory::Category::Parameter);
    CHECK(rangeOf(profile, "mul").category == memory::Category::SavedActivation);
    CHECK(rangeOf(profile, "sin").category == memory::Category::Output);
    CHECK(rangeOf(profile, "tangents_1").category == memory::Category::Tangent);
    CHECK(rangeOf(profile, "mul_2").category == memory::Category::Gradient);
    CHECK(rangeOf(profile, "cos").category == memory::Category::Temporary);
    // Forward of 5 nodes, the loss, then cos at the backward's fourth node.
    CHECK(rangeOf(profile, "mul").from == 2);
    CHECK(rangeOf(profile, "mul").last == 5 + 1 + 3);
    CHECK(rangeOf(profile, "sin").last == 5);
    CHECK(profile.bytes.size() == 5 + 1 + 7 + 1);
    CHECK(profile.forwardPeak.bytes == 64);
    CHECK(profile.peak.bytes == profile.backwardPeak.bytes);
}

TEST_CASE("a result takes over a donated buffer of its size that it is the last to read") {
    const auto forwardReturning = [](const std::string& outputs) {
        return parsed("primals_1: \"f32[4][1]cpu\"):\n"
                      "        exp: \"f32[4][1]cpu\" = torch.ops.aten.exp.default(primals_1)\n"
                      "        tanh: \"f32[4][1]cpu\" = torch.ops.aten.tanh.default(exp)\n"
                      "        return (" +
                      outputs + ")\n");
    };
    const auto backward =
        parsed("exp: \"f32[4][1]cpu\", tanh: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
               "        gt: \"b8[4][1]cpu\" = torch.ops.aten.gt.Scalar(tanh, 0)\n"
               "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, exp)\n"
               "        where: \"f32[4][1]cpu\" = torch.ops.aten.where.self(gt, mul, tangents_1)\n"
               "        return (where,)\n");
    memory::ProfileOptions options;
    options.writesOver = [](std::string_view) { return true; };
    const auto forward = forwardReturning("tanh, exp, tanh");
    const auto freed = memory::profileTrainingStep({*forward, *backward, 1});
    const auto reused = memory::profileTrainingStep({*forward, *backward, 1}, options);
    const std::uint32_t at = reused.backwardBegin + 4; // mul
    CHECK(rangeOf(freed, "mul").takesOver.empty());
    CHECK(rangeOf(reused, "mul").takesOver == "exp");
    CHECK(rangeOf(reused, "exp").last == at - 1);
    // tanh is the user's too, and a bool does not fit into it.
    CHECK(rangeOf(reused, "gt").takesOver.empty());
    // mul is no saved value, the tangent is the caller's.
    CHECK(rangeOf(reused, "where").takesOver.empty());
    for (std::uint32_t i = 0; i < freed.bytes.size(); ++i) {
        CHECK(freed.bytes[i] - reused.bytes[i] == (i == at ? 16 : 0));
    }
    // What the user holds, too, is nobody's to overwrite.
    const auto shown = forwardReturning("exp, exp, tanh");
    const auto held = memory::profileTrainingStep({*shown, *backward, 1}, options);
    CHECK(rangeOf(held, "mul").takesOver.empty());
    options.writesOver = [](std::string_view target) { return target == "aten.gt.Scalar"; };
    CHECK(rangeOf(memory::profileTrainingStep({*forward, *backward, 1}, options), "mul").takesOver.empty());
}

TEST_CASE("a run of the halves is laid along the step, with what each was handed") {
    const auto forward =
        parsed("primals_1: \"f32[4][1]cpu\", primals_2: \"f32[4][1]cpu\"):\n"
               "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, primals_2)\n"
               "        sin: \"f32[4][1]cpu\" = torch.ops.aten.sin.default(mul)\n"
               "        return (sin, mul)\n");
    const auto backward =
        parsed("mul: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
               "        _tensor_constant0: \"f32[4][1]cpu\" = self._tensor_constant0\n"
               "        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(mul)\n"
               "        mul_1: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, cos)\n"
               "        mul_2: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(mul_1, _tensor_constant0)\n"
               "        return (mul_2, None)\n");
    const auto profile = memory::profileTrainingStep({*forward, *backward, 1, {}});
    CHECK(rangeOf(profile, "_tensor_constant0").category == memory::Category::Input);
    // As an allocator reports it of each graph alone: inputs, tangents and constants are not its own.
    const std::vector<memory::MeasuredNode> ranForward{{0, 0, 1}, {0, 0, 1}, {16, 0, 10}, {32, 8, 20}};
    std::vector<memory::MeasuredNode> ranBackward{{0, 0, 1},    {0, 0, 1},   {0, 0, 1},
                                                  {16, 64, 30}, {32, 0, 20}, {32, 0, 20}};
    const auto measured = memory::layAlong(profile, ranForward, ranBackward);
    CHECK(measured.differing.empty());
    CHECK(measured.bytes == profile.bytes);
    CHECK(measured.intermediateBytes == profile.intermediateBytes);
    CHECK(measured.peak.bytes == profile.peak.bytes);
    CHECK(measured.start.size() == profile.bytes.size() + 1);
    CHECK(measured.start.back() == 32 + 73);
    // The loss takes no time.
    CHECK(measured.start[profile.forwardEnd] == measured.start[profile.backwardBegin]);
    CHECK(measured.largestScratch.bytes == 64);
    CHECK(measured.largestScratch.position == profile.backwardBegin + 3);
    CHECK(measured.highest == measured.bytes[profile.backwardBegin + 3] + 64);
    // One that is held longer than predicted.
    ranBackward[5].aliveBytes += 16;
    const auto longer = memory::layAlong(profile, ranForward, ranBackward);
    CHECK(longer.differing == std::vector<std::uint32_t>{profile.backwardBegin + 5});
    CHECK(longer.bytes[profile.backwardBegin + 5] == profile.bytes[profile.backwardBegin + 5] + 16);
}

namespace {

/// y = sin(cos(x) * w), for which autograd keeps x, cos(x), w and the product.
ir::GraphPtr jointGraph() {
    return parsed("primals_1: \"f32[4][1]cpu\", primals_2: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
                  "        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(primals_1)\n"
                  "        neg: \"f32[4][1]cpu\" = torch.ops.aten.neg.default(cos)\n"
                  "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(neg, primals_2)\n"
                  "        sin: \"f32[4][1]cpu\" = torch.ops.aten.sin.default(mul)\n"
                  "        cos_1: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(mul)\n"
                  "        mul_1: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, cos_1)\n"
                  "        mul_2: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(mul_1, neg)\n"
                  "        mul_3: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(mul_1, primals_2)\n"
                  "        return (sin, mul_3, mul_2)\n");
}

} // namespace

TEST_CASE("eager keeps what the backward reads until it has read it") {
    const auto joint = jointGraph();
    const auto profile = memory::profileEager(*joint, 1, {1});
    // primals_1, primals_2, cos, neg, mul, sin | loss | tangents_1, cos_1 to mul_3, output | optimizer
    REQUIRE(profile.nodes.size() == 6 + 1 + 6 + 1);
    CHECK(profile.forwardEnd == 6);
    CHECK(profile.backwardBegin == 7);
    CHECK(joint->node(profile.nodes[8]).name == "cos_1");
    CHECK(rangeOf(profile, "cos").category == memory::Category::Temporary);
    CHECK(rangeOf(profile, "cos").last == 3);
    CHECK(rangeOf(profile, "neg").category == memory::Category::SavedActivation);
    CHECK(rangeOf(profile, "neg").last == 10);
    CHECK(rangeOf(profile, "mul").last == 8);
    CHECK(rangeOf(profile, "sin").category == memory::Category::Output);
    CHECK(rangeOf(profile, "sin").last == 6);
    CHECK(rangeOf(profile, "tangents_1").from == 6);
    CHECK(rangeOf(profile, "mul_1").category == memory::Category::Temporary);
    CHECK(rangeOf(profile, "mul_2").category == memory::Category::Gradient);
    CHECK(rangeOf(profile, "mul_2").last == 13);
    CHECK(rangeOf(profile, "primals_2").category == memory::Category::Parameter);
    // neg, mul, sin and tangents_1 while the loss is computed.
    CHECK(profile.intermediateBytes[6] == 4 * 16);
    CHECK_FALSE(profile.approximations.empty());
}

TEST_CASE("the difference of two peaks is listed tensor by tensor and adds up") {
    const auto joint = jointGraph();
    const auto eager = memory::profileEager(*joint, 1, {1});
    // Saves mul alone: neg is computed again.
    const auto forward = parsed("primals_1: \"f32[4][1]cpu\", primals_2: \"f32[4][1]cpu\"):\n"
                                "        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(primals_1)\n"
                                "        neg: \"f32[4][1]cpu\" = torch.ops.aten.neg.default(cos)\n"
                                "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(neg, primals_2)\n"
                                "        sin: \"f32[4][1]cpu\" = torch.ops.aten.sin.default(mul)\n"
                                "        return (sin, primals_1, primals_2)\n");
    const auto backward =
        parsed("primals_1: \"f32[4][1]cpu\", primals_2: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
               "        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(primals_1)\n"
               "        neg: \"f32[4][1]cpu\" = torch.ops.aten.neg.default(cos)\n"
               "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(neg, primals_2)\n"
               "        cos_1: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(mul)\n"
               "        mul_1: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, cos_1)\n"
               "        mul_2: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(mul_1, neg)\n"
               "        mul_3: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(mul_1, primals_2)\n"
               "        return (mul_3, mul_2)\n");
    const auto compiled = memory::profileTrainingStep({*forward, *backward, 1, {1}});
    const auto differences = memory::compareAtPeak(eager, compiled);
    const auto sum =
        std::accumulate(differences.begin(), differences.end(), std::int64_t{0},
                        [](std::int64_t total, const auto& entry) { return total + entry.bytes(); });
    CHECK(sum == compiled.peak.bytes - eager.peak.bytes);
    CHECK_FALSE(differences.empty());
    for (const memory::PeakDifference& entry : differences) {
        // Matched by name, so nobody is on both sides with the same size.
        CHECK(((entry.left == nullptr) != (entry.right == nullptr)));
    }
    CHECK(memory::compareAtPeak(eager, eager).empty());
}

TEST_CASE("bands add up to the curve at every cell, whatever is too small for one of its own") {
    const auto joint = jointGraph();
    const auto profile = memory::profileEager(*joint, 1, {1});
    const memory::BandStack stack(profile);
    const auto length = static_cast<std::uint32_t>(profile.bytes.size());
    for (const std::size_t columns : {std::size_t{1}, std::size_t{5}, std::size_t{100}}) {
        const memory::Cells cells = memory::gatherCells(profile.bytes, 0, length, columns);
        REQUIRE(cells.size() == std::min<std::size_t>(columns, length));
        CHECK(std::ranges::max(cells.position, {}, [&](auto at) { return profile.bytes[at]; }) ==
              profile.peak.position);
        for (const std::int64_t smallest : {0, 17}) {
            std::vector<std::int64_t> height(cells.size(), 0);
            for (const memory::Band& band : stack.stack(cells, smallest, memory::BandStack::Inputs::Shown)) {
                CHECK(band.range.has_value() == (smallest == 0));
                for (const memory::BandRun& run : band.runs) {
                    for (std::uint32_t cell = run.from; cell < run.end; ++cell) {
                        // Each lies right on those below.
                        CHECK(height[cell] == run.base);
                        height[cell] += run.bytes;
                    }
                }
            }
            for (std::size_t i = 0; i < cells.size(); ++i) {
                CHECK(height[i] == profile.bytes[cells.position[i]]);
            }
        }
    }
}
