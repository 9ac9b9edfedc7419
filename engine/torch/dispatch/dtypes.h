#pragma once

#include "torch_headers.h"

#include "ir/dtype.h"

#include <optional>

namespace aotscope::torch {

/// Nothing for a dtype that LibTorch lacks.
[[nodiscard]] std::optional<c10::ScalarType> scalarType(ir::DType dtype);
/// DType::Unknown for a type that the IR lacks.
[[nodiscard]] ir::DType dtypeOf(c10::ScalarType type);
/// "float32"
[[nodiscard]] std::string dtypeText(c10::ScalarType type);

} // namespace aotscope::torch
