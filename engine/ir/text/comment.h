#pragma once

#include "ir/graph.h"

#include <string>
#include <string_view>

namespace aotscope::ir {

/// Reads the comment print_readable writes above a group of nodes, without its `# `.
[[nodiscard]] NodeOrigin parseOrigin(std::string_view comment);

/// Writes it back, without its `# `.
[[nodiscard]] std::string originText(const NodeOrigin& origin);

} // namespace aotscope::ir
