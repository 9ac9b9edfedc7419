#include "ops_check.h"

#include "ir/json/graph_json.h"
#include "load/tensor_file.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

struct Program {
    std::string name;
    Json json;
    load::StoredTensors tensors;
};

/// Every golden file of the corpus, or only the one named by AOTSCOPE_ONLY, for debugging.
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
        auto stored = load::readTensorFile(tensors);
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

/// The first call in which two runs differ; empty if they are equal.
std::string firstOtherCall(const test::OpsRun& ours, const test::OpsRun& theirs) {
    const auto text = [](const test::OpsRun& run, std::size_t i) {
        return i < run.calls.size() ? run.calls[i].op + "(" + run.calls[i].arguments + ")" : "(end)";
    };
    for (std::size_t i = 0; i < std::max(ours.calls.size(), theirs.calls.size()); ++i) {
        if (text(ours, i) != text(theirs, i)) {
            return "call " + std::to_string(i) + " is\n  " + text(ours, i) + "\nand PyTorch's\n  " +
                   text(theirs, i);
        }
    }
    return {};
}

/// The numbers of a tensor of float32, of bfloat16, or of complex64 (both parts of each).
std::vector<float> floatsOf(const std::string& dtype, const std::string& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    if (dtype != "bfloat16") {
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
        return values;
    }
    values.resize(bytes.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t upperHalf = 0;
        std::memcpy(&upperHalf, bytes.data() + 2 * i, sizeof upperHalf);
        values[i] = std::bit_cast<float>(std::uint32_t{upperHalf} << 16U);
    }
    return values;
}

/// How far roundings may move a number, as a share of the tensor's largest.
float allowedShare(const std::string& dtype) {
    // One step between bfloat16 numbers.
    return dtype == "bfloat16" ? 0x1p-7F : dtype == "float32" || dtype == "complex64" ? 1e-5F : 0;
}

/// Equal except for rounding.
bool close(const aot::TensorData& ours, const load::StoredTensor& theirs) {
    if (ours.dtype != theirs.dtype || ours.shape != theirs.shape ||
        ours.bytes.size() != theirs.bytes.size()) {
        return false;
    }
    const float share = allowedShare(ours.dtype);
    if (share == 0) {
        return ours.bytes == theirs.bytes;
    }
    const auto left = floatsOf(ours.dtype, ours.bytes);
    const auto right = floatsOf(theirs.dtype, theirs.bytes);
    float largest = 0;
    for (const float value : right) {
        largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        const bool same = left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]));
        if (!same && !(std::abs(left[i] - right[i]) <= share * std::max(largest, 1e-30F))) {
            return false;
        }
    }
    return true;
}

/// The recorded inputs of a unit's first call by placeholder name; nothing if they were not stored.
std::optional<std::map<std::string, aot::TensorData>> recordedInputs(const Program& program, const Json& call,
                                                                     const ir::Graph& graph) {
    const auto placeholders = graph.placeholders();
    if (call["in"].size() != placeholders.size()) {
        return std::nullopt;
    }
    std::map<std::string, aot::TensorData> inputs;
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const Json& value = call["in"][i];
        if (!value.is_object()) {
            continue;
        }
        const auto found = program.tensors.find("default." + value.value("key", ""));
        if (found == program.tensors.end()) {
            return std::nullopt;
        }
        inputs.emplace(graph.node(placeholders[i]).name,
                       aot::TensorData{found->second.dtype, found->second.shape, found->second.bytes});
    }
    return inputs;
}

struct Totals {
    int run = 0;
    int compared = 0;
    std::size_t calls = 0;
    int numeric = 0;
    std::size_t tensors = 0;
};

void compareCalls(const std::string& where, const ir::Graph& dynamo, const Json& predispatch,
                  Totals& totals) {
    auto graph = ir::graphFromJson(predispatch.dump());
    REQUIRE_MESSAGE(graph.ok(), where << ": " << graph.error().text());
    const test::OpsRun ours = test::runOps(dynamo, {}, 100);
    const test::OpsRun theirs = test::runOps(**graph, {}, 100, dynamo.symbolHints());
    CHECK_MESSAGE(theirs.error.empty(), where << " (pre-dispatch): " << theirs.error);
    const std::string difference = firstOtherCall(ours, theirs);
    CHECK_MESSAGE(difference.empty(), where << ": " << difference);
    ++totals.compared;
    totals.calls += theirs.calls.size();
}

