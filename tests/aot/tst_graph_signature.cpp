#include "aot/graph_signature.h"

#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/text/descriptor_text.h"

#include "support/corpus_case.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>

using namespace aotscope;
using aot::InputKind;
using aot::OutputKind;
using Json = nlohmann::ordered_json;

namespace {

/// PyTorch's own signatures, each with its file.
std::vector<std::pair<std::string, Json>> signatureFiles() {
    std::vector<std::pair<std::string, Json>> files;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "pt2")) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".signature.json")) {
            files.emplace_back(name, Json::parse(test::readFile(entry.path())));
        }
    }
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return files;
}

/// Calls `visit(where, specs)` for each ExportGraphSignature of the files.
template<typename Visit>
std::size_t forEachSignature(Visit&& visit) {
    std::size_t count = 0;
    for (const auto& [name, file] : signatureFiles()) {
        for (const Json::json_pointer& path :
             {Json::json_pointer("/signature"), Json::json_pointer("/functional/signature"),
              Json::json_pointer("/export_forward_backward/signature")}) {
            if (file.contains(path)) {
                visit(name + path.to_string(), file[path]);
                ++count;
            }
        }
    }
    return count;
}

std::vector<std::string> strings(const Json& list) {
    return list.get<std::vector<std::string>>();
}

using Names = std::vector<std::pair<std::string, std::string>>;

Names namesOf(const Json& map) {
    Names names;
    for (const auto& [key, value] : map.items()) {
        names.emplace_back(key, value.get<std::string>());
    }
    return names;
}

/// The node names of the specs of a kind, each with its target.
template<typename Spec, typename Kind>
Names namesTo(const std::vector<Spec>& specs, Kind kind) {
    Names names;
    for (const Spec& spec : specs) {
        if (spec.kind == kind) {
            names.emplace_back(aot::argumentName(spec.arg), spec.target.value_or(""));
        }
    }
    return names;
}

template<typename Spec, typename Kind>
std::vector<std::string> argumentsOf(const std::vector<Spec>& specs, Kind kind) {
    std::vector<std::string> arguments;
    for (const auto& [argument, target] : namesTo(specs, kind)) {
        arguments.push_back(argument);
    }
    return arguments;
}

template<typename Spec, typename Kind>
std::vector<std::string> targetsOf(const std::vector<Spec>& specs, Kind kind) {
    std::vector<std::string> targets;
    for (const auto& [argument, target] : namesTo(specs, kind)) {
        targets.push_back(target);
    }
    return targets;
}

/// The loss is one of them.
std::vector<std::string> userOutputs(const aot::GraphSignature& signature) {
    std::vector<aot::OutputSpec> outputs = signature.outputSpecs;
    for (aot::OutputSpec& output : outputs) {
        output.kind = output.kind == OutputKind::LossOutput ? OutputKind::UserOutput : output.kind;
    }
    return argumentsOf(outputs, OutputKind::UserOutput);
}

ir::GraphPtr graphOf(const Json& json) {
    auto graph = ir::graphFromJson(json.dump());
    REQUIRE_MESSAGE(graph, (graph ? std::string() : graph.error().text()));
    return *graph;
}

/// The graph, with the parameters and buffers that aot_export_module lifts as its first inputs.
ir::GraphPtr withLifted(const ir::Graph& graph, const Json& signature) {
    std::vector<ir::AOTInput> lifted;
    for (const std::string& name : strings(signature["parameters"])) {
        lifted.emplace_back(ir::ParamAOTInput{name});
    }
    for (const std::string& name : strings(signature["buffers"])) {
        lifted.emplace_back(ir::BufferAOTInput{name});
    }
    const auto named = [&](const ir::AOTInput& input) {
        const auto* plain = input.as<ir::PlainAOTInput>();
        REQUIRE(plain != nullptr);
        const auto index = static_cast<std::size_t>(plain->idx);
        return index < lifted.size() ? lifted[index] : input;
    };
    ir::GraphBuilder copy(graph);
    for (const ir::NodeId id : graph.placeholders()) {
        copy.editMeta(id).descriptors = {{named(*ir::inputDescriptor(graph.node(id)))}};
    }
    for (ir::Descriptor& descriptor : copy.editMeta(*graph.output()).descriptors) {
        const auto* output = descriptor.output();
        if (const auto* mutation = output == nullptr ? nullptr : output->as<ir::InputMutationAOTOutput>()) {
            descriptor = {ir::AOTOutput(ir::InputMutationAOTOutput{named(*mutation->mutatedInput)})};
        }
    }
    return copy.finish();
}

