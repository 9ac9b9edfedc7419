#pragma once

#include "ir/graph.h"
#include "ir/text/names.h"

#include <string>
#include <string_view>

/// What print_readable writes beside the code.
namespace aotscope::ir {

/// Reads what stands between the quotes after a name into `value`: `f32[8, s0][s0, 1]cuda:0`,
/// `Sym(s0)`, `TwoTensor(f32[3][1]cpu)`. False, and nothing known, when the text is of another kind.
[[nodiscard]] bool parseAnnotation(std::string_view text, SymbolCache& symbols, ValueMeta& value);

/// Reads the comment above a group of nodes, without its `# `.
[[nodiscard]] NodeOrigin parseOrigin(std::string_view comment);
/// Writes it back, without its `# `.
[[nodiscard]] std::string originText(const NodeOrigin& origin);

} // namespace aotscope::ir
