#pragma once

#include "session/backend.h"

namespace aotscope::app {

/// Creates the LibTorch backend. Its module is opened by the first run or re-trace: a process can hold one
/// LibTorch, so that call decides which. For graphs of a release whose own module is there (built by
/// `./dev module`) it is that one, else the program's own, whose LibTorch then follows the release's rules.
///
/// Modules lie beside the executable (../lib/aotscope, ../lib, its own folder), those of other releases in
/// torch-2.11/ there; AOTSCOPE_TORCH_MODULE names one to use instead. Errors: run.no_torch_module (says where
/// it looked and what to do).
[[nodiscard]] session::BackendFactory torchBackendFactory();

} // namespace aotscope::app
