// Exported graphs and export errors, compared with those of PyTorch's aot_export_module and
// aot_export_joint_simple for the same Dynamo graphs (tests/golden/make_export_answers.py).
#include "run_support.h"

#include "ir/compare/first_difference.h"
#include "ir/json/graph_json.h"
#include "support/corpus.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

Json answers() {
    return Json::parse(
        test::readPlainOrXz(std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "export_answers.json.xz"));
}

aot::ExportOptions wayOf(const std::string& way) {
    const auto has = [&](std::string_view word) { return way.find(word) != std::string::npos; };
    aot::ExportOptions options;
    options.simple = has("simple");
    options.joint = has("joint");
    options.preDispatch = has("pre_dispatch");
    if (has("joint 1")) {
        options.loss = 1;
    } else if (has("joint 0") || (options.joint && options.preDispatch)) {
        options.loss = 0;
    }
    return options;
}

aot::RetraceRequest requestOf(const Json& row) {
    aot::RetraceRequest request;
    request.program = test::parsed(row["dynamo"].get<std::string>());
    for (const Json& given : row["inputs"]) {
        aot::RetraceInput input;
        input.requiresGrad = given["requires_grad"];
        input.isParameter = given["parameter"];
        input.isLeaf = given["leaf"];
        input.storage = given["storage"];
        input.storageOffset = given["offset"];
        input.storageBytes = given["bytes"];
        if (!given["base"].is_null()) {
            ir::TensorMeta base;
            for (const std::int64_t size : given["base"][0]) {
                base.shape.emplace_back(size);
            }
            base.stride.emplace();
            for (const std::int64_t stride : given["base"][1]) {
                base.stride->emplace_back(stride);
            }
            input.viewBase = base;
        }
        request.inputs.push_back(input);
    }
    return request;
}

/// The words that our error must contain, by the beginning of PyTorch's error.
std::string expectedWords(const std::string& message) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> pairs = {{
        {"If trace_joint=True", "no output is chosen as the loss"},
        {"Found an output of the forward that requires gradients", "requires grad, but the loss is"},
        {"We require the output marked as the loss", "is not a single number"},
        {"does not require gradients", "does not require grad"},
        {"tuple index out of range", "There is no output"},
        {"Found a graph input that requires gradients", "its gradient would be that of the changed value"},
        {"Found an input that received a metadata mutation", "shape, strides or storage"},
        {"Encountered aliased inputs", "Inputs share memory"},
        {"does not support input mutations", "programs that do not change their inputs"},
        {"does not support outputs that alias", "share no memory with anything"},
        {"pre_dispatch is not supported when trace_joint", "traced before autograd"},
        {"expected single scalar tangent", "which is not a single number"},
        {"Found a parameter that did not receive a gradient", "gets no gradient"},
        {"cannot mutate tensors with frozen storage", "cannot mutate tensors with frozen storage"},
    }};
    for (const auto& [theirs, ours] : pairs) {
        if (message.find(theirs) != std::string::npos) {
            return std::string(ours);
        }
    }
    FAIL("an answer that this test does not know: " << message);
    return {};
}

/// Known differences from PyTorch's graph, with reasons.
bool isKnownDifference(const std::string& name) {
    // PyTorch's Python kernel for upsampling converts with Tensor.to, which asserts what it converts in an
    // exported graph; the assertions of kernels are not made here.
    return name == "batch_norm_eval_and_pools, module" || name == "batch_norm_eval_and_pools, simple";
}

void checkGraph(const std::string& name, const aot::CompiledFunction& made, const std::string& text) {
    CHECK(made.path == aot::TracePath::Export);
    const ir::GraphPtr expected = test::parsed(text);
    const auto difference = ir::firstDifference(*made.graph, *expected);
    if (difference && std::getenv("AOTSCOPE_ONLY") != nullptr) {
        std::cout << ir::printGraph(*made.graph).text << text;
    }
    if (isKnownDifference(name)) {
        CHECK_MESSAGE(difference.has_value(), name << " is equal now");
        return;
    }
    CHECK_MESSAGE(!difference, name << ": " << difference->what << " at " << difference->position
                                    << "\n    ours   " << difference->left << "\n    theirs "
                                    << difference->right);
    CHECK_MESSAGE(made.joint == (text.find("class inner_f") != std::string::npos), name);
}

} // namespace

TEST_CASE("exported graphs are PyTorch's, and what it refuses is refused") {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    int graphs = 0;
    int refusals = 0;
    for (const Json& row : answers()) {
        for (const auto& [way, answer] : row["ways"].items()) {
            const std::string name = row["name"].get<std::string>() + ", " + way;
            if (only != nullptr && name.find(only) == std::string::npos) {
                continue;
            }
            aot::RetraceRequest request = requestOf(row);
            request.export_ = wayOf(way);
            const auto result = test::backend().answer(session::RetraceCall{request});
            if (answer.contains("graph")) {
                ++graphs;
                CHECK_MESSAGE(result.ok(), name << ": " << result.error().text());
                if (result.ok()) {
                    checkGraph(name, result->function, answer["graph"]);
                }
                continue;
            }
            ++refusals;
            CHECK_MESSAGE(!result.ok(), name << " is exported, and PyTorch says " << answer["message"]);
            if (!result.ok()) {
                const std::string words = expectedWords(answer["message"]);
                CHECK_MESSAGE(result.error().message.find(words) != std::string::npos,
                              name << ": " << result.error().text());
            }
        }
    }
    std::cout << graphs << " exported graphs and " << refusals << " refusals\n";
    CHECK((only != nullptr || (graphs > 100 && refusals > 90)));
}

TEST_CASE("a tensor put into an attribute of the module is an error that names it") {
    aot::RetraceRequest request;
    request.program = test::graphOf("x: \"f32[4, 3]\"", "        mul = x * 2\n        return (mul,)\n");
    request.inputs.resize(1);
    request.assignedAttributes = {{"self.cache"}};
    // Compiled for a call, the wrapper around it assigns.
    CHECK(test::backend().answer(session::RetraceCall{request}).ok());
    request.export_ = aot::ExportOptions{};
    const auto refused = test::backend().answer(session::RetraceCall{request});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == "trace.attribute");
    CHECK(refused.error().message.find("The attribute self.cache is assigned") == 0);
}
