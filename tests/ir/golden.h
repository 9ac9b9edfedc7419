#pragma once

#include "support/corpus.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The golden graphs: PyTorch's own answers as JSON.
namespace aotscope::test {

struct GoldenGraph {
    /// "mlp_sgd.json: units/0/partitions/default/fw"
    std::string where;
    nlohmann::json json;
};

inline void collectGraphs(nlohmann::json& json, const std::string& where, std::vector<GoldenGraph>& found) {
    if (json.is_object() && json.contains("nodes") && json["nodes"].is_array()) {
        found.push_back({where, std::move(json)});
    } else if (json.is_object()) {
        for (auto& [key, value] : json.items()) {
            collectGraphs(value, where + '/' + key, found);
        }
    } else if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i) {
            collectGraphs(json[i], where + '/' + std::to_string(i), found);
        }
    }
}

/// All graphs of one golden file; subgraphs stay inside their graph.
inline std::vector<GoldenGraph> goldenGraphs(const std::filesystem::path& path) {
    nlohmann::json json = nlohmann::json::parse(readPlainOrXz(path), nullptr, false);
    std::vector<GoldenGraph> found;
    collectGraphs(json, path.filename().string() + ':', found);
    return found;
}

inline std::vector<std::filesystem::path> goldenFiles() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(corpusDir() / "golden")) {
        const std::string name = entry.path().filename().string();
        if (name.find(".json") != std::string::npos) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Calls `visit` for every golden graph, file by file.
inline void forEachGoldenGraph(const std::function<void(GoldenGraph&)>& visit) {
    for (const std::filesystem::path& file : goldenFiles()) {
        for (GoldenGraph& graph : goldenGraphs(file)) {
            visit(graph);
        }
    }
}

} // namespace aotscope::test
