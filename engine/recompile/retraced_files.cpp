#include "recompile/retraced_files.h"

#include "aot/compiled_function_json.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/json/graph_json.h"
#include "ir/text/printer.h"
#include "passes/partition.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace aotscope::session {

namespace {

std::string nameOfTraced(const aot::CompiledFunction& function) {
    if (function.path == aot::TracePath::Export) {
        return "export";
    }
    return function.joint ? "joint" : "inference";
}

/// A valid folder name for a compile id or a file name.
std::string folderNameOf(std::string name) {
    std::ranges::replace_if(
        name,
        [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.' && c != '!';
        },
        '_');
    return name == "." || name == ".." ? "_" : name;
}

} // namespace

void addGraph(std::vector<NamedText>& files, const std::string& stem, const ir::Graph& graph) {
    files.push_back({stem + ".json", ir::graphToJson(graph)});
    files.push_back({stem + ".txt", ir::printGraph(graph).text});
}

std::filesystem::path CompileFolders::next(const std::filesystem::path& log, const std::string& compile) {
    std::filesystem::path folder = m_severalLogs ? folderNameOf(log.filename().string()) : std::string();
    std::string name = compile;
    std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
    folder /= folderNameOf(name);
    std::filesystem::path place = folder;
    for (int number = 2; !m_taken.insert(place).second; ++number) {
        place = folder;
        place += "." + std::to_string(number);
    }
    return place;
}

std::vector<NamedText> halvesFiles(const passes::Partition& partition) {
    std::vector<NamedText> files;
    addGraph(files, "forward", *partition.forward);
    addGraph(files, "backward", *partition.backward);
    if (partition.forwardBeforeHooks) {
        addGraph(files, "forward_before_hooks", *partition.forwardBeforeHooks);
        addGraph(files, "backward_before_hooks", *partition.backwardBeforeHooks);
    }
    return files;
}

std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced, const aot::CompiledFunction& function) {
    std::vector<NamedText> files;
    if (!retraced.made) {
        return files;
    }
    addGraph(files, nameOfTraced(function), *retraced.made->graph);
    if (function.partition) {
        std::ranges::move(halvesFiles(*function.partition), std::back_inserter(files));
    }
    for (std::size_t i = 0; i < retraced.stages.size(); ++i) {
        const RetraceStage& stage = retraced.stages[i];
        if (stage.graph) {
            addGraph(files, "stage_" + std::to_string(i + 1) + "_" + stage.name, *stage.graph->graph);
        }
    }
    files.push_back({"metadata.json", ir::metadataToJson(function.metadata)});
    files.push_back({"compiled_function.json", aot::compiledFunctionToJson(function)});
    return files;
}

} // namespace aotscope::session
