#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// What the partition adds to AOTAutograd's metadata. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/schemas.py: ViewAndMutationMeta.
struct PartitionMetadata {
    /// num_symints_saved_for_bw
    std::size_t savedSymInts = 0;
    /// bw_donated_idxs; nothing if the configuration has donated buffers turned off.
    std::optional<std::vector<std::size_t>> donated;
};

/// From the repr that PyTorch logs as `aot_forward_graph_fw_metadata`, or the same as JSON (a golden file's
/// `fw_metadata`). Nothing if the text has another form or there was no partition.
[[nodiscard]] std::optional<PartitionMetadata> partitionMetadataFromRepr(std::string_view text);
[[nodiscard]] std::optional<PartitionMetadata> partitionMetadataFromJson(std::string_view text);

} // namespace aotscope::session
