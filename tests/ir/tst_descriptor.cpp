#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/phase.h"
#include "ir/text/descriptor_text.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

#include "ir/golden.h"
#include "support/corpus_case.h"
#include "support/log_payloads.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace aotscope::ir;

namespace {

template<typename Described>
bool isUnknown(const Described& described) {
    return described.value.index() + 1 == std::variant_size_v<typename Described::Alternatives>;
}

/// Every text of a descriptor in the corpus's logs and golden files.
std::set<std::string> corpusDescriptors() {
    std::set<std::string> texts;
    for (const auto& log : aotscope::test::corpusLogs()) {
        aotscope::test::forEachPayload(log, [&](const aotscope::test::LogPayload& payload) {
            std::istringstream lines(payload.text);
            for (std::string line; std::getline(lines, line);) {
                const std::size_t comment = line.rfind("# ");
                const std::string text = comment == std::string::npos ? "" : line.substr(comment + 2);
                const bool isDescriptor = text.substr(0, text.find('(')).ends_with("AOTInput") ||
                                          text.substr(0, text.find('(')).ends_with("AOTOutput");
                if (isDescriptor && text.ends_with(')')) {
                    texts.insert(text);
                }
            }
        });
    }
    aotscope::test::forEachGoldenGraph([&](aotscope::test::GoldenGraph& golden) {
        for (const auto& node : golden.json["nodes"]) {
            const auto desc = node.value("desc", nlohmann::json());
            for (const auto& text : desc.is_array() ? desc : nlohmann::json::array({desc})) {
                if (text.is_string() && text != "None") {
                    texts.insert(text.get<std::string>());
                }
            }
        }
    });
    return texts;
}

GraphPtr parsed(const std::string& text) {
    auto graph = parseGraphText(text);
    REQUIRE_MESSAGE(graph, (graph ? std::string() : graph.error().text()));
    return *graph;
}

const char oldJoint[] = R"(
class inner_f(torch.nn.Module):
    def forward(self, primals_1: "f32[2, 3]", primals_2: "f32[3]", primals_3: "i64[2]", tangents_1: "f32[2]"):
        mul: "f32[2, 3]" = torch.ops.aten.mul.Tensor(primals_1, primals_2)
        sum_1: "f32[2]" = torch.ops.aten.sum.dim_IntList(mul, [1])
        zeros: "f32[3]" = torch.ops.aten.zeros.default([3])
        expand: "f32[2, 3]" = torch.ops.aten.expand.default(tangents_1, [2, 3])
        mul_1: "f32[2, 3]" = torch.ops.aten.mul.Tensor(expand, primals_2)
        return (sum_1, mul_1, zeros, None)
)";

} // namespace

