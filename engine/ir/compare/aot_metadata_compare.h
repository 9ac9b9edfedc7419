#pragma once

#include "ir/aot_metadata.h"

#include <string>
#include <vector>

namespace aotscope::ir {

/// Where the metadata that was found here and PyTorch's part, one line each: "output_info[0].requires_grad:
/// made True, logged False". Facts that one side does not know, such as fields that its release of torch does
/// not have, are no difference; `leavesKnown` false: which inputs are leaves was not told to the engine.
/// Nothing: equal.
[[nodiscard]] std::vector<std::string> metadataDifferences(const ViewAndMutationMeta& made,
                                                           const ViewAndMutationMeta& logged,
                                                           bool leavesKnown = true);

/// The logged fields that metadataDifferences leaves out: those that only the log has, by name or path.
[[nodiscard]] std::vector<std::string> metadataNotCompared(const ViewAndMutationMeta& made,
                                                           const ViewAndMutationMeta& logged);

} // namespace aotscope::ir
