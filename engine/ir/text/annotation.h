#pragma once

#include "ir/text/names.h"
#include "ir/value.h"

#include <string_view>

namespace aotscope::ir {

/// Reads what print_readable writes between the quotes after a name into `value`: `f32[8, s0][s0, 1]cuda:0`,
/// `Sym(s0)`, `TwoTensor(f32[3][1]cpu)`. False, and nothing known, when the text is of another kind.
[[nodiscard]] bool parseAnnotation(std::string_view text, SymbolCache& symbols, ValueMeta& value);

} // namespace aotscope::ir
