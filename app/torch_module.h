#pragma once

#include "session/backend.h"

namespace aotscope::app {

/// Creates the LibTorch backend from the module libaotscope_torch.so, which is opened at the first call: the
/// path in the environment variable AOTSCOPE_TORCH_MODULE, else beside the executable (../lib/aotscope,
/// ../lib, its own folder). Errors: run.no_torch_module (says where it looked and what to do).
[[nodiscard]] session::BackendFactory torchBackendFactory();

} // namespace aotscope::app
