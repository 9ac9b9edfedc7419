#include "run_support.h"

#include "evidence/grad_mode.h"
#include "ir/first_difference.h"
#include "ir/json/graph_json.h"
#include "support/corpus_case.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

/// Facts of the inputs as the golden files have them.
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

/// Why a program may not be traced yet: it says so itself. Everything else must come out as PyTorch has it.
bool leftForLater(const base::Error& error) {
    const std::string text = error.text();
    return error.code == "trace.higher_order" || error.code == "trace.subclass" ||
           text.find("higher-order operator") != std::string::npos ||
           text.find("LibTorch has no operator") != std::string::npos;
}

/// What differs from PyTorch's graph, and why.
const std::map<std::string, std::string>& knownDifferences() {
    static const std::map<std::string, std::string> known = {
        {"synthetic_base_views", "what its inputs are views of is not handed in here (tests/app does)"},
    };
    return known;
}

std::string tagOf(const ir::Node& node) {
    for (const auto& [key, json] : node.extra) {
        if (key == "partitioner_tag") {
            return json;
        }
    }
    return std::to_string(static_cast<int>(node.partitionerTag));
}

/// Where the partitioner may put each node.
void checkTags(const std::string& name, const ir::Graph& made, const ir::Graph& expected) {
    for (std::size_t i = 0; i < made.order().size(); ++i) {
        const ir::Node& ours = made.node(made.order()[i]);
        const ir::Node& theirs = expected.node(expected.order()[i]);
        if (theirs.op != ir::Opcode::Output) {
            CHECK_MESSAGE(tagOf(ours) == tagOf(theirs), name << ": " << theirs.name);
        }
    }
}

struct RetraceTotals {
    int equal = 0;
    int upToNames = 0;
    int left = 0;
    std::size_t nodes = 0;
};

void retraceUnit(const std::string& name, const Json& unit, bool decomposed, RetraceTotals& totals) {
    const char* kind = unit.contains("dynamo") && !unit["dynamo"].is_null() ? "dynamo" : "predispatch";
    if (!unit.contains(kind) || unit[kind].is_null()) {
        return;
    }
    const bool joint = unit.contains("joint") && !unit["joint"].is_null();
    const auto expected = ir::graphFromJson((joint ? unit["joint"] : unit["inference"]).dump());
    const auto program = ir::graphFromJson(unit[kind].dump());
    REQUIRE(expected.ok());
    REQUIRE(program.ok());
    aot::RetraceRequest request;
    request.program = *program;
    request.inputs = inputsOf(unit);
    request.gradEnabled = unit.value("grad_mode", evidence::shownGradMode(**program).value_or(true));
    request.decompositions = decomposed ? aot::DecompositionTable::Core : aot::DecompositionTable::None;
    const auto result = test::backend().retrace(request, {}, {});
    if (!result.ok()) {
        if (leftForLater(result.error())) {
            ++totals.left;
            return;
        }
        CHECK_MESSAGE(knownDifferences().contains(name), name << ": " << result.error().text());
        return;
    }
    const auto difference = ir::firstDifference(*result->graph, **expected);
    if (!difference) {
        checkTags(name, *result->graph, **expected);
        ++totals.equal;
        totals.nodes += result->graph->size();
        return;
    }
    if (!ir::firstDifference(*result->graph, **expected, {.ignoreNames = true})) {
        ++totals.upToNames;
        return;
    }
    CHECK_MESSAGE(knownDifferences().contains(name),
                  name << ": " << difference->what << " at " << difference->position << "\n    ours   "
                       << difference->left << "\n    theirs " << difference->right);
}

} // namespace

TEST_CASE("golden Dynamo graphs trace to PyTorch's joint and inference graphs" * test::needsCorpus()) {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    RetraceTotals totals;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::string file = entry.path().filename().string();
        const std::string name = file.substr(0, file.find('.'));
        const bool decomposed = name.ends_with("__coredecomp");
        if (file.find(".json") == std::string::npos || (only != nullptr && name != only) ||
            (name.find("__") != std::string::npos && !decomposed)) {
            continue;
        }
        const Json golden = Json::parse(test::readPlainOrXz(entry.path()));
        for (const Json& unit : golden["units"]) {
            retraceUnit(name, unit, decomposed, totals);
        }
    }
    std::cout << totals.equal << " equal (" << totals.nodes << " nodes), " << totals.upToNames
              << " up to names, " << totals.left << " left for later\n";
    if (only == nullptr) {
        CHECK(totals.equal >= 52);
        CHECK(totals.upToNames <= 4);
    }
}
