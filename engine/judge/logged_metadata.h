#pragma once

#include "contract/retrace_target.h"
#include "contract/snapshots.h"
#include "files/logged_partitions.h"
#include "ir/aot_metadata.h"
#include "judge/partition_metadata.h"

#include "base/result.h"

#include <optional>

/// AOTAutograd's metadata, as trace logs and golden files have it.
namespace aotscope::judge {

/// Nothing: none is logged. Errors: those of its readers; session.open, session.no_such_artifact.
[[nodiscard]] std::optional<base::Result<ir::ViewAndMutationMeta>>
loggedMetadata(const session::LogSnapshot& log, const session::RetraceTarget& target);

/// What PyTorch's partition added. Nothing: none is logged, or it cannot be read.
[[nodiscard]] std::optional<PartitionMetadata>
loggedPartitionMetadata(const session::LogSnapshot& log, const session::LoggedPartition& logged);

} // namespace aotscope::judge
