#include "session/retraced_files.h"

#include "session/explore/joint_input.h"

#include "ir/json/aot_metadata_json.h"
#include "ir/json/graph_json.h"
#include "ir/text/printer.h"
#include "passes/partition.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace aotscope::session {

namespace {

void addGraph(std::vector<NamedText>& files, const std::string& stem, const ir::Graph& graph) {
    files.push_back({stem + ".json", ir::graphToJson(graph)});
    files.push_back({stem + ".txt", ir::printGraph(graph).text});
}

std::string nameOfTraced(const aot::RetraceResult& result) {
    if (result.path == aot::TracePath::Export) {
        return "export";
    }
    return result.joint ? "joint" : "inference";
}

/// An id, or the name of a file, as the name of a folder.
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

std::filesystem::path CompileFolders::next(const std::filesystem::path& log, const std::string& compile) {
    std::filesystem::path folder = m_severalLogs ? folderNameOf(log.filename().string()) : std::string();
    folder /= folderNameOf(compile);
    std::filesystem::path place = folder;
    for (int number = 2; !m_taken.insert(place).second; ++number) {
        place = folder;
        place += "." + std::to_string(number);
    }
    return place;
}

base::Result<RetracedHalves> splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log,
                                           base::Progress progress) {
    if (!retraced.made || !retraced.result->joint) {
        return RetracedHalves{};
    }
    const passes::PartitionOptions options =
        givenOptions(*retraced.made, &retraced, log, retraced.target.compile);
    auto partition = passes::partitionJointGraph(retraced.made->graph, options, std::move(progress));
    if (!partition) {
        return std::move(partition).error();
    }
    return RetracedHalves{partition->forward, partition->backward};
}

std::vector<NamedText> halvesFiles(const RetracedHalves& halves) {
    std::vector<NamedText> files;
    if (halves.forward && halves.backward) {
        addGraph(files, "forward", *halves.forward);
        addGraph(files, "backward", *halves.backward);
    }
    return files;
}

std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced, const RetracedHalves& halves) {
    std::vector<NamedText> files;
    if (!retraced.made) {
        return files;
    }
    addGraph(files, nameOfTraced(*retraced.result), *retraced.made->graph);
    std::ranges::move(halvesFiles(halves), std::back_inserter(files));
    for (std::size_t i = 0; i < retraced.stages.size(); ++i) {
        const RetraceStage& stage = retraced.stages[i];
        if (stage.graph) {
            addGraph(files, "stage_" + std::to_string(i + 1) + "_" + std::string(traceStageName(stage.kind)),
                     *stage.graph->graph);
        }
    }
    files.push_back({"metadata.json", ir::metadataToJson(retraced.result->metadata)});
    return files;
}

} // namespace aotscope::session
