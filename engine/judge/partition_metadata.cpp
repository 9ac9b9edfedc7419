#include "judge/partition_metadata.h"

#include "base/mapped.h"
#include "ir/python_repr.h"

#include <nlohmann/json.hpp>

#include <string>

namespace aotscope::judge {
namespace {

/// "device(type='cuda', index=0)" as "cuda:0".
std::optional<std::string> deviceOf(const nlohmann::json& device) {
    if (device.is_string()) {
        return device.get<std::string>();
    }
    if (!device.is_object() || !device.contains("type") || !device["type"].is_string()) {
        return std::nullopt;
    }
    const bool hasIndex = device.contains("index") && device["index"].is_number_unsigned();
    return device["type"].get<std::string>() +
           (hasIndex ? ":" + std::to_string(device["index"].get<std::size_t>()) : "");
}

} // namespace

std::optional<PartitionMetadata> partitionMetadataFromJson(std::string_view text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return std::nullopt;
    }
    const auto number = [&](const char* name) {
        const auto field = json.find(name);
        return field != json.end() && field->is_number_unsigned() ? std::optional(field->get<std::size_t>())
                                                                  : std::nullopt;
    };
    const auto list = [&](const char* name) {
        const auto field = json.find(name);
        return field != json.end() && field->is_array() ? &*field : nullptr;
    };
    const auto symbols = number("num_symints_saved_for_bw");
    if (!symbols) {
        return std::nullopt;
    }
    PartitionMetadata metadata;
    metadata.savedSymInts = *symbols;
    metadata.generatorStates = number("num_graphsafe_rng_states");
    if (const nlohmann::json* donated = list("bw_donated_idxs")) {
        metadata.donated.emplace();
        for (const nlohmann::json& index : *donated) {
            if (index.is_number_unsigned()) {
                metadata.donated->push_back(index.get<std::size_t>());
            }
        }
    }
    if (const nlohmann::json* inputs = list("saved_tensor_is_graph_input")) {
        metadata.savedIsInput = base::mapped(
            *inputs, [](const nlohmann::json& flag) { return flag.is_boolean() && flag.get<bool>(); });
    }
    const auto device = json.find("graphsafe_rng_device");
    if (device != json.end()) {
        metadata.generatorDevice = deviceOf(*device);
    }
    return metadata;
}

PartitionMetadata partitionMetadataOf(const passes::Partition& partition) {
    PartitionMetadata metadata;
    metadata.savedSymInts = partition.savedSymbols.size();
    if (partition.donatesBuffers) {
        metadata.donated = passes::donatedBuffers(partition);
    }
    metadata.savedIsInput.emplace();
    // The forward also returns states of random generators, which are no values of the joint graph.
    for (const ir::Argument& saved : partition.forward->returned().subspan(partition.forwardOutputs)) {
        const ir::NodeId* id = saved.as<ir::NodeId>();
        const ir::Node* node = id == nullptr ? nullptr : &partition.forward->node(*id);
        if (node == nullptr || !std::holds_alternative<ir::SymbolicMeta>(node->value)) {
            metadata.savedIsInput->push_back(node != nullptr && node->op == ir::Opcode::Placeholder);
        }
    }
    metadata.generatorStates = 0;
    for (const ir::NodeId input : partition.forward->placeholders()) {
        const ir::Node& node = partition.forward->node(input);
        if (node.name.find("fwd_rng_state") == std::string::npos) {
            continue;
        }
        const ir::TensorMeta* state = ir::asTensor(node.value);
        if (metadata.generatorStates == 0 && state != nullptr && state->device) {
            metadata.generatorDevice = state->device->text();
        }
        ++*metadata.generatorStates;
    }
    return metadata;
}

namespace {

/// The value of a keyword argument of the call that a repr is; empty: it has none. The metadata of a large
/// model is long and few of its fields are needed, so the rest is not parsed.
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
    for (const char* field : {"num_symints_saved_for_bw", "bw_donated_idxs", "saved_tensor_is_graph_input",
                              "num_graphsafe_rng_states", "graphsafe_rng_device"}) {
        const auto value = ir::jsonFromRepr(keywordValue(text, field));
        if (value) {
            json += (json.empty() ? "{\"" : ", \"") + std::string(field) + "\": " + *value;
        }
    }
    return partitionMetadataFromJson(json + "}");
}

} // namespace aotscope::judge
