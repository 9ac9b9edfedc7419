#pragma once

#include <string_view>

/// What the names of operators say where many, also those of other libraries, have a part of it in common.
namespace aotscope::ir {

/// What an operator does that fused kernels do not, in words; empty: its name does not say.
[[nodiscard]] std::string_view deedOf(std::string_view target);

/// Whether the operator draws random numbers.
[[nodiscard]] bool drawsByName(std::string_view target);

/// Whether it is pointwise by PyTorch's tag or reduces, among those that fused kernels do not compute.
[[nodiscard]] bool couldBeFused(std::string_view target);

} // namespace aotscope::ir