/// Metadata for a graph with so many inputs and outputs, of which the first `lifted` are lifted and the first
/// `mutated` are mutated.
ir::ViewAndMutationMeta metadataOf(std::size_t inputs, std::size_t outputs,
                                   const std::vector<std::size_t>& requireGrad,
                                   const std::vector<std::size_t>& mutated) {
    ir::ViewAndMutationMeta metadata;
    metadata.inputInfo.resize(inputs);
    metadata.outputInfo.resize(outputs);
    for (const std::size_t index : requireGrad) {
        metadata.inputInfo[index].requiresGrad = true;
    }
    for (const std::size_t index : mutated) {
        metadata.inputInfo[index].mutatesData = true;
        metadata.inputInfo[index].mutationsHiddenFromAutograd = false;
    }
    return metadata;
}

} // namespace

TEST_CASE("every signature of the corpus is read, written and printed as PyTorch prints it" *
          test::needsCorpus()) {
    const std::size_t count = forEachSignature([](const std::string& where, const Json& specs) {
        CAPTURE(where);
        const auto signature = aot::signatureFromJson(specs.dump());
        REQUIRE_MESSAGE(signature, (signature ? std::string() : signature.error().text()));
        const auto again = aot::signatureFromJson(aot::signatureToJson(*signature));
        REQUIRE(again);
        CHECK(*again == *signature);
        CHECK(Json::parse(aot::signatureToJson(*signature)) == specs);
    });
    CHECK(count >= 20);
    std::size_t printed = 0;
    for (const auto& [name, file] : signatureFiles()) {
        if (!file.contains("str")) {
            continue;
        }
        CAPTURE(name);
        const auto signature = aot::signatureFromJson(file["signature"].dump());
        REQUIRE(signature);
        const std::string text = file["str"];
        const std::string head = "Graph signature: ";
        const std::size_t from = text.find(head) + head.size();
        std::string expected = text.substr(from, text.find("Range constraints:") - from);
        for (std::size_t at = 0; (at = expected.find("\n    ", at)) != std::string::npos; ++at) {
            expected.erase(at + 1, 4);
        }
        // ExportedProgram.__str__ ends the line after it.
        CHECK(aot::signatureText(*signature) + "\n" == expected);
        ++printed;
    }
    CHECK(printed >= 10);
}

TEST_CASE("an exported forward has the signature that aot_export_module gives it" * test::needsCorpus()) {
    std::size_t compared = 0;
    for (const auto& [name, file] : signatureFiles()) {
        if (!file.contains("aot_export_module_inference")) {
            continue;
        }
        CAPTURE(name);
        const Json& exported = file["aot_export_module_inference"];
        const Json& expected = exported["graph_signature"];
        const ir::GraphPtr graph = withLifted(*graphOf(exported["graph"]), expected);
        const auto signature = aot::makeSignature(*graph, nullptr);
        REQUIRE_MESSAGE(signature, (signature ? std::string() : signature.error().text()));
        CHECK(targetsOf(signature->inputSpecs, InputKind::Parameter) == strings(expected["parameters"]));
        CHECK(targetsOf(signature->inputSpecs, InputKind::Buffer) == strings(expected["buffers"]));
        CHECK(argumentsOf(signature->inputSpecs, InputKind::UserInput) == strings(expected["user_inputs"]));
        CHECK(userOutputs(*signature) == strings(expected["user_outputs"]));
        CHECK(namesTo(signature->inputSpecs, InputKind::Parameter) ==
              namesOf(expected["inputs_to_parameters"]));
        CHECK(namesTo(signature->inputSpecs, InputKind::Buffer) == namesOf(expected["inputs_to_buffers"]));
        CHECK(namesTo(signature->outputSpecs, OutputKind::BufferMutation) ==
              namesOf(expected["buffers_to_mutate"]));
        CHECK(namesTo(signature->outputSpecs, OutputKind::ParameterMutation) ==
              namesOf(expected["parameters_to_mutate"]));
        CHECK(namesTo(signature->outputSpecs, OutputKind::UserInputMutation) ==
              namesOf(expected["user_inputs_to_mutate"]));
        CHECK(argumentsOf(signature->inputSpecs, InputKind::Token) == strings(expected["input_tokens"]));
        CHECK(argumentsOf(signature->outputSpecs, OutputKind::Token) == strings(expected["output_tokens"]));
        CHECK(argumentsOf(signature->outputSpecs, OutputKind::LossOutput).empty());
        ++compared;
    }
    CHECK(compared >= 2);
}

