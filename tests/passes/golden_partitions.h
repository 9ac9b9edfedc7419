#pragma once

#include "ir/json/graph_json.h"
#include "ir/text/printer.h"
#include "passes/partition.h"

#include "../ir/golden.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// The golden programs' joint graphs and PyTorch's partitions of them.
namespace aotscope::test {

/// One partition of a compiled graph, and its input.
struct GoldenPartition {
    /// "mlp_sgd.json units/0 min_cut"
    std::string where;
    ir::GraphPtr joint;
    /// As PyTorch prints it; empty where the golden leaves it out.
    std::string jointText;
    ir::GraphPtr forward;
    ir::GraphPtr backward;
    passes::PartitionOptions options;
    /// Tensors, then symbolic integers.
    std::vector<std::string> saved;
    std::vector<std::string> savedSymbols;
    std::vector<std::size_t> donated;
    /// Saved-tensors hooks changed what is saved after the partition; then the lists are not known.
    bool hooks = false;
    /// Some saved tensors are not checked for changes, which the printed text does not tell.
    bool uncheckedSaves = false;
};

/// One line per node: name, target and arguments, with its value if requested.
enum class WithValues { No, Yes };

inline std::vector<std::string> programLines(const ir::Graph& graph, WithValues values) {
    std::vector<std::string> lines;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        std::string line = node.name + " = " + std::string(base::wordOf(node.op)) + ' ' + node.target + '(';
        for (const ir::Argument& argument : node.args) {
            line += ir::argumentText(graph, argument) + ", ";
        }
        // The JSON library of this test sorts objects.
        std::map<std::string, std::string> keywords;
        for (const ir::KeywordArgument& keyword : node.kwargs) {
            keywords[keyword.name] = ir::argumentText(graph, keyword.value);
        }
        for (const auto& [name, value] : keywords) {
            line += name + '=' + value + ", ";
        }
        lines.push_back(line + ")" + (values == WithValues::Yes ? " -> " + ir::valueText(node.value) : ""));
    }
    return lines;
}

/// The first difference between two programs; empty if they are the same.
inline std::string firstDifference(const ir::Graph& made, const ir::Graph& expected,
                                   WithValues values = WithValues::Yes) {
    const std::vector<std::string> left = programLines(made, values);
    const std::vector<std::string> right = programLines(expected, values);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        const std::string a = i < left.size() ? left[i] : "(end)";
        const std::string b = i < right.size() ? right[i] : "(end)";
        if (a != b) {
            return "node " + std::to_string(i) + "\n  made:     " + a + "\n  expected: " + b;
        }
    }
    return {};
}

inline ir::GraphPtr graphOf(const nlohmann::json& json) {
    auto graph = ir::graphFromJson(json.dump());
    return graph ? *graph : nullptr;
}

template<typename T>
std::vector<T> listOf(const nlohmann::json& json, const std::string& key) {
    const auto found = json.find(key);
    return found == json.end() || !found->is_array() ? std::vector<T>()
                                                     : found->template get<std::vector<T>>();
}

inline void visitPartition(const std::string& where, const nlohmann::json& joint, const std::string& kind,
                           const nlohmann::json& golden,
                           const std::function<void(const GoldenPartition&)>& visit) {
    GoldenPartition partition;
    partition.where = where + ' ' + kind;
    const nlohmann::json& traced = golden.contains("joint_differs") ? golden["joint_differs"] : joint;
    partition.joint = graphOf(traced);
    partition.jointText = traced.value("text", std::string());
    const nlohmann::json& graphs = golden.contains("pre_hooks") ? golden["pre_hooks"] : golden;
    partition.forward = graphOf(graphs["fw"]);
    partition.backward = graphOf(graphs["bw"]);
    partition.options.partitioner =
        kind == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
    partition.options.forwardOutputs = golden["num_fwd_outputs"].get<std::size_t>();
    partition.options.staticInputs = listOf<std::size_t>(golden, "static_lifetime_input_indices");
    partition.hooks = golden.contains("pre_hooks");
    for (const nlohmann::json& node : graphs["fw"]["nodes"]) {
        partition.uncheckedSaves = partition.uncheckedSaves || node.contains("saved_tensor_with_no_vc_check");
    }
    if (!partition.hooks) {
        partition.saved = listOf<std::string>(golden, "saved_for_backward");
        partition.savedSymbols = listOf<std::string>(golden, "saved_symints");
        partition.donated = listOf<std::size_t>(golden, "bw_donated_idxs");
    }
    visit(partition);
}

/// Visits every compile with a joint graph, once per partition.
inline void forEachGoldenPartition(const std::function<void(const GoldenPartition&)>& visit) {
    for (const std::filesystem::path& file : goldenFiles()) {
        const nlohmann::json json = nlohmann::json::parse(readPlainOrXz(file), nullptr, false);
        std::size_t number = 0;
        for (const nlohmann::json& unit : json.value("units", nlohmann::json::array())) {
            const std::string where = file.filename().string() + " units/" + std::to_string(number++);
            if (!unit.contains("joint")) {
                continue;
            }
            for (const auto& [kind, golden] : unit["partitions"].items()) {
                visitPartition(where, unit["joint"], kind, golden, visit);
            }
        }
    }
}

} // namespace aotscope::test
