#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// A value of a repr that has no form known here. Its text is kept where the value would be.
struct UnreadRepr {
    /// "subclass_tangent_meta[0].meta"
    std::string path;
    std::size_t line = 0;
    std::size_t column = 0;
};

struct ReadRepr {
    std::string json;
    /// The first of them, in order.
    std::vector<UnreadRepr> unread;
    std::size_t unreadCount = 0;
};

/// Converts Python's `repr` of dataclasses, also as `pprint` writes it, to JSON text: a dataclass to an
/// object with `_class` and its fields; lists, sets and tuples to lists; a dictionary to an object; adjacent
/// strings to one; `<E.name: 1>` to {"enum": "E.name"}; `<class 'a.B'>` to {"type": "B"}; `FakeTensor(...,
/// size=(8, 4))` to {"kind": "tensor", "shape": [8, 4]} with the other printed fields; a symbolic size to
/// {"symint": text}; anything else to {"repr": text}.
///
/// A value of unknown form within brackets is kept as {"repr": text} and listed; the values around it are
/// read. Errors: ir.repr_syntax with line and column, for text that ends too early or is no value at all;
/// ir.repr_size. Nesting is bounded.
[[nodiscard]] base::Result<ReadRepr> readRepr(std::string_view text);

/// readRepr's JSON.
[[nodiscard]] base::Result<std::string> jsonFromRepr(std::string_view text);

/// The text of a keyword argument of the call that a repr is; empty: it has none. Nothing else of it is
/// parsed.
[[nodiscard]] std::string_view keywordValue(std::string_view call, std::string_view keyword);

} // namespace aotscope::ir
