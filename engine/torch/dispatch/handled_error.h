#pragma once

#include "base/result.h"

#include <string>

namespace aotscope::torch {

/// The exception that is being handled as an error, wherever in this room or in LibTorch it came from: the
/// one place that reads c10::Error. `code` is for what has none of its own; memory that is used up is
/// "run.too_large". Call it in a handler, after Canceled was let through.
[[nodiscard]] base::Error handledError(std::string code);

/// A message without what LibTorch adds behind its first line.
[[nodiscard]] std::string firstLine(const std::string& message);

} // namespace aotscope::torch
