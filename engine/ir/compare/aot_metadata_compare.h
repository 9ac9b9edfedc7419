#pragma once

#include "ir/aot_metadata.h"

#include <string>
#include <vector>

namespace aotscope::ir {

/// Differences between our and PyTorch's metadata, one line each: "output_info[0].requires_grad: made True,
/// logged False". Facts that one side does not know, such as fields that its release of torch does not have,
/// are no difference. `leavesKnown` false: the caller did not say which inputs are leaves. PyTorch leaves out
/// the dtype of a tangent that is the process's `defaultDtype`, and the device of one on the CPU. Nothing:
/// equal.
[[nodiscard]] std::vector<std::string> metadataDifferences(const ViewAndMutationMeta& made,
                                                           const ViewAndMutationMeta& logged,
                                                           bool leavesKnown = true,
                                                           DType defaultDtype = DType::Float32);

/// The logged fields that metadataDifferences leaves out: those that only the log has, by name or path.
[[nodiscard]] std::vector<std::string> metadataNotCompared(const ViewAndMutationMeta& made,
                                                           const ViewAndMutationMeta& logged);

} // namespace aotscope::ir