/// Runs on the recorded inputs and compares with the recorded outputs.
void compareNumbers(const std::string& where, const Program& program, const Json& unit,
                    const ir::Graph& dynamo, Totals& totals) {
    const Json& partition = unit["partitions"]["default"];
    if (!partition.contains("real") || !partition["real"].is_object()) {
        return;
    }
    const Json& real = partition["real"];
    const Json* call = real.contains("fw") ? &real["fw"] : real.contains("inf") ? &real["inf"] : nullptr;
    if (call == nullptr || call->is_null()) {
        return;
    }
    const auto inputs = recordedInputs(program, *call, dynamo);
    if (!inputs) {
        std::cout << "no numbers: " << where << '\n';
        return;
    }
    const test::OpsRun run = test::runOps(dynamo, *inputs, 100);
    // Mutated inputs are returned in front of the program's own outputs, saved tensors behind them.
    const Json& owner = partition.contains("fw_metadata") ? partition : unit;
    const std::size_t mutated = owner["fw_metadata"]["derived.mutated_inp_runtime_indices"].size();
    const Json& outputs = (*call)["out"];
    bool all = true;
    std::size_t next = 0;
    for (std::size_t i = mutated; i < outputs.size() && next < run.outputs.size(); ++i) {
        if (!outputs[i].is_object()) {
            continue;
        }
        const aot::TensorData& ours = run.outputs[next++];
        const auto found = program.tensors.find("default." + outputs[i].value("key", ""));
        if (found == program.tensors.end()) {
            continue;
        }
        const bool equal = close(ours, found->second);
        CHECK_MESSAGE(equal, where << ": output " << i << " differs from the recorded one");
        all = all && equal;
        ++totals.tensors;
    }
    totals.numeric += all ? 1 : 0;
}

} // namespace

TEST_CASE(
    "the calls of Dynamo graphs are those of PyTorch's pre-dispatch graphs, the numbers the recorded ones" *
    test::needsCorpus()) {
    Totals totals;
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
            ++totals.run;
            if (unit.contains("predispatch") && !unit["predispatch"].is_null()) {
                compareCalls(where, **graph, unit["predispatch"], totals);
            } else {
                std::cout << "not compared: " << where << " has no pre-dispatch graph\n";
            }
            compareNumbers(where, program, unit, **graph, totals);
        }
    }
    std::cout << totals.run << " graphs run, " << totals.compared << " compared with " << totals.calls
              << " calls; " << totals.numeric << " with " << totals.tensors << " recorded tensors\n";
    if (std::getenv("AOTSCOPE_ONLY") == nullptr) {
        CHECK(totals.run == 61);
        CHECK(totals.compared == 56);
        CHECK(totals.numeric == 46);
    }
}

TEST_CASE("narrow and complex numbers are compared, not only their types") {
    const auto isClose = [](const std::string& dtype, const auto& ours, const auto& theirs) {
        const auto bytes = [](const auto& numbers) {
            std::string raw(sizeof numbers, '\0');
            std::memcpy(raw.data(), numbers.data(), sizeof numbers);
            return raw;
        };
        return close({dtype, {2}, bytes(ours)}, {dtype, {2}, bytes(theirs)});
    };
    // 0x3f80 is 1, 0x3f81 the next bfloat16, 0x3f90 is 1.125.
    using Narrow = std::array<std::uint16_t, 2>;
    CHECK(isClose("bfloat16", Narrow{0x3f80, 0x3f81}, Narrow{0x3f80, 0x3f80}));
    CHECK_FALSE(isClose("bfloat16", Narrow{0x3f80, 0x3f90}, Narrow{0x3f80, 0x3f80}));
    using Complex = std::array<float, 4>;
    CHECK(isClose("complex64", Complex{1, 2, 3, 4}, Complex{1, 2, 3, 4.00001F}));
    CHECK_FALSE(isClose("complex64", Complex{1, 2, 3, 4}, Complex{1, 2, 3, -4}));
}

TEST_CASE("most of PyTorch's functions and methods are covered") {
    std::map<std::string, std::pair<int, int>> byModule;
    std::map<std::string, std::string> missing;
    for (const test::OpsCoverage& row : test::opsCoverage()) {
        if (row.kind == "no operator" && !row.name.starts_with("torch.nn.functional.")) {
            continue;
        }
        const std::string module = row.name.substr(0, row.name.rfind('.'));
        auto& [covered, all] = byModule[module];
        ++all;
        if (row.kind == "binding" || row.kind == "written") {
            ++covered;
        } else {
            missing[module] += " " + row.name.substr(row.name.rfind('.') + 1);
        }
    }
    for (const auto& [module, counts] : byModule) {
        std::cout << module << ": " << counts.first << " of " << counts.second
                  << " covered; not:" << missing[module] << '\n';
    }
    for (const char* module : {"torch.nn.functional", "Tensor", "torch"}) {
        CHECK(byModule[module].second > 50);
        CHECK(byModule[module].first * 10 >= byModule[module].second * 9);
    }
}
