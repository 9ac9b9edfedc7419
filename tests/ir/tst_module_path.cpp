#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/module_path.h"
#include "ir/module_source.h"
#include "ir/text/descriptor_text.h"
#include "support/corpus_case.h"

#include "ir/golden.h"

#include <doctest/doctest.h>

using namespace aotscope::ir;

namespace {

struct Unit {
    GraphPtr dynamo;
    GraphPtr joint;
    std::vector<std::string> sources;
};

Unit firstUnit(const std::string& file) {
    Unit unit;
    for (aotscope::test::GoldenGraph& golden :
         aotscope::test::goldenGraphs(aotscope::test::corpusDir() / "golden" / file)) {
        const bool dynamo = golden.where == file + ":/units/0/dynamo";
        if (dynamo || golden.where == file + ":/units/0/joint") {
            const auto graph = graphFromJson(golden.json.dump());
            REQUIRE(graph);
            (dynamo ? unit.dynamo : unit.joint) = *graph;
        }
    }
    REQUIRE(unit.dynamo);
    REQUIRE(unit.joint);
    for (const NodeId id : unit.dynamo->placeholders()) {
        unit.sources.push_back(unit.dynamo->node(id).inputSource);
    }
    return unit;
}

std::string pathOf(const Graph& graph, const ModulePaths& paths, std::string_view name) {
    const std::optional<NodeId> id = graph.tryFind(name);
    REQUIRE_MESSAGE(id.has_value(), std::string(name));
    return paths.ofNode[id->index()].path;
}

/// The first call of `target` that uses, directly or through views of it, the value of placeholder source.
std::string pathOfUser(const Unit& unit, const ModulePaths& paths, std::string_view source,
                       std::string_view target) {
    const auto found = std::find_if(unit.sources.begin(), unit.sources.end(), [&](const std::string& text) {
        return text.find(source) != std::string::npos;
    });
    REQUIRE_MESSAGE(found != unit.sources.end(), std::string(source));
    const NodeId parameter =
        unit.joint->placeholders()[static_cast<std::size_t>(found - unit.sources.begin())];
    std::vector<NodeId> reached{parameter};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const NodeId user : unit.joint->users(reached[i])) {
            if (unit.joint->node(user).target == target) {
                return paths.ofNode[user.index()].path;
            }
            if (unit.joint->inputs(user).size() == 1) {
                reached.push_back(user);
            }
        }
    }
    FAIL("nobody uses " << std::string(source));
    return {};
}

} // namespace

TEST_CASE("owners are read from sources, mangled names and descriptors") {
    const auto owner = [](std::string_view source) {
        const auto value = detail::ownedValueFromSource(source);
        return value ? value->path + " " + value->name : std::string("none");
    };
    const auto ownerOf = [](const AOTInput& input) {
        const auto value = detail::ownedValueOf(input);
        return value ? value->path + " " + value->name : std::string("none");
    };
    CHECK(owner("L['self']._modules['layers']._modules['0']._parameters['weight']") == "layers.0 weight");
    CHECK(owner("L['self']._modules['bn']._buffers['running_mean']") == "bn running_mean");
    CHECK(owner("L['self']._parameters['scale']") == " scale");
    CHECK(owner("L_self_modules_layers_modules_0_modules_attn_parameters_weight_") == "layers.0.attn weight");
    CHECK(owner("l_fn_modules_self_attn_parameters_in_proj_bias_") == "self_attn in_proj_bias");
    CHECK(owner("L_self_parameters_scale_") == " scale");
    CHECK(ownerOf(ParamAOTInput{"block.fc1.weight"}) == "block.fc1 weight");
    CHECK(ownerOf(BufferAOTInput{"mask"}) == " mask");
    CHECK(owner("L['x']") == "none");
    CHECK(owner("L_x_") == "none");
    CHECK(ownerOf(PlainAOTInput{0}) == "none");
    CHECK(owner("") == "none");
    CHECK(owner("L['a']._modules['") == "none");
}

TEST_CASE("a line's owner is the module whose code it is") {
    const detail::OwnedValue weight{"block.fc1", "weight"};
    CHECK(detail::lineOwner(weight, "return F.linear(x, self.weight, self.bias)") == "block.fc1");
    CHECK(detail::lineOwner(weight, "x = self.act(self.fc1(x))") == "block");
    CHECK(detail::lineOwner(weight, "x = self.block(x)") == "");
    CHECK(detail::lineOwner({"net.layers.3", "weight"}, "x = layer(x)") == "net");
    CHECK_FALSE(detail::lineOwner(weight, "x = self.fc12(x)").has_value());
}

