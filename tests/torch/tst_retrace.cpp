#include "run_support.h"

#include "app/expected_table.h"

#include "aot/compiled_function_json.h"
#include "evidence/grad_mode.h"
#include "ir/compare/aot_metadata_compare.h"
#include "ir/compare/first_difference.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/json/graph_json.h"
#include "support/corpus_case.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

/// The inputs' facts from a golden file.
std::vector<aot::RetraceInput> inputsOf(const Json& unit) {
    std::vector<aot::RetraceInput> inputs;
    for (const Json& example : unit["example_inputs"]) {
        aot::RetraceInput input;
        input.requiresGrad = example.value("requires_grad", false);
        input.isParameter = example.value("parameter", false);
        input.storageOffset = example.value("storage_offset", 0);
        inputs.push_back(input);
    }
    return inputs;
}

/// Checks where the partitioner may put each node.
void checkTags(const std::string& name, const ir::Graph& made, const ir::Graph& expected) {
    for (std::size_t i = 0; i < made.order().size(); ++i) {
        const ir::Node& ours = made.node(made.order()[i]);
        const ir::Node& theirs = expected.node(expected.order()[i]);
        if (theirs.op != ir::Opcode::Output) {
            CHECK_MESSAGE(ours.partitionerTag == theirs.partitionerTag, name << ": " << theirs.name);
        }
    }
}

/// Compares wrappers with PyTorch's as far as the golden file has their inputs, and checks that a compile can
/// be written and read back.
void checkFunction(const std::string& name, const Json& unit, const aot::CompiledFunction& function) {
    INFO(name);
    const Json& recorded = unit["wrappers"];
    CHECK(aot::findWrapper<aot::AOTDedupeWrapper>(function.wrappers)->applies ==
          recorded["AOTDedupeWrapper"]["needs_post_compile"]);
    const aot::WrapperStep& bases = *aot::findWrapper<aot::AOTSyntheticBaseWrapper>(function.wrappers);
    CHECK(bases.applies == recorded["AOTSyntheticBaseWrapper"]["needs_post_compile"]);
    CHECK(std::get<aot::AOTSyntheticBaseWrapper>(bases.wrapper).traceJoint ==
          recorded["AOTSyntheticBaseWrapper"]["trace_joint"]);
    const std::string written = aot::compiledFunctionToJson(function);
    const auto read = aot::compiledFunctionFromJson(written);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(aot::compiledFunctionToJson(*read) == written);
    CHECK(read->wrappers == function.wrappers);
    CHECK(ir::equalGraphs(*read->graph, *function.graph));
}

/// The columns graph and reason: how the trace of a unit compares with PyTorch's graph, and why it is not
/// equal.
std::string verdictOf(const std::string& name, const Json& unit, bool decomposed) {
    const char* kind = unit.contains("dynamo") && !unit["dynamo"].is_null() ? "dynamo" : "predispatch";
    if (!unit.contains(kind) || unit[kind].is_null()) {
        return "not traced\tthe file has no program";
    }
    const bool joint = unit.contains("joint") && !unit["joint"].is_null();
    const auto expected = ir::graphFromJson((joint ? unit["joint"] : unit["inference"]).dump());
    const auto program = ir::graphFromJson(unit[kind].dump());
    REQUIRE(expected.ok());
    REQUIRE(program.ok());
    aot::RetraceRequest request;
    request.program = *program;
    request.inputs = inputsOf(unit);
    request.state.gradEnabled = unit.value("grad_mode", evidence::shownGradMode(**program).value_or(true));
    request.decompositions = decomposed ? aot::DecompositionTable::Core : aot::DecompositionTable::None;
    const auto result = test::backend().answer(session::RetraceCall{request});
    if (!result.ok()) {
        return "not traced\t" + test::firstLine(result.error().message);
    }
    const auto difference = ir::firstDifference(*result->function.graph, **expected);
    const std::string reason =
        difference ? difference->what + " of node " + std::to_string(difference->position) : "-";
    if (difference && ir::firstDifference(*result->function.graph, **expected, {.ignoreNames = true})) {
        return "differs\t" + reason;
    }
    if (unit.contains("wrappers")) {
        checkFunction(name, unit, result->function);
    }
    if (difference) {
        return "equal up to names\t" + reason;
    }
    checkTags(name, *result->function.graph, **expected);
    return "equal\t-";
}

} // namespace

