#include "contract/partition_snapshot.h"

#include <array>

namespace aotscope::session {

namespace {

std::string partitionerName(passes::Partitioner partitioner) {
    return partitioner == passes::Partitioner::Default ? "default" : "min-cut";
}

} // namespace

std::string partitionerText(const PartitionSnapshot& split) {
    const bool isAssumed = split.partitionerSource == PartitionerSource::Assumed;
    return (isAssumed ? "assumed " : "") + partitionerName(split.options.partitioner);
}

std::string partitionerLine(passes::Partitioner partitioner, PartitionerSource source) {
    return "partitioner = " + partitionerName(partitioner) + " (" + std::string(base::wordOf(source)) + ")";
}

} // namespace aotscope::session
