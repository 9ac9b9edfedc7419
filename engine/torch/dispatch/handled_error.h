#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::ir {
struct Node;
} // namespace aotscope::ir

namespace aotscope::torch {

/// The code of an error from a check inside LibTorch: something is not supported there.
inline constexpr std::string_view internalCheckCode = "run.internal_check";

/// The error for the exception that is being handled, whether it comes from engine/torch or from LibTorch.
/// Only this function reads c10::Error. `code` is for exceptions without one; running out of memory is
/// "run.too_large", an error after which CUDA refuses everything "cuda.lost" (lost_device.h). Call it in a
/// catch block that does not catch Canceled.
[[nodiscard]] base::Error handledError(std::string code);

/// The same where the caller has other work left. Throws the error as RunFailure if it is "cuda.lost": none
/// of that work can be done then.
[[nodiscard]] base::Error survivedError(std::string code);

/// Puts the failed node in front of the message, unless a node is there already; false then.
bool addNode(base::Error& error, const ir::Node& node);

/// The first line of a message, without what LibTorch appends.
[[nodiscard]] std::string firstLine(const std::string& message);

} // namespace aotscope::torch
