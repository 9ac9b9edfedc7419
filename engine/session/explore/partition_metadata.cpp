#include "session/explore/partition_metadata.h"

#include "ir/python_repr.h"

#include <nlohmann/json.hpp>

namespace aotscope::session {

std::optional<PartitionMetadata> partitionMetadataFromJson(std::string_view text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return std::nullopt;
    }
    const auto symbols = json.find("num_symints_saved_for_bw");
    if (symbols == json.end() || !symbols->is_number_unsigned()) {
        return std::nullopt;
    }
    PartitionMetadata metadata{symbols->get<std::size_t>(), std::nullopt};
    const auto donated = json.find("bw_donated_idxs");
    if (donated != json.end() && donated->is_array()) {
        metadata.donated.emplace();
        for (const nlohmann::json& index : *donated) {
            if (index.is_number_unsigned()) {
                metadata.donated->push_back(index.get<std::size_t>());
            }
        }
    }
    return metadata;
}

std::optional<PartitionMetadata> partitionMetadataFromRepr(std::string_view text) {
    const auto json = ir::jsonFromRepr(text);
    return json ? partitionMetadataFromJson(*json) : std::nullopt;
}

} // namespace aotscope::session
