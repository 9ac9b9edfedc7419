#pragma once

#include "session/backend.h"

namespace aotscope::app {

/// Makes the backend that runs graphs through LibTorch, from the module libaotscope_torch.so, which is opened
/// at the first call: the environment's AOTSCOPE_TORCH_MODULE, else beside the executable (../lib/aotscope,
/// ../lib, its own folder). Errors: run.no_torch_module (says where it was looked for and what to do).
[[nodiscard]] session::BackendFactory torchBackendFactory();

} // namespace aotscope::app
