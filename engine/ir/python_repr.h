#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::ir {

/// Converts Python's `repr` of dataclasses to JSON text: a dataclass to an object with `_class` and its
/// fields; lists, sets and tuples to lists; a dictionary to an object; `<E.name: 1>` to {"enum": "E.name"};
/// `<class 'a.B'>` to {"type": "B"}; `FakeTensor(..., size=(8, 4))` to {"kind": "tensor", "shape": [8, 4]}
/// with the other printed fields; a symbolic size to {"symint": text}; anything else to {"repr": text}.
///
/// Errors: ir.repr_syntax with line and column. Nesting is bounded.
[[nodiscard]] base::Result<std::string> jsonFromRepr(std::string_view text);

} // namespace aotscope::ir
