#include "judge/golden_answers.h"

#include "evidence/golden_unit_json.h"

namespace aotscope::judge {

base::Result<GoldenAnswers> readGoldenAnswers(const std::filesystem::path& path, std::string_view unit) {
    const auto read = evidence::readGoldenUnitJson(path, unit);
    if (!read) {
        return read.error();
    }
    const nlohmann::json& json = read->unit();
    GoldenAnswers answers;
    for (const char* partitioner : {"default", "min_cut"}) {
        const nlohmann::json::json_pointer place(std::string("/partitions/") + partitioner + "/fw_metadata");
        if (json.contains(place) && json[place].is_object()) {
            answers.partitionMetadata[partitioner] = json[place].dump();
        }
    }
    const auto metadata = json.find("fw_metadata");
    if (metadata != json.end() && metadata->is_object()) {
        answers.metadata = metadata->dump();
    } else if (!answers.partitionMetadata.empty()) {
        answers.metadata = answers.partitionMetadata.begin()->second;
    }
    return answers;
}

} // namespace aotscope::judge
