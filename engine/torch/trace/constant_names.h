#pragma once

#include "torch_headers.h"

#include <string>

namespace aotscope::torch {

/// "strided"
[[nodiscard]] std::string layoutName(c10::Layout layout);
/// "contiguous_format"
[[nodiscard]] std::string memoryFormatName(c10::MemoryFormat format);

} // namespace aotscope::torch
