#pragma once

#include "aot/compiled_function.h"

#include "ir/json/aot_metadata_json.h"
#include "ir/json/graph_json.h"
#include "passes/partition.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// The corpus's golden compiles as values: PyTorch's graphs, metadata and halves.
namespace aotscope::test {

using Json = nlohmann::ordered_json;

/// One compile that PyTorch recorded.
struct GoldenUnit {
    /// "mlp_sgd.json units/0 min_cut"
    std::string where;
    const Json& unit;
    /// What PyTorch recorded of this partition; of an inference graph the unit itself.
    const Json& answer;
    aot::CompiledFunction function;
    /// Tensor subclasses stand for several inputs of the graph.
    bool hasSubclasses = false;
};

inline ir::GraphPtr goldenGraph(const Json& json) {
    auto graph = ir::graphFromJson(json.dump());
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

inline ir::ViewAndMutationMeta goldenMetadata(const Json& json) {
    auto metadata = ir::metadataFromJson(json.dump());
    REQUIRE_MESSAGE(metadata.ok(), (metadata.ok() ? "" : metadata.error().text()));
    return *metadata;
}

inline aot::CompiledFunction goldenFunction(const Json& unit) {
    aot::CompiledFunction function;
    function.joint = unit.contains("joint") && !unit["joint"].is_null();
    function.path = function.joint ? aot::TracePath::Autograd : aot::TracePath::Inference;
    function.configuration.keepInferenceInputMutations = unit["aot_config"]["keep_inference_input_mutations"];
    function.graph = goldenGraph(function.joint ? unit["joint"] : unit["inference"]);
    return function;
}

inline void visitJointUnit(const std::string& where, const Json& unit,
                           const std::function<void(const GoldenUnit&)>& visit) {
    for (const auto& [kind, answer] : unit["partitions"].items()) {
        GoldenUnit golden{where + " " + kind, unit, answer, goldenFunction(unit)};
        golden.hasSubclasses = answer.contains("subclass_meta") && !answer["subclass_meta"].is_null();
        golden.function.metadata = goldenMetadata(answer["fw_metadata"]);
        passes::Partition partition;
        partition.joint = golden.function.graph;
        partition.forward = goldenGraph(answer["fw"]);
        partition.backward = goldenGraph(answer["bw"]);
        partition.forwardOutputs = answer["num_fwd_outputs"];
        for (const Json& name : answer["saved_for_backward"]) {
            partition.savedTensors.push_back(name);
        }
        for (const Json& name : answer["saved_symints"]) {
            partition.savedSymbols.push_back(name);
        }
        golden.function.partition = std::make_shared<const passes::Partition>(std::move(partition));
        visit(golden);
    }
}

/// Visits every compile of the corpus whose wrappers were recorded, except the two largest, once per
/// partition.
inline void forEachGoldenUnit(const std::function<void(const GoldenUnit&)>& visit) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(corpusDir() / "golden")) {
        // The two largest take longest to read, and hold nothing that the others lack.
        constexpr std::uintmax_t largePacked = 100'000;
        const bool isLarge = entry.path().extension() == ".xz" && entry.file_size() > largePacked;
        if (!isLarge && entry.path().filename().string().find(".json") != std::string::npos) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    for (const std::filesystem::path& file : files) {
        const Json json = Json::parse(readPlainOrXz(file));
        std::size_t number = 0;
        for (const Json& unit : json["units"]) {
            const std::string where = file.filename().string() + " units/" + std::to_string(number++);
            if (!unit.contains("wrappers")) {
                continue;
            }
            if (unit.contains("joint") && !unit["joint"].is_null()) {
                visitJointUnit(where, unit, visit);
            } else {
                GoldenUnit golden{where, unit, unit, goldenFunction(unit)};
                golden.function.metadata = goldenMetadata(unit["fw_metadata"]);
                visit(golden);
            }
        }
    }
}

} // namespace aotscope::test
