#pragma once

#include "passes/partition.h"

#include <string_view>
#include <vector>

namespace aotscope::judge {

/// The graphs of saved-tensors hooks in PyTorch's record `aot_saved_tensors_hooks_graphs`, in its order. A
/// graph that cannot be read is null.
[[nodiscard]] std::vector<passes::InlinedHook> loggedHooks(std::string_view record);

} // namespace aotscope::judge
