#pragma once

#include "torch_headers.h"

#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <optional>
#include <string>
#include <string_view>

/// The names of torch's layouts and memory formats, without "torch.": "strided", "contiguous_format".
namespace aotscope::torch {

[[nodiscard]] std::string layoutName(c10::Layout layout);
[[nodiscard]] std::optional<c10::Layout> layoutNamed(std::string_view name);

[[nodiscard]] std::string memoryFormatName(c10::MemoryFormat format);
[[nodiscard]] std::optional<c10::MemoryFormat> memoryFormatNamed(std::string_view name);

} // namespace aotscope::torch
