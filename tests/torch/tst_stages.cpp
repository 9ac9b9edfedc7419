// The stages of a trace, compared with PyTorch's pre-dispatch and inference graphs.
#include "run_support.h"

#include "ir/compare/first_difference.h"
#include "ir/json/graph_json.h"
#include "support/corpus_case.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

using namespace aotscope;
using Json = nlohmann::ordered_json;
using aot::TraceStageKind;

namespace {

/// The operators in order, without arithmetic on sizes and getitem, which appear wherever a graph needs them.
std::vector<std::string> operatorsOf(const ir::Graph& graph) {
    std::vector<std::string> targets;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::CallFunction && node.target.starts_with("aten.") &&
            !node.target.starts_with("aten.sym_") && node.target != "aten.detach.default" &&
            node.target != "aten.lift_fresh_copy.default") {
            targets.push_back(node.target);
        }
    }
    return targets;
}

aot::RetraceRequest requestOf(const Json& unit, bool joint) {
    aot::RetraceRequest request;
    request.program = *ir::graphFromJson(unit["dynamo"].dump());
    for (const Json& example : unit["example_inputs"]) {
        aot::RetraceInput input;
        input.requiresGrad = example.value("requires_grad", false);
        input.isParameter = example.value("parameter", false);
        input.storageOffset = example.value("storage_offset", 0);
        request.inputs.push_back(input);
    }
    request.state.gradEnabled = joint;
    request.stages = true;
    return request;
}

bool has(const Json& unit, const char* key) {
    return unit.contains(key) && !unit[key].is_null();
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + " ";
    }
    return text;
}

} // namespace

TEST_CASE("the resolved stage is PyTorch's pre-dispatch graph, the functional one its inference graph" *
          test::needsCorpus()) {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    int resolved = 0;
    std::set<std::string> resolvedOtherwise;
    int functional = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::string file = entry.path().filename().string();
        const std::string name = file.substr(0, file.find('.'));
        if (file.find(".json") == std::string::npos || name.find("__") != std::string::npos ||
            (only != nullptr && name != only)) {
            continue;
        }
        const Json golden = Json::parse(test::readPlainOrXz(entry.path()));
        for (const Json& unit : golden["units"]) {
            const bool joint = has(unit, "joint");
            if (!has(unit, "dynamo") || (!joint && !has(unit, "inference"))) {
                continue;
            }
            const auto result = test::backend().answer(session::RetraceCall{requestOf(unit, joint)});
            if (!result.ok()) {
                continue; // tst_retrace says which and why.
            }
            REQUIRE(result->stages.size() == 5);
            const auto& stages = result->stages;
            CHECK(stages[4].graph == result->function.graph);
            if (!joint && stages[2].graph) {
                const auto expected = *ir::graphFromJson(unit["inference"].dump());
                CHECK_MESSAGE(operatorsOf(*stages[2].graph) == operatorsOf(*expected), name);
                ++functional;
            }
            if (has(unit, "predispatch")) {
                ++resolved;
                const auto expected = *ir::graphFromJson(unit["predispatch"].dump());
                const auto ours =
                    stages[1].graph ? operatorsOf(*stages[1].graph) : std::vector{stages[1].note};
                const bool equal = ours == operatorsOf(*expected);
                if (!equal) {
                    resolvedOtherwise.insert(name);
                    std::cout << name << "\n  ours   " << joined(ours).substr(0, 600) << "\n  theirs "
                              << joined(operatorsOf(*expected)).substr(0, 600) << "\n";
                }
            }
        }
    }
    if (only == nullptr) {
        // The rest calls what reaches ATen without the bindings: subscripts, and functions made of them.
        CHECK(resolved == 53);
        CHECK(resolvedOtherwise ==
              std::set<std::string>{"ac_selective_policy", "bert_tiny", "gpt2_12l", "gpt2_2l", "llama_tiny"});
        CHECK(functional == 8);
    }
}