TEST_CASE("every class prints as Python's repr and is read back") {
    const NestedDescriptor<AOTInput> plain{AOTInput(PlainAOTInput{3})};
    const NestedDescriptor<AOTOutput> returned{AOTOutput(PlainAOTOutput{1})};
    const std::vector<std::pair<AOTInput, std::string>> inputs = {
        {ParamAOTInput{"fc1.weight"}, "ParamAOTInput(target='fc1.weight')"},
        {BufferAOTInput{"it's"}, "BufferAOTInput(target=\"it's\")"},
        {DummyAOTInput{0}, "DummyAOTInput(idx=0)"},
        {PlainAOTInput{12}, "PlainAOTInput(idx=12)"},
        {SubclassGetAttrAOTInput{plain, "_values"},
         "SubclassGetAttrAOTInput(base=PlainAOTInput(idx=3), attr='_values')"},
        {SubclassSizeAOTInput{plain, 1}, "SubclassSizeAOTInput(base=PlainAOTInput(idx=3), idx=1)"},
        {SubclassStrideAOTInput{plain, 0}, "SubclassStrideAOTInput(base=PlainAOTInput(idx=3), idx=0)"},
        {ViewBaseAOTInput{plain}, "ViewBaseAOTInput(base_of=PlainAOTInput(idx=3))"},
        {SyntheticBaseAOTInput{plain}, "SyntheticBaseAOTInput(base_of=PlainAOTInput(idx=3))"},
        {PhiloxForwardSeedAOTInput{}, "PhiloxForwardSeedAOTInput()"},
        {PhiloxForwardBaseOffsetAOTInput{}, "PhiloxForwardBaseOffsetAOTInput()"},
        {PhiloxBackwardSeedAOTInput{}, "PhiloxBackwardSeedAOTInput()"},
        {PhiloxBackwardBaseOffsetAOTInput{}, "PhiloxBackwardBaseOffsetAOTInput()"},
        {ForwardTokenAOTInput{0}, "ForwardTokenAOTInput(idx=0)"},
        {BackwardTokenAOTInput{2}, "BackwardTokenAOTInput(idx=2)"},
        {TangentAOTInput{returned}, "TangentAOTInput(output=PlainAOTOutput(idx=1))"},
        {UnknownAOTInput{"NewAOTInput(x=[1, ')'])"}, "NewAOTInput(x=[1, ')'])"}};
    std::set<std::size_t> seen;
    for (const auto& [input, text] : inputs) {
        CHECK(descriptorText(input) == text);
        CHECK(parseInputDescriptor(text) == input);
        seen.insert(input.value.index());
    }
    CHECK(seen.size() == std::variant_size_v<AOTInput::Alternatives>);

    const std::vector<std::pair<AOTOutput, std::string>> outputs = {
        {PlainAOTOutput{0}, "PlainAOTOutput(idx=0)"},
        {InputMutationAOTOutput{plain}, "InputMutationAOTOutput(mutated_input=PlainAOTInput(idx=3))"},
        {IntermediateBaseAOTOutput{returned}, "IntermediateBaseAOTOutput(base_of=PlainAOTOutput(idx=1))"},
        {MetadataMutationAOTOutput{4}, "MetadataMutationAOTOutput(idx=4)"},
        {GradAOTOutput{plain}, "GradAOTOutput(grad_of=PlainAOTInput(idx=3))"},
        {PhiloxUpdatedForwardOffsetAOTOutput{}, "PhiloxUpdatedForwardOffsetAOTOutput()"},
        {PhiloxUpdatedBackwardOffsetAOTOutput{}, "PhiloxUpdatedBackwardOffsetAOTOutput()"},
        {ForwardTokenAOTOutput{0}, "ForwardTokenAOTOutput(idx=0)"},
        {BackwardTokenAOTOutput{0}, "BackwardTokenAOTOutput(idx=0)"},
        {SubclassGetAttrAOTOutput{AOTOutput(GradAOTOutput{plain}), "a"},
         "SubclassGetAttrAOTOutput(base=GradAOTOutput(grad_of=PlainAOTInput(idx=3)), attr='a')"},
        {SubclassSizeAOTOutput{returned, 0}, "SubclassSizeAOTOutput(base=PlainAOTOutput(idx=1), idx=0)"},
        {SubclassStrideAOTOutput{returned, 1}, "SubclassStrideAOTOutput(base=PlainAOTOutput(idx=1), idx=1)"},
        {DummyAOTOutput{7}, "DummyAOTOutput(idx=7)"},
        {SavedForBackwardsAOTOutput{5}, "SavedForBackwardsAOTOutput(idx=5)"},
        {SavedForBackwardsNoVcCheckAOTOutput{6}, "SavedForBackwardsNoVcCheckAOTOutput(idx=6)"},
        {UnknownAOTOutput{"LaterAOTOutput()"}, "LaterAOTOutput()"}};
    seen.clear();
    for (const auto& [output, text] : outputs) {
        CHECK(descriptorText(output) == text);
        CHECK(parseOutputDescriptor(text) == output);
        seen.insert(output.value.index());
    }
    CHECK(seen.size() == std::variant_size_v<AOTOutput::Alternatives>);
}

