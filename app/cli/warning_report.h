#pragma once

#include "passes/graph_warnings.h"

#include <span>
#include <string>
#include <vector>

/// What a compile's graphs show by themselves, as the commands print it.
namespace aotscope::cli {

/// One line per warning, with "  " before each.
[[nodiscard]] std::string warningsText(std::span<const passes::GraphWarning> warnings);
/// Those that name the node.
[[nodiscard]] std::vector<passes::GraphWarning> warningsOfNode(std::span<const passes::GraphWarning> warnings,
                                                               const std::string& node);

} // namespace aotscope::cli
