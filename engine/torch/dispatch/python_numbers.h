#pragma once

#include "torch_headers.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// Python's arithmetic on plain numbers and bools. Errors throw RunFailure: run.overflow,
/// run.division_by_zero.
namespace aotscope::torch::python {

[[nodiscard]] bool isNumber(const c10::IValue& value);
/// Whether it is an integer or bool.
[[nodiscard]] bool isInteger(const c10::IValue& value);
[[nodiscard]] std::int64_t integer(const c10::IValue& value);
[[nodiscard]] double real(const c10::IValue& value);

/// An operator on two numbers or a function of one, by its name in `operator` or `math`; nothing: there is
/// none of that name.
[[nodiscard]] std::optional<c10::IValue> numberOperation(std::string_view name, const c10::IValue& a,
                                                         const c10::IValue& b);
[[nodiscard]] std::optional<c10::IValue> unaryNumber(std::string_view name, const c10::IValue& a);

} // namespace aotscope::torch::python
