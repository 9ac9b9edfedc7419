#pragma once

#include "run/replacements.h"

#include <optional>
#include <span>
#include <string_view>

namespace aotscope::torch {

/// `prims.*`, `inductor.*` and others that PyTorch registers from Python, computed by ATen operators. Follows
/// torch 2.11, torch/_prims/__init__.py, torch/_prims/rng_prims.py and torch/_inductor/inductor_prims.py.
[[nodiscard]] std::span<const Replacement> primitiveReplacements();

/// The ATen operator with the meaning of a primitive that has no replacement ("prims.sin"); nullopt when
/// there is none.
[[nodiscard]] std::optional<c10::OperatorHandle> sameNamedOperator(std::string_view target);

} // namespace aotscope::torch
