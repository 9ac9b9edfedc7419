#pragma once

#include "passes/partition.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::judge {

/// What the partition adds to AOTAutograd's metadata. Follows torch 2.11 and 2.15,
/// torch/_functorch/_aot_autograd/schemas.py: ViewAndMutationMeta. A field that only some releases have is
/// empty for the others.
struct PartitionMetadata {
    /// num_symints_saved_for_bw
    std::size_t savedSymInts = 0;
    /// num_tensors_saved_with_no_vc_check, num_opaque_objects_saved_for_bw, num_backward_tokens. The text of
    /// a joint graph shows none of them, so of one that was read they are not known.
    std::optional<std::size_t> savedWithoutCheck;
    std::optional<std::size_t> savedOpaqueObjects;
    std::optional<std::size_t> backwardTokens;
    /// bw_donated_idxs; nothing if the configuration has donated buffers turned off.
    std::optional<std::vector<std::size_t>> donated;
    /// saved_tensor_is_graph_input (torch 2.15): for each saved tensor whether the forward got it as an
    /// input.
    std::optional<std::vector<bool>> savedIsInput;
    /// num_graphsafe_rng_states
    std::optional<std::size_t> generatorStates;
    /// graphsafe_rng_state_index; nothing also if there are no states.
    std::optional<std::size_t> generatorIndex;
    /// graphsafe_rng_device (torch 2.15): "cuda:0"; nothing also if there are no states.
    std::optional<std::string> generatorDevice;
    friend bool operator==(const PartitionMetadata&, const PartitionMetadata&) = default;
};

/// From the repr that PyTorch logs as `aot_forward_graph_fw_metadata`, or the same as JSON (a golden file's
/// `fw_metadata`). Nothing if the text has another form or there was no partition.
[[nodiscard]] std::optional<PartitionMetadata> partitionMetadataFromRepr(std::string_view text);
[[nodiscard]] std::optional<PartitionMetadata> partitionMetadataFromJson(std::string_view text);

/// The metadata that our partition adds. `isTraced`: its joint graph was traced here. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/graph_compile.py: _aot_stage2a_partition,
/// _categorize_saved_tensors_for_backward.
[[nodiscard]] PartitionMetadata partitionMetadataOf(const passes::Partition& partition, bool isTraced);

} // namespace aotscope::judge
