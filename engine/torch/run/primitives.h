#pragma once

#include "run/replacements.h"

#include <optional>
#include <span>
#include <string_view>

namespace aotscope::torch {

/// `prims.*`, `inductor.*` and others that PyTorch registers from Python, by ATen operators that do the same.
[[nodiscard]] std::span<const Replacement> primitiveReplacements();

/// The ATen operator that a primitive without an entry above shares its name and meaning with ("prims.sin").
[[nodiscard]] std::optional<c10::OperatorHandle> sameNamedOperator(std::string_view target);

} // namespace aotscope::torch
