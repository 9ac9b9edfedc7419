#pragma once

#include "contract/kernel_check.h"

#include "base/result.h"
#include "ir/graph.h"

#include <string>

namespace aotscope::test {

/// A check of a graph's fused kernels, in whose texts `from` was replaced by `to`.
[[nodiscard]] base::Result<session::KernelCheck>
checkedWithChange(const ir::Graph& graph, const std::string& from, const std::string& to);

} // namespace aotscope::test
