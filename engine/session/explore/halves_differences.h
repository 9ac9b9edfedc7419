#pragma once

#include "session/explore/joint_input.h"
#include "session/explore/partition_snapshot.h"

#include <string>
#include <vector>

/// Compares a partition computed here with the logged one; one line per difference.
namespace aotscope::session {

/// The halves before hooks are inlined; if hooks are on both sides also each pack and unpack graph and the
/// halves with them.
[[nodiscard]] std::vector<std::string> halvesDifferences(const PartitionSnapshot& split,
                                                         const LoggedHalves& logged, bool isLoggedAsText);

/// What a partition adds to the metadata.
[[nodiscard]] std::vector<std::string> metadataDifferences(const passes::Partition& partition,
                                                           const PartitionMetadata& logged);

} // namespace aotscope::session
