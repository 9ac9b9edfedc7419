#pragma once

#include "session/coverage.h"

#include <vector>

namespace aotscope::torch {

/// The tables of coverage of every area, against PyTorch's own lists; area by area.
[[nodiscard]] std::vector<session::CoverageRow> coverageTables();

} // namespace aotscope::torch