TEST_CASE("common paths end at whole components") {
    CHECK(detail::commonPath("a.b.c", "a.b.d") == "a.b");
    CHECK(detail::commonPath("a.b", "a.bc") == "a");
    CHECK(detail::commonPath("a.b", "a.b.c") == "a.b");
    CHECK(detail::commonPath("a", "b").empty());
    CHECK(detail::commonPath("", "b").empty());
}

TEST_CASE("a transformer's projections are in their modules, forward and backward" *
          aotscope::test::needsCorpus()) {
    const Unit unit = firstUnit("gpt2_2l.json.xz");
    const ModulePaths paths = deriveModulePaths(*unit.joint, unit.sources);
    for (const std::string layer : {"0", "1"}) {
        CAPTURE(layer);
        const std::string prefix = "_modules['transformer']._modules['h']._modules['" + layer + "']";
        const std::string module = "transformer.h." + layer;
        CHECK(pathOfUser(unit, paths, prefix + "._modules['attn']._modules['c_attn']._parameters['weight']",
                         "aten.addmm.default") == module + ".attn.c_attn");
        CHECK(pathOfUser(unit, paths, prefix + "._modules['mlp']._modules['c_proj']._parameters['weight']",
                         "aten.addmm.default") == module + ".mlp.c_proj");
        CHECK(pathOfUser(unit, paths, prefix + "._modules['ln_1']._parameters['weight']",
                         "aten.native_layer_norm.default") == module + ".ln_1");
        // Its backward, which uses the transposed weight.
        CHECK(pathOfUser(unit, paths, prefix + "._modules['mlp']._modules['c_proj']._parameters['weight']",
                         "aten.mm.default") == module + ".mlp.c_proj");
        CHECK(pathOfUser(unit, paths, prefix + "._modules['ln_1']._parameters['weight']",
                         "aten.native_layer_norm_backward.default") == module + ".ln_1");
    }
    // Attention proper lies between the two projections.
    for (const NodeId id : unit.joint->order()) {
        if (unit.joint->node(id).target == "aten._softmax.default") {
            const std::string path = paths.ofNode[id.index()].path;
            CAPTURE(path);
            CHECK((path == "transformer.h.0.attn" || path == "transformer.h.1.attn"));
        }
    }
}

TEST_CASE("convolutions and batch norms of a residual network are in their blocks" *
          aotscope::test::needsCorpus()) {
    const Unit unit = firstUnit("resnet18.json.xz");
    const ModulePaths paths = deriveModulePaths(*unit.joint, unit.sources);
    const std::string block = "_modules['layer2']._modules['0']";
    CHECK(pathOfUser(unit, paths, block + "._modules['conv1']._parameters['weight']",
                     "aten.convolution.default") == "layer2.0.conv1");
    CHECK(pathOfUser(unit, paths, block + "._modules['downsample']._modules['0']._parameters['weight']",
                     "aten.convolution.default") == "layer2.0.downsample.0");
    CHECK(pathOfUser(unit, paths, block + "._modules['conv1']._parameters['weight']",
                     "aten.convolution_backward.default") == "layer2.0.conv1");
    // relu of a block lies between its modules.
    std::size_t inBlocks = 0;
    for (const NodeId id : unit.joint->order()) {
        if (unit.joint->node(id).target == "aten.relu_.default" ||
            unit.joint->node(id).target == "aten.relu.default") {
            inBlocks += paths.ofNode[id.index()].path.rfind("layer", 0) == 0 ? 1 : 0;
        }
    }
    CHECK(inBlocks >= 8);
}

TEST_CASE("Dynamo graphs need no sources beside the placeholders' own" * aotscope::test::needsCorpus()) {
    const Unit unit = firstUnit("transformer_encoder_layer.json");
    const ModulePaths paths = deriveModulePaths(*unit.dynamo);
    CHECK(pathOf(*unit.dynamo, paths, "multi_head_attention_forward").rfind("self_attn", 0) == 0);
    CHECK(pathOf(*unit.dynamo, paths, "x_1") == "norm1");
    CHECK(pathOf(*unit.dynamo, paths, "linear") == "linear1");
    CHECK(pathOf(*unit.dynamo, paths, "relu").empty());

    // The same from the names alone.
    GraphBuilder nameless(*unit.dynamo);
    for (const NodeId id : unit.dynamo->placeholders()) {
        nameless.editMeta(id).inputSource.clear();
    }
    const GraphPtr graph = nameless.finish();
    const ModulePaths fromNames = deriveModulePaths(*graph);
    for (const NodeId id : graph->order()) {
        CAPTURE(graph->node(id).name);
        CHECK(fromNames.ofNode[id.index()].path == paths.ofNode[id.index()].path);
    }
}

