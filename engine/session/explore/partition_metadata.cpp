#include "session/explore/partition_metadata.h"

#include "ir/python_repr.h"

#include <nlohmann/json.hpp>

#include <string>

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

namespace {

/// The value of a keyword argument of the call that a repr is; empty: it has none. The metadata of a large
/// model is long, and two of its fields are asked for.
std::string_view keywordValue(std::string_view call, std::string_view keyword) {
    std::size_t begin = std::string_view::npos;
    char quote = 0;
    int depth = 0;
    for (std::size_t i = 0; i < call.size(); ++i) {
        const char c = call[i];
        if (quote != 0) {
            i += c == '\\' ? 1 : 0;
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            --depth;
        }
        const bool isEnd = quote == 0 && ((depth == 1 && c == ',') || depth == 0);
        if (begin != std::string_view::npos && isEnd) {
            return call.substr(begin, i - begin);
        }
        const bool isStart = depth == 1 && quote == 0 && i > 0 && (call[i - 1] == ' ' || call[i - 1] == '(');
        if (isStart && call.substr(i).starts_with(keyword) &&
            call.substr(i + keyword.size()).starts_with('=')) {
            begin = i + keyword.size() + 1;
        }
    }
    return {};
}

} // namespace

std::optional<PartitionMetadata> partitionMetadataFromRepr(std::string_view text) {
    std::string json;
    for (const char* field : {"num_symints_saved_for_bw", "bw_donated_idxs"}) {
        const auto value = ir::jsonFromRepr(keywordValue(text, field));
        if (value) {
            json += (json.empty() ? "{\"" : ", \"") + std::string(field) + "\": " + *value;
        }
    }
    return partitionMetadataFromJson(json + "}");
}

} // namespace aotscope::session