TEST_CASE("what no torch 2.11 prints is kept as it is, alone or inside") {
    for (const char* text :
         {"PlainAOTInput(idx=0, path='x')", "PlainAOTInput(idx=01)", "PlainAOTInput(idx=0",
          "PlainAOTInput(idx=99999999999999999999)", "ParamAOTInput(target=fc)", "a comment",
          "ParamAOTInput(target='a\\'b')", "PlainAOTOutput(idx=0)", "(", "'"}) {
        CAPTURE(text);
        CHECK(isUnknown(parseInputDescriptor(text)));
        CHECK(descriptorText(parseInputDescriptor(text)) == text);
    }
    const std::string later = "TangentAOTInput(output=LaterAOTOutput(of=PlainAOTOutput(idx=0), b=(1, 'x)')))";
    const AOTInput tangent = parseInputDescriptor(later);
    CHECK(isTangent(tangent));
    REQUIRE(tangent.as<TangentAOTInput>() != nullptr);
    CHECK(isUnknown(*tangent.as<TangentAOTInput>()->output));
    CHECK(descriptorText(tangent) == later);

    std::string deep = "PlainAOTInput(idx=0)";
    for (int i = 0; i < 20'000; ++i) {
        deep = "ViewBaseAOTInput(base_of=" + deep + ")";
    }
    CHECK(descriptorText(parseInputDescriptor(deep)) == deep);
}

