#pragma once

#include "ir/aot_metadata.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// The metadata as JSON with the keys of the golden files' `fw_metadata`, derived indices included.
[[nodiscard]] std::string metadataToJson(const ViewAndMutationMeta& metadata);

/// Reads the same; keys that this program does not know are left alone. Errors: ir.json_syntax,
/// ir.metadata_form (names the field).
[[nodiscard]] base::Result<ViewAndMutationMeta> metadataFromJson(std::string_view json);

/// Reads what PyTorch logs as `aot_forward_graph_fw_metadata`, the repr of the dataclass. What that leaves
/// out of the tangents (strides, a default dtype) stays unknown. Errors: as above, ir.repr_syntax.
[[nodiscard]] base::Result<ViewAndMutationMeta> metadataFromRepr(std::string_view text);

/// The repr, as `aot_forward_graph_fw_metadata` has it: metadataFromRepr reads it back. Tangents lose their
/// strides, as they do there.
[[nodiscard]] std::string metadataToRepr(const ViewAndMutationMeta& metadata);

} // namespace aotscope::ir
