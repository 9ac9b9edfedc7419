#pragma once

#include "ir/aot_metadata.h"

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// The metadata as JSON with the keys that golden files have, derived indices included.
[[nodiscard]] std::string metadataToJson(const ViewAndMutationMeta& metadata);

/// Reads the same, or the metadata of any release of torch: fields that have no place in the struct are kept
/// as text, and missing ones are named there. Errors: ir.json_syntax; ir.metadata_form: no field is
/// PyTorch's.
[[nodiscard]] base::Result<ViewAndMutationMeta> metadataFromJson(std::string_view json);

/// Reads the repr of the dataclass, which PyTorch logs. What that leaves out of the tangents (strides, a
/// default dtype) stays unknown. Errors: as above, and those of readRepr.
[[nodiscard]] base::Result<ViewAndMutationMeta> metadataFromRepr(std::string_view text);

/// The same repr: metadataFromRepr reads it back. Tangents lose their strides, as they do there; fields kept
/// as text are left out.
[[nodiscard]] std::string metadataToRepr(const ViewAndMutationMeta& metadata);

} // namespace aotscope::ir
