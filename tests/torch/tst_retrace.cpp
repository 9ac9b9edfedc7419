#include "run_support.h"

#include "ir/first_difference.h"
#include "ir/json.h"
#include "support/corpus.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

/// Facts of the inputs as the golden files have them.
std::vector<session::RetraceInput> inputsOf(const Json& unit) {
    std::vector<session::RetraceInput> inputs;
    for (const Json& example : unit["example_inputs"]) {
        session::RetraceInput input;
        input.requiresGrad = example.value("requires_grad", false);
        input.isParameter = example.value("parameter", false);
        input.storageOffset = example.value("storage_offset", 0);
        inputs.push_back(input);
    }
    return inputs;
}

} // namespace

TEST_CASE("golden pre-dispatch graphs trace to PyTorch's joint graphs") {
    if (test::corpusMissing()) {
        return;
    }
    const char* only = std::getenv("AOTSCOPE_ONLY");
    int equal = 0;
    int total = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        if (entry.path().filename().string().find(".json") == std::string::npos) {
            continue;
        }
        const std::string name =
            entry.path().filename().string().substr(0, entry.path().filename().string().find('.'));
        if (only != nullptr && name != only) {
            continue;
        }
        const bool decomposed = name.ends_with("__coredecomp");
        const Json golden = Json::parse(test::readPlainOrXz(entry.path()));
        for (const Json& unit : golden["units"]) {
            const char* kind =
                unit.contains("dynamo") && !unit["dynamo"].is_null() ? "dynamo" : "predispatch";
            if (!unit.contains(kind) || unit[kind].is_null() ||
                (name.find("__") != std::string::npos && !decomposed)) {
                continue;
            }
            const bool joint = unit.contains("joint") && !unit["joint"].is_null();
            const Json& expectedJson = joint ? unit["joint"] : unit["inference"];
            auto expected = ir::graphFromJson(expectedJson.dump());
            auto program = ir::graphFromJson(unit[kind].dump());
            REQUIRE(expected.ok());
            REQUIRE(program.ok());
            session::RetraceRequest request;
            request.program = *program;
            request.inputs = inputsOf(unit);
            request.gradEnabled = joint;
            if (decomposed) {
                request.decompositions = session::DecompositionTable::Core;
            }
            ++total;
            const auto result = test::backend().retrace(request, {});
            if (!result.ok()) {
                std::cout << name << ": " << result.error().text().substr(0, 300) << "\n";
                continue;
            }
            const auto difference = ir::firstDifference(*result->graph, **expected);
            if (!difference) {
                ++equal;
                continue;
            }
            std::cout << name << ": " << difference->what << " at " << difference->position << " of "
                      << (*expected)->size() << "\n    ours   " << difference->left << "\n    theirs "
                      << difference->right << "\n";
        }
    }
    std::cout << equal << " of " << total << " equal\n";
}
