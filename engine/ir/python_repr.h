#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::ir {

/// What Python's `repr` wrote of dataclasses, as JSON text in the form of the golden files: an object with
/// `_class` and its fields, lists, sets and tuples as lists, a dictionary as an object, `<E.name: 1>` as
/// {"enum": "E.name"}, `<class 'a.B'>` as {"type": "B"}, `FakeTensor(..., size=(8, 4))` as {"kind":
/// "tensor", "shape": [8, 4]} with what else is printed, and a size that is an expression as {"symint":
/// text}. What is none of these becomes {"repr": text}.
///
/// Errors: ir.repr_syntax with line and column. Nesting is bounded.
[[nodiscard]] base::Result<std::string> jsonFromRepr(std::string_view text);

} // namespace aotscope::ir