TEST_CASE("every descriptor of the corpus is of a known class and reads back" *
          aotscope::test::needsCorpus()) {
    const std::set<std::string> texts = corpusDescriptors();
    std::set<std::string> classes;
    for (const std::string& text : texts) {
        CAPTURE(text);
        classes.insert(text.substr(0, text.find('(')));
        if (text.substr(0, text.find('(')).ends_with("Input")) {
            const AOTInput input = parseInputDescriptor(text);
            CHECK_FALSE(isUnknown(input));
            CHECK(descriptorText(input) == text);
            CHECK(parseInputDescriptor(descriptorText(input)) == input);
        } else {
            const AOTOutput output = parseOutputDescriptor(text);
            CHECK_FALSE(isUnknown(output));
            CHECK(descriptorText(output) == text);
            CHECK(parseOutputDescriptor(descriptorText(output)) == output);
        }
    }
    MESSAGE(texts.size() << " texts of " << classes.size() << " classes");
    CHECK(texts.size() > 1'000);
    CHECK(classes.size() >= 17);
}

TEST_CASE("pieces of subclasses and bases are what they are taken from") {
    const AOTInput size =
        parseInputDescriptor("SubclassSizeAOTInput(base=SubclassGetAttrAOTInput(base="
                             "TangentAOTInput(output=PlainAOTOutput(idx=0)), attr='a'), idx=0)");
    CHECK(isTangent(size));
    CHECK_FALSE(isPrimal(size));
    CHECK_FALSE(flatInputIndex(size));
    CHECK(isParam(SubclassGetAttrAOTInput{AOTInput(ParamAOTInput{"w"}), "a"}));
    // As in PyTorch: a base is no parameter, even of one.
    CHECK_FALSE(isParam(ViewBaseAOTInput{AOTInput(ParamAOTInput{"w"})}));
    CHECK(flatInputIndex(ViewBaseAOTInput{AOTInput(PlainAOTInput{4})}) == 4);
    CHECK(isGrad(parseOutputDescriptor(
        "SubclassGetAttrAOTOutput(base=GradAOTOutput(grad_of=PlainAOTInput(idx=0)), attr='a')")));
    CHECK(isDifferentiable(AOTInput(PlainAOTInput{0})));
    CHECK_FALSE(isDifferentiable(AOTInput(ForwardTokenAOTInput{0})));
    CHECK_FALSE(isDifferentiable(AOTOutput(SavedForBackwardsAOTOutput{0})));
}

TEST_CASE("a graph without descriptors has those that its names and places tell, marked as derived") {
    const GraphPtr graph = parsed(oldJoint);
    std::vector<std::string> inputs;
    for (const NodeId id : graph->placeholders()) {
        REQUIRE(graph->node(id).descriptors.size() == 1);
        CHECK(graph->node(id).descriptors[0].derived);
        inputs.push_back(descriptorText(graph->node(id).descriptors[0]));
    }
    CHECK(inputs == std::vector<std::string>{"PlainAOTInput(idx=0)", "PlainAOTInput(idx=1)",
                                             "PlainAOTInput(idx=2)",
                                             "TangentAOTInput(output=PlainAOTOutput(idx=0))"});
    std::vector<std::string> outputs;
    for (const Descriptor& descriptor : graph->node(*graph->output()).descriptors) {
        CHECK(descriptor.derived);
        outputs.push_back(descriptorText(descriptor));
    }
    // The zeros are a gradient, although no tangent reaches them.
    CHECK(outputs == std::vector<std::string>{"PlainAOTOutput(idx=0)",
                                              "GradAOTOutput(grad_of=PlainAOTInput(idx=0))",
                                              "GradAOTOutput(grad_of=PlainAOTInput(idx=1))", "None"});
    CHECK(isJointGraph(*graph));

    // Text never shows them; JSON says what they are.
    const std::string text = printGraph(*graph).text;
    CHECK(text.find("AOT") == std::string::npos);
    CHECK(equalGraphs(*graph, *parsed(text)));
    const std::string json = graphToJson(*graph);
    CHECK(json.find("\"desc_derived\": true") != std::string::npos);
    const auto read = graphFromJson(json);
    REQUIRE(read);
    CHECK(equalGraphs(*graph, **read));
    CHECK(printGraph(**read).text == text);
}

TEST_CASE("derived descriptors follow an edit, stated ones stay") {
    const GraphPtr graph = parsed(oldJoint);
    GraphBuilder copy(*graph);
    for (const NodeId id : graph->placeholders()) {
        copy.rename(id, "x" + std::to_string(id.index()));
    }
    const GraphPtr renamed = copy.finish();
    CHECK_FALSE(isJointGraph(*renamed));
    for (const NodeId id : renamed->placeholders()) {
        CHECK(renamed->node(id).descriptors.empty());
    }

    GraphBuilder stated(*graph);
    stated.editMeta(graph->placeholders()[0]).descriptors = {{ParamAOTInput{"w"}}};
    const GraphPtr frozen = stated.finish();
    CHECK(frozen->node(frozen->placeholders()[0]).descriptors[0].isStated());
    CHECK(frozen->node(frozen->placeholders()[1]).descriptors.empty());
}

TEST_CASE("gradients that need no tangent are told by their number") {
    // The backward of sgn and angle: zeros, and nothing for the size. There is no node that needs a tangent.
    const GraphPtr graph = parsed(R"python(
def forward(self, primals_1: "Sym(s0)", primals_2: "f32[s0][1]cpu", tangents_1: "f32[s0][1]cpu"):
    sgn: "f32[s0][1]cpu" = torch.ops.aten.sgn.default(primals_2);  primals_2 = None
    full: "f32[s0][1]cpu" = torch.ops.aten.full.default([primals_1], 0.0);  primals_1 = None
    return (sgn, None, full)
)python");
    const Node& output = graph->node(*graph->output());
    REQUIRE(output.descriptors.size() == 3);
    const AOTOutput* result = outputDescriptor(output, 0);
    REQUIRE(result != nullptr);
    CHECK_FALSE(isOfBackward(*result));
    const AOTOutput* gradient = outputDescriptor(output, 2);
    REQUIRE(gradient != nullptr);
    CHECK(isOfBackward(*gradient));
}

TEST_CASE("graphs of a log without descriptors get those that the same graphs are logged with" *
          aotscope::test::needsCorpus()) {
    std::size_t compared = 0;
    aotscope::test::forEachGoldenGraph([&](aotscope::test::GoldenGraph& golden) {
        const auto read = graphFromJson(golden.json.dump());
        REQUIRE(read);
        if (!isJointGraph(**read)) {
            return;
        }
        GraphBuilder bare(**read);
        for (const NodeId id : (*read)->order()) {
            bare.editMeta(id).descriptors.clear();
        }
        const GraphPtr derived = bare.finish();
        const auto roles = [](const Graph& graph) {
            std::string text;
            for (const NodeId id : graph.placeholders()) {
                text += isTangentOrBackwardToken(graph.node(id)) ? 't' : 'p';
            }
            const Node& output = graph.node(*graph.output());
            for (std::size_t i = 0; i < output.descriptors.size(); ++i) {
                const AOTOutput* returned = outputDescriptor(output, i);
                // A gradient may be None with its descriptor, as in detach_none_grads, or without one.
                text += returned == nullptr || isOfBackward(*returned) ? 'b' : 'f';
            }
            return text;
        };
        CAPTURE(golden.where);
        CHECK(roles(*derived) == roles(**read));
        ++compared;
    });
    CHECK(compared > 60);
}
