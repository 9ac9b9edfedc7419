#pragma once

#include "session/coverage.h"

#include <vector>

namespace aotscope::torch {

/// The tables of coverage of every area, against PyTorch's own lists; by area, then by name.
[[nodiscard]] std::vector<session::CoverageRow> coverageTables();

} // namespace aotscope::torch
