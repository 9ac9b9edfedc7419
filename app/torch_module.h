#pragma once

#include "contract/backend.h"

namespace aotscope::app {

/// Creates the LibTorch backend. A process can hold one LibTorch: the module that the first run or re-trace
/// needs is opened in this process, the module of another release by an engine in a child process
/// (remote::RemoteBackend, the program aotscope-engine beside this one). For graphs of a release whose own
/// module is there (built by `./dev module`) it is that one, else the program's own, whose LibTorch then
/// follows the release's rules. With AOTSCOPE_ENGINE=child in the environment the first one is opened in a
/// child process as well.
///
/// Errors: run.no_torch_module (engine_module.h), remote.no_program.
[[nodiscard]] session::BackendFactory torchBackendFactory();

} // namespace aotscope::app
