#include "judge/logged_metadata.h"

#include "evidence/golden_unit_json.h"
#include "ir/json/aot_metadata_json.h"

#include <string>
#include <utility>

namespace aotscope::judge {
namespace {

/// "units/0" of "units/0/joint".
std::string unitOf(const std::string& artifact) {
    return artifact.substr(0, artifact.rfind('/'));
}

/// The metadata at a place of a golden file's unit ("", "/partitions/default") as JSON text; empty: none.
std::string metadataText(const nlohmann::json& unit, const std::string& place) {
    const nlohmann::json::json_pointer metadata(place + "/fw_metadata");
    return unit.contains(metadata) && unit[metadata].is_object() ? unit[metadata].dump() : std::string();
}

} // namespace

std::optional<base::Result<ir::ViewAndMutationMeta>> loggedMetadata(const session::LogSnapshot& log,
                                                                    const session::RetraceTarget& target) {
    if (log.traceLog()) {
        return target.metadata
                   ? std::optional(ir::metadataFromRepr(log.traceLog()->payload(*target.metadata)))
                   : std::nullopt;
    }
    if (!target.logged || !target.logged->artifact.starts_with("units/")) {
        return std::nullopt;
    }
    auto read = evidence::readGoldenUnitJson(log.path, unitOf(target.logged->artifact));
    if (!read) {
        return base::Result<ir::ViewAndMutationMeta>(std::move(read).error());
    }
    // That of the whole compile, else as a partition left it.
    for (const char* place : {"", "/partitions/default", "/partitions/min_cut"}) {
        if (const std::string text = metadataText(read->unit(), place); !text.empty()) {
            return ir::metadataFromJson(text);
        }
    }
    return std::nullopt;
}

std::optional<PartitionMetadata> loggedPartitionMetadata(const session::LogSnapshot& log,
                                                         const session::LoggedPartition& logged) {
    if (logged.metadata) {
        return partitionMetadataFromRepr(log.traceLog()->payload(*logged.metadata));
    }
    if (log.traceLog() || logged.partitioner.empty() ||
        logged.joint.artifact.find('/') == std::string::npos) {
        return std::nullopt;
    }
    const auto read = evidence::readGoldenUnitJson(log.path, unitOf(logged.joint.artifact));
    return read ? partitionMetadataFromJson(metadataText(read->unit(), "/partitions/" + logged.partitioner))
                : std::nullopt;
}

} // namespace aotscope::judge
