#pragma once

#include "base/result.h"

#include <optional>
#include <string>

/// Errors after which CUDA refuses all further work of a process: a kernel that read a wrong address leaves
/// the GPU's context unusable, and every later call gets the same error.
namespace aotscope::torch {

/// Whether CUDA documents that a process must be started again after this error. The numbers are the same in
/// the driver's and the runtime's API.
[[nodiscard]] bool losesDevice(int cudaError);

/// The same from the text of LibTorch's exceptions, which names the runtime's constant.
[[nodiscard]] bool namesLostDevice(const std::string& message);

/// The error "cuda.lost" for what CUDA says, which this process remembers. `what`: the message of the call
/// that failed.
[[nodiscard]] base::Error lostDeviceError(const std::string& what);

/// The error of all later work on a GPU in this process, if it has lost CUDA.
[[nodiscard]] std::optional<base::Error> lostDevice();

} // namespace aotscope::torch
