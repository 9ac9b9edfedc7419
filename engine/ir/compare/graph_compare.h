#pragma once

#include "ir/compare/graph_match.h"

#include <string>
#include <vector>

namespace aotscope::ir::detail {

/// What differs between partners, in words: operator, arguments (as seen through the matching), metadata.
/// Names are left out, and so are facts that one side does not know.
[[nodiscard]] std::vector<std::string> compareNodes(const Graph& left, const Graph& right,
                                                    const Matching& matching, NodeId leftNode,
                                                    NodeId rightNode);

} // namespace aotscope::ir::detail
