#pragma once

#include "aot/global_state.h"

#include <optional>
#include <string_view>

namespace aotscope::evidence {

/// The state that a text of guards tells: the JSON after `___check_global_state` (torch 2.11 and 2.15;
/// GlobalStateGuard in torch/csrc/dynamo/guards.cpp), and inference mode from the keys of its tensors. A
/// member that is missing or malformed has PyTorch's default. Nothing: there is no such guard.
[[nodiscard]] std::optional<aot::GlobalState> guardedGlobalState(std::string_view guards);

} // namespace aotscope::evidence