TEST_CASE("golden Dynamo graphs trace to PyTorch's joint and inference graphs, as their table says" *
          test::needsCorpus()) {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        files.insert(entry.path());
    }
    std::vector<std::string> rows = {"program\tunit\tgraph\treason"};
    for (const std::filesystem::path& path : files) {
        const std::string file = path.filename().string();
        const std::string name = file.substr(0, file.find('.'));
        const bool decomposed = name.ends_with("__coredecomp");
        // Other names with "__" are programs compiled with options that the file does not have.
        if (file.find(".json") == std::string::npos || (only != nullptr && name != only) ||
            (name.find("__") != std::string::npos && !decomposed)) {
            continue;
        }
        const Json units = Json::parse(test::readPlainOrXz(path))["units"];
        for (std::size_t i = 0; i < units.size(); ++i) {
            rows.push_back(name + '\t' + std::to_string(i) + '\t' + verdictOf(name, units[i], decomposed));
        }
    }
    test::checkTable(std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "corpus.dynamo_graphs.tsv", rows,
                     [&](const std::string& line) {
                         return only == nullptr || line.starts_with("program\t") ||
                                line.starts_with(std::string(only) + '\t');
                     });
}

namespace {

/// Traces a program whose first input is passed twice, and compares with PyTorch's compile of it.
void checkDuplicates(const std::string& name, const std::string& parameters, const std::string& body,
                     std::vector<aot::RetraceInput> inputs, bool gradEnabled) {
    INFO(name);
    const Json unit =
        Json::parse(test::readFile(test::corpusDir() / "golden" / (name + ".json")))["units"][0];
    const bool joint = unit.contains("joint");
    aot::RetraceRequest request;
    request.program = test::graphOf(parameters, body);
    request.inputs = std::move(inputs);
    request.inputs[1].duplicateOf = 0;
    request.state.gradEnabled = gradEnabled;
    request.keepInputMutations = false;
    const auto result = test::backend().answer(session::RetraceCall{request});
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().text()));
    const auto expected = ir::graphFromJson((joint ? unit["joint"] : unit["inference"]).dump());
    REQUIRE(expected.ok());
    const auto difference = ir::firstDifference(*result->function.graph, **expected);
    CHECK_MESSAGE(!difference.has_value(), (difference ? difference->left + " | " + difference->right : ""));
    const aot::WrapperStep& step = *aot::findWrapper<aot::AOTDedupeWrapper>(result->function.wrappers);
    const auto& wrapper = std::get<aot::AOTDedupeWrapper>(step.wrapper);
    const Json& recorded = unit["wrappers"]["AOTDedupeWrapper"];
    CHECK(step.applies == recorded["needs_post_compile"]);
    CHECK(Json(wrapper.keepArgMask) == recorded["keep_arg_mask"]);
    CHECK(Json(wrapper.addDupeMap) == recorded["add_dupe_map"]);
    const auto metadata = ir::metadataFromJson(
        (joint ? unit["partitions"]["default"]["fw_metadata"] : unit["fw_metadata"]).dump());
    REQUIRE(metadata.ok());
    CHECK(ir::metadataDifferences(result->function.metadata, *metadata).empty());
}

} // namespace

TEST_CASE("a tensor that is passed twice and mutated is one input of the graph, as in PyTorch's" *
          test::needsCorpus()) {
    const std::string matrix = ": \"f32[3, 4][4, 1]cpu\"";
    aot::RetraceInput leaf;
    leaf.requiresGrad = true;
    aot::RetraceInput inner = leaf;
    inner.isLeaf = false;
    checkDuplicates("dup_args_dedupe", "x" + matrix + ", y" + matrix + ", z" + matrix,
                    "        mul_ = x.mul_(2);  mul_ = None\n"
                    "        mul = y * z\n"
                    "        add = x + mul\n"
                    "        return (add,)\n",
                    {inner, inner, leaf}, true);
    const std::string row = ": \"f32[3][1]cpu\"";
    checkDuplicates("dup_args_dedupe_inference", "x" + row + ", y" + row + ", z" + row,
                    "        add_ = y.add_(1);  add_ = None\n"
                    "        mul = x * z\n"
                    "        return (mul, y)\n",
                    std::vector<aot::RetraceInput>(3), false);
}