TEST_CASE("an exported joint graph has the signature that aot_export_module gives it, by descriptors and by "
          "places" *
          test::needsCorpus()) {
    std::size_t compared = 0;
    for (const auto& [name, file] : signatureFiles()) {
        if (!file.contains("aot_export_module")) {
            continue;
        }
        CAPTURE(name);
        const Json& expected = file["aot_export_module"]["graph_signature"];
        const Json& gradients = expected["backward_signature"]["gradients_to_parameters"];
        aot::SignatureOptions options;
        options.lossOutput = 0;

        // The joint graph before tangents are taken out: its gradients come in the same order.
        const auto described =
            aot::makeSignature(*graphOf(file["joint_with_descriptors"]["graph"]), nullptr, options);
        REQUIRE_MESSAGE(described, (described ? std::string() : described.error().text()));
        CHECK(targetsOf(described->inputSpecs, InputKind::Parameter) == strings(expected["parameters"]));
        CHECK(targetsOf(described->inputSpecs, InputKind::Buffer) == strings(expected["buffers"]));
        const auto made = targetsOf(described->outputSpecs, OutputKind::GradientToParameter);
        CHECK(made.size() == gradients.size());
        std::size_t next = 0;
        for (const auto& [gradient, parameter] : gradients.items()) {
            CHECK(made.at(next++) == parameter.get<std::string>());
        }

        // The exported graph, whose outputs have no descriptors: their places tell.
        const ir::GraphPtr graph = withLifted(*graphOf(file["aot_export_module"]["graph"]), expected);
        const std::size_t parameters = expected["parameters"].size();
        const std::size_t buffers = expected["buffers"].size();
        std::vector<std::size_t> requireGrad(parameters);
        std::iota(requireGrad.begin(), requireGrad.end(), 0U);
        std::vector<std::size_t> mutated(expected["buffers_to_mutate"].size());
        std::iota(mutated.begin(), mutated.end(), parameters);
        REQUIRE(mutated.size() <= buffers);
        const ir::ViewAndMutationMeta metadata =
            metadataOf(graph->placeholders().size(), expected["user_outputs"].size(), requireGrad, mutated);
        const auto placed = aot::makeSignature(*graph, &metadata, options);
        REQUIRE_MESSAGE(placed, (placed ? std::string() : placed.error().text()));
        CHECK(argumentsOf(placed->inputSpecs, InputKind::UserInput) == strings(expected["user_inputs"]));
        CHECK(userOutputs(*placed) == strings(expected["user_outputs"]));
        CHECK(namesTo(placed->inputSpecs, InputKind::Parameter) == namesOf(expected["inputs_to_parameters"]));
        CHECK(namesTo(placed->inputSpecs, InputKind::Buffer) == namesOf(expected["inputs_to_buffers"]));
        CHECK(namesTo(placed->outputSpecs, OutputKind::BufferMutation) ==
              namesOf(expected["buffers_to_mutate"]));
        const auto loss = argumentsOf(placed->outputSpecs, OutputKind::LossOutput);
        REQUIRE(loss.size() == 1);
        CHECK(namesTo(placed->outputSpecs, OutputKind::GradientToParameter) == namesOf(gradients));
        CHECK(namesTo(placed->outputSpecs, OutputKind::GradientToUserInput) ==
              namesOf(expected["backward_signature"]["gradients_to_user_inputs"]));
        // PyTorch counts the loss among all outputs of the graph, which begin with what is mutated.
        CHECK(loss[0] == expected["user_outputs"][0].get<std::string>());
        if (mutated.empty()) {
            CHECK(loss[0] == expected["backward_signature"]["loss_output"].get<std::string>());
        }
        CHECK(*aot::signatureFromJson(aot::signatureToJson(*placed)) == *placed);
        ++compared;
    }
    CHECK(compared >= 2);
}

