#include "ops_check.h"

#include "ir/json.h"
#include "load/safetensors.h"
#include "support/corpus.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

struct Program {
    std::string name;
    Json json;
    load::StoredTensors tensors;
};

/// Every golden file of the corpus; AOTSCOPE_ONLY names one while looking for a cause.
std::vector<std::filesystem::path> goldenFiles() {
    std::vector<std::filesystem::path> files;
    const char* only = std::getenv("AOTSCOPE_ONLY");
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::string file = entry.path().filename().string();
        if ((file.ends_with(".json") || file.ends_with(".json.xz")) &&
            (only == nullptr || file.starts_with(only))) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

Program readProgram(const std::filesystem::path& file) {
    Program program;
    program.name = file.filename().string();
    program.name = program.name.substr(0, program.name.find(".json"));
    program.json = Json::parse(test::readPlainOrXz(file));
    const auto tensors = file.parent_path() / (program.name + ".tensors.safetensors");
    if (std::filesystem::exists(tensors)) {
        auto stored = load::readSafetensors(tensors);
        REQUIRE(stored.ok());
        program.tensors = std::move(*stored);
    }
    return program;
}

bool mentions(const Json& graph, std::string_view text) {
    for (const Json& node : graph["nodes"]) {
        if (node["target"].is_string() && node["target"].get<std::string>().find(text) != std::string::npos) {
            return true;
        }
    }
    return false;
}

bool takesSubclasses(const Json& graph) {
    for (const Json& node : graph["nodes"]) {
        if (node["op"] == "placeholder" && node.contains("val") && node["val"].contains("subclass")) {
            return true;
        }
    }
    return false;
}

/// Nodes of a pre-dispatch graph that are calls of the dispatcher.
std::vector<std::string> dispatcherCalls(const Json& graph) {
    std::vector<std::string> calls;
    for (const Json& node : graph["nodes"]) {
        const std::string target = node["target"].get<std::string>();
        if (node["op"] == "call_function" && target.starts_with("aten.")) {
            calls.push_back(target);
        }
    }
    return calls;
}

std::string firstDifference(const std::vector<test::RecordedCall>& ours,
                            const std::vector<std::string>& theirs) {
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
        const std::string left = i < ours.size() ? ours[i].op : "(end)";
        const std::string right = i < theirs.size() ? theirs[i] : "(end)";
        if (left != right) {
            return "call " + std::to_string(i) + " is " + left +
                   (i < ours.size() ? "(" + ours[i].arguments + ")" : "") + ", and PyTorch's " + right;
        }
    }
    return {};
}

} // namespace

TEST_CASE("the calls of Dynamo graphs are those of PyTorch's pre-dispatch graphs") {
    if (test::corpusMissing()) {
        return;
    }
    int compared = 0;
    int equal = 0;
    std::size_t nodes = 0;
    for (const auto& file : goldenFiles()) {
        const Program program = readProgram(file);
        for (const Json& unit : program.json.value("units", Json::array())) {
            if (!unit.contains("dynamo") || unit["dynamo"].is_null()) {
                continue;
            }
            const std::string where = program.name + " unit " + unit["index"].dump();
            if (mentions(unit["dynamo"], "higher_order.") || mentions(unit["dynamo"], "corpus.")) {
                std::cout << "left out: " << where << " calls higher-order or custom operators\n";
                continue;
            }
            if (takesSubclasses(unit["dynamo"])) {
                std::cout << "left out: " << where << " takes tensor subclasses\n";
                continue;
            }
            auto graph = ir::graphFromJson(unit["dynamo"].dump());
            REQUIRE_MESSAGE(graph.ok(), where << ": " << graph.error().text());
            const test::OpsRun run = test::runOps(**graph, {}, 100);
            CHECK_MESSAGE(run.error.empty(), where << ": " << run.error);
            CHECK(run.stateRestored);
            if (!unit.contains("predispatch") || unit["predispatch"].is_null()) {
                std::cout << "not compared: " << where << " has no pre-dispatch graph\n";
                continue;
            }
            const auto theirs = dispatcherCalls(unit["predispatch"]);
            const std::string difference = firstDifference(run.calls, theirs);
            CHECK_MESSAGE(difference.empty(), where << ": " << difference);
            ++compared;
            equal += difference.empty() ? 1 : 0;
            nodes += theirs.size();
        }
    }
    std::cout << equal << " of " << compared << " graphs equal, " << nodes << " calls\n";
}
