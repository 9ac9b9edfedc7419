#include "judge/partition_metadata.h"

#include "aot/compiled_function.h"
#include "base/foreign_json.h"
#include "ir/python_repr.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::judge {
namespace {

/// "device(type='cuda', index=0)"
struct LoggedDevice {
    std::string type;
    std::optional<std::size_t> index;
};
AOTSCOPE_MEMBERS(LoggedDevice, type, index)

/// The fields that the partition adds, by PyTorch's names.
struct LoggedFields {
    std::optional<std::size_t> numSymintsSavedForBw;
    std::optional<std::vector<std::optional<std::size_t>>> bwDonatedIdxs;
    std::optional<std::vector<bool>> savedTensorIsGraphInput;
    std::optional<std::size_t> numTensorsSavedWithNoVcCheck;
    std::optional<std::size_t> numOpaqueObjectsSavedForBw;
    std::optional<std::size_t> numBackwardTokens;
    std::optional<std::size_t> numGraphsafeRngStates;
    std::optional<std::size_t> graphsafeRngStateIndex;
    /// A name or a device.
    nlohmann::json graphsafeRngDevice = {};
};
AOTSCOPE_MEMBERS(LoggedFields, numSymintsSavedForBw, bwDonatedIdxs, savedTensorIsGraphInput,
                 numTensorsSavedWithNoVcCheck, numOpaqueObjectsSavedForBw, numBackwardTokens,
                 numGraphsafeRngStates, graphsafeRngStateIndex, graphsafeRngDevice)

/// "cuda:0"
std::optional<std::string> deviceOf(const nlohmann::json& device) {
    std::string name;
    LoggedDevice logged;
    if (base::readForeign(device, name)) {
        return name;
    }
    if (!base::readForeign(device, logged) || logged.type.empty()) {
        return std::nullopt;
    }
    return logged.type + (logged.index ? ":" + std::to_string(*logged.index) : "");
}

/// Where a call draws with the state of a generator, which has no device itself.
std::optional<ir::Device> drawnOn(const ir::Graph& forward, ir::NodeId state) {
    for (const ir::NodeId call : forward.users(state)) {
        std::vector<ir::NodeId> drawn{call};
        std::ranges::copy(forward.users(call), std::back_inserter(drawn));
        for (const ir::NodeId id : drawn) {
            const ir::TensorMeta* tensor = ir::asTensor(forward.node(id).value);
            if (tensor != nullptr && tensor->device) {
                return tensor->device;
            }
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<PartitionMetadata> partitionMetadataFromJson(std::string_view text) {
    auto fields = base::foreignFrom<LoggedFields>(text);
    if (!fields.numSymintsSavedForBw) {
        return std::nullopt;
    }
    PartitionMetadata metadata;
    metadata.savedSymInts = *fields.numSymintsSavedForBw;
    if (fields.bwDonatedIdxs) {
        metadata.donated.emplace();
        for (const std::optional<std::size_t>& index : *fields.bwDonatedIdxs) {
            if (index) {
                metadata.donated->push_back(*index);
            }
        }
    }
    metadata.savedIsInput = std::move(fields.savedTensorIsGraphInput);
    metadata.savedWithoutCheck = fields.numTensorsSavedWithNoVcCheck;
    metadata.savedOpaqueObjects = fields.numOpaqueObjectsSavedForBw;
    metadata.backwardTokens = fields.numBackwardTokens;
    metadata.generatorStates = fields.numGraphsafeRngStates;
    metadata.generatorIndex = fields.graphsafeRngStateIndex;
    metadata.generatorDevice = deviceOf(fields.graphsafeRngDevice);
    return metadata;
}

PartitionMetadata partitionMetadataOf(const passes::Partition& partition, bool isTraced) {
    PartitionMetadata metadata;
    metadata.savedSymInts = partition.savedSymbols.size();
    if (isTraced) {
        metadata.savedOpaqueObjects = 0;
        // PyTorch counts what is left after it took the tokens out.
        if (!partition.report.tokensStay) {
            metadata.backwardTokens = aot::countOutputs<ir::BackwardTokenAOTOutput>(*partition.backward);
        }
        if (partition.hooks.empty()) {
            metadata.savedWithoutCheck =
                aot::countOutputs<ir::SavedForBackwardsNoVcCheckAOTOutput>(*partition.forward);
        }
    }
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
        const auto device = metadata.generatorStates == 0 ? drawnOn(*partition.forward, input) : std::nullopt;
        if (device && device->index >= 0) {
            metadata.generatorDevice = device->text();
            metadata.generatorIndex = static_cast<std::size_t>(device->index);
        }
        ++*metadata.generatorStates;
    }
    return metadata;
}

std::optional<PartitionMetadata> partitionMetadataFromRepr(std::string_view text) {
    std::string json;
    // The metadata of a large model is long and few of its fields are needed.
    const LoggedFields names{};
    base::visitMembers(names, [&](const char* field, const auto& /*member*/) {
        if (const auto value = ir::jsonFromRepr(ir::keywordValue(text, field))) {
            json += (json.empty() ? "{\"" : ", \"") + std::string(field) + "\": " + *value;
        }
    });
    return partitionMetadataFromJson(json + "}");
}

} // namespace aotscope::judge
