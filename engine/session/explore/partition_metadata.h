#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// What a partition adds to AOTAutograd's metadata (ViewAndMutationMeta).
struct PartitionMetadata {
    /// num_symints_saved_for_bw
    std::size_t savedSymInts = 0;
    /// bw_donated_idxs; nothing: the configuration asks for no donated buffers.
    std::optional<std::vector<std::size_t>> donated;
};

/// From the repr that PyTorch logs as `aot_forward_graph_fw_metadata`, and from the same as JSON (a golden
/// file's `fw_metadata`). Nothing: of another form, or nothing was partitioned.
[[nodiscard]] std::optional<PartitionMetadata> partitionMetadataFromRepr(std::string_view text);
[[nodiscard]] std::optional<PartitionMetadata> partitionMetadataFromJson(std::string_view text);

} // namespace aotscope::session