TEST_CASE("source lines tell calls of the same code apart, backward too") {
    // Two blocks run the same two lines; the second adds a residual after its last parameter.
    GraphBuilder graph;
    const auto node = [&](std::string name, std::string target, Arguments args, int line, std::string code) {
        Node made;
        made.name = std::move(name);
        made.target = std::move(target);
        made.args = std::move(args);
        if (line > 0) {
            made.origin = std::make_shared<const NodeOrigin>(NodeOrigin{
                SourceLocation{"block.py", line, "forward", std::move(code)}, false, {}, {}, {}, {}});
        }
        return graph.append(std::move(made));
    };
    const auto input = [&](std::string name, std::string_view descriptor) {
        Node made;
        made.name = std::move(name);
        made.op = Opcode::Placeholder;
        made.descriptors = {parsePlaceholderDescriptor(descriptor)};
        return graph.append(std::move(made));
    };
    const NodeId x = input("primals_1", "PlainAOTInput(idx=0)");
    const NodeId first = input("primals_2", "PlainAOTInput(idx=1)");
    const NodeId second = input("primals_3", "PlainAOTInput(idx=2)");
    const NodeId tangent = input("tangents_1", "TangentAOTInput(output=PlainAOTOutput(idx=0))");
    const NodeId mm = node("mm", "aten.mm.default", {x, first}, 3, "y = self.fc(x)");
    const NodeId add = node("add", "aten.add.Tensor", {x, mm}, 4, "return x + y");
    const NodeId mm1 = node("mm_1", "aten.mm.default", {add, second}, 3, "y = self.fc(x)");
    const NodeId add1 = node("add_1", "aten.add.Tensor", {add, mm1}, 4, "return x + y");
    const NodeId mulBack = node("mul", "aten.mul.Tensor", {tangent, std::int64_t(1)}, 4, "return x + y");
    const NodeId mmBack = node("mm_2", "aten.mm.default", {mulBack, second}, 3, "y = self.fc(x)");
    const NodeId addBack = node("add_2", "aten.add.Tensor", {mulBack, mmBack}, 4, "return x + y");
    const NodeId mmBack1 = node("mm_3", "aten.mm.default", {addBack, first}, 3, "y = self.fc(x)");
    Node output;
    output.name = "output";
    output.op = Opcode::Output;
    output.args = {TupleArgument{{add1, mmBack1}}};
    output.descriptors = {parseReturnedDescriptor("PlainAOTOutput(idx=0)"),
                          parseReturnedDescriptor("GradAOTOutput(grad_of=PlainAOTInput(idx=0))")};
    graph.append(std::move(output));
    const GraphPtr frozen = graph.finish();
    const ModulePaths paths =
        deriveModulePaths(*frozen, {"L['x']", "L['self']._modules['b0']._modules['fc']._parameters['weight']",
                                    "L['self']._modules['b1']._modules['fc']._parameters['weight']"});
    CHECK(pathOf(*frozen, paths, "mm") == "b0.fc");
    CHECK(pathOf(*frozen, paths, "add") == "b0");
    CHECK(pathOf(*frozen, paths, "mm_1") == "b1.fc");
    CHECK(pathOf(*frozen, paths, "add_1") == "b1");
    CHECK(pathOf(*frozen, paths, "mul") == "b1");
    CHECK(pathOf(*frozen, paths, "mm_2") == "b1.fc");
    // The sum of the gradients of what the second block takes, both of which it computes.
    CHECK(pathOf(*frozen, paths, "add_2") == "b1");
    CHECK(pathOf(*frozen, paths, "mm_3") == "b0.fc");
    CHECK(paths.ofNode[mm.index()].derived);
}

TEST_CASE("a recorded module stack is taken as it is") {
    GraphBuilder graph;
    Node node;
    node.name = "relu";
    node.modulePath = "encoder.act";
    graph.append(std::move(node));
    const ModulePaths paths = deriveModulePaths(*graph.finish());
    CHECK(paths.ofNode[0].path == "encoder.act");
    CHECK_FALSE(paths.ofNode[0].derived);
}