TEST_CASE("what has no place in a signature is said") {
    ir::GraphBuilder graph;
    ir::Node input;
    input.name = "x";
    input.op = ir::Opcode::Placeholder;
    input.value = ir::TensorMeta{};
    const ir::NodeId x = graph.append(ir::Node(input));
    ir::Node output;
    output.name = "output";
    output.op = ir::Opcode::Output;
    output.args = {ir::TupleArgument{{x}}};
    graph.append(ir::Node(output));
    const auto codeOf = [](ir::GraphBuilder made, const ir::ViewAndMutationMeta* metadata = nullptr) {
        const auto signature = aot::makeSignature(*made.finish(), metadata);
        return signature ? std::string() : signature.error().message;
    };
    CHECK(codeOf(graph).find("The input x has no descriptor") == 0);
    graph.editMeta(x).descriptors = {ir::parsePlaceholderDescriptor("PhiloxForwardSeedAOTInput()")};
    CHECK(codeOf(graph).find("PhiloxForwardSeedAOTInput()") != std::string::npos);
    graph.editMeta(x).descriptors = {ir::parsePlaceholderDescriptor("PlainAOTInput(idx=0)")};
    CHECK(codeOf(graph).find("have no descriptors") != std::string::npos);
    const ir::ViewAndMutationMeta two = metadataOf(1, 2, {}, {});
    CHECK(codeOf(graph, &two).find("returns 1 values, but its metadata describes 2") != std::string::npos);
    graph.editMeta(*graph.output()).descriptors = {
        ir::parseReturnedDescriptor("InputMutationAOTOutput(mutated_input=PlainAOTInput(idx=0))")};
    const ir::ViewAndMutationMeta none = metadataOf(1, 0, {}, {});
    CHECK(codeOf(graph, &none).find("returns 1 mutated inputs") != std::string::npos);
    const ir::ViewAndMutationMeta one = metadataOf(1, 0, {}, {0});
    CHECK(codeOf(graph, &one).empty());

    for (
        const char* wrong :
        {R"({"input_specs": []})", R"({"input_specs": [{"kind": "X"}], "output_specs": []})",
         R"({"input_specs": [{"kind": "BUFFER", "arg": {"class": "TensorArgument", "name": "b"}, "target": "b"}], "output_specs": []})",
         R"({"input_specs": [{"kind": "USER_INPUT", "arg": {"class": "NewArgument", "name": "b"}}], "output_specs": []})",
         R"({"input_specs": [], "output_specs": [{"kind": "LOSS_OUTPUT", "arg": {"class": "TensorArgument", "name": "a"}}, {"kind": "LOSS_OUTPUT", "arg": {"class": "TensorArgument", "name": "b"}}]})"}) {
        const auto signature = aot::signatureFromJson(wrong);
        REQUIRE_FALSE(signature);
        CHECK(signature.error().code == "aot.signature");
    }
}

