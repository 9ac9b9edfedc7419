#pragma once

#include "dispatch/operators.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// The ATen operator with the meaning of a primitive that has no replacement ("prims.sin"); nullopt when
/// there is none.
[[nodiscard]] std::optional<c10::OperatorHandle> sameNamedOperator(std::string_view target);

} // namespace aotscope::torch
