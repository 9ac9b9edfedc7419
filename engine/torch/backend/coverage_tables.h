#pragma once

#include "contract/coverage.h"

#include <vector>

namespace aotscope::torch {

/// The coverage of calls, shape functions and decompositions against PyTorch's own lists, area by area.
[[nodiscard]] std::vector<session::CoverageRow> coverageTables();

} // namespace aotscope::torch