TEST_CASE("constants, symbols, tokens and objects keep what they are") {
    aot::GraphSignature signature;
    signature.inputSpecs = {
        {aot::InputKind::Token, aot::TokenArgument{"token"}},
        {aot::InputKind::CustomObj, aot::CustomObjArgument{"obj", "__torch__.Queue"}, "queue"},
        {aot::InputKind::UserInput, aot::SymIntArgument{"s0"}},
        {aot::InputKind::UserInput, aot::SymFloatArgument{"f"}},
        {aot::InputKind::UserInput, aot::SymBoolArgument{"b"}}};
    for (const aot::ConstantValue& value :
         {aot::ConstantValue(), aot::ConstantValue(true), aot::ConstantValue(std::int64_t(3)),
          aot::ConstantValue(2.5), aot::ConstantValue(std::string("mean"))}) {
        signature.outputSpecs.push_back({aot::OutputKind::UserOutput, aot::ConstantArgument{"", value}});
    }
    const auto read = aot::signatureFromJson(aot::signatureToJson(signature));
    REQUIRE(read);
    CHECK(*read == signature);
    CHECK(argumentsOf(read->inputSpecs, InputKind::Token) == std::vector<std::string>{"token"});
    CHECK(namesTo(read->inputSpecs, InputKind::CustomObj) == Names{{"obj", "queue"}});
    CHECK(argumentsOf(read->inputSpecs, InputKind::UserInput) == std::vector<std::string>{"s0", "f", "b"});
    CHECK(std::get<aot::ConstantArgument>(read->outputSpecs[2].arg).value ==
          aot::ConstantValue(std::int64_t(3)));
}

TEST_CASE("a signature stays true while its graph is edited") {
    // The graph returns sin and x.
    ir::GraphBuilder graph;
    const auto append = [&graph](std::string name, ir::Opcode op, ir::Arguments args) {
        ir::Node node;
        node.name = std::move(name);
        node.op = op;
        node.args = std::move(args);
        return graph.append(std::move(node));
    };
    const ir::NodeId x = append("x", ir::Opcode::Placeholder, {});
    const ir::NodeId sin = append("sin", ir::Opcode::CallFunction, {x});
    const ir::NodeId cos = append("cos", ir::Opcode::CallFunction, {x});
    append("output", ir::Opcode::Output, {ir::TupleArgument{{sin, x}}});
    aot::GraphSignature outputs{
        .inputSpecs = {{.kind = aot::InputKind::UserInput, .arg = aot::TensorArgument{"x"}}},
        .outputSpecs = {{.kind = aot::OutputKind::UserOutput, .arg = aot::TensorArgument{"sin"}},
                        {.kind = aot::OutputKind::UserOutput,
                         .arg = aot::ConstantArgument{.name = "sin", .value = std::int64_t(1)}}}};
    aot::GraphSignature both = outputs;
    graph.addReplaceHook(outputs.replaceHook());
    graph.addReplaceHook(both.replaceHook(true));

    graph.replaceAllUses(sin, cos);
    graph.erase(sin);
    CHECK(aot::argumentName(outputs.outputSpecs[0].arg) == "cos");
    graph.rename(cos, "result");
    for (const aot::GraphSignature* signature : {&outputs, &both}) {
        CHECK(aot::argumentName(signature->outputSpecs[0].arg) == "result");
        CHECK(aot::argumentName(signature->outputSpecs[1].arg) == "sin");
        CHECK(aot::argumentName(signature->inputSpecs[0].arg) == "x");
    }
    const ir::GraphPtr finished = graph.finish();
    CHECK(finished->tryFind("result") == cos);
    CHECK(finished->users(cos).size() == 1);
}

TEST_CASE("a signature follows a renamed input where it is wanted") {
    for (const bool replaceInputs : {false, true}) {
        ir::GraphBuilder graph;
        ir::Node node;
        node.name = "x";
        node.op = ir::Opcode::Placeholder;
        const ir::NodeId x = graph.append(ir::Node(node));
        node.name = "sin";
        node.op = ir::Opcode::CallFunction;
        node.args = {x};
        graph.append(ir::Node(node));
        aot::GraphSignature signature{
            .inputSpecs = {{.kind = aot::InputKind::UserInput, .arg = aot::TensorArgument{"x"}}},
            .outputSpecs = {}};
        graph.addReplaceHook(signature.replaceHook(replaceInputs));
        graph.rename(x, "renamed");
        CHECK(aot::argumentName(signature.inputSpecs[0].arg) == (replaceInputs ? "renamed" : "x"));
    }
}
