#pragma once

#include "json_text.h"
#include "memory_run.h"

#include <cstddef>
#include <string>

namespace aotscope::cli {

/// Peaks, the `top` largest values alive at the peak, and what was compared or measured.
[[nodiscard]] std::string memoryTable(const MemoryAnswer& answer, std::size_t top);
/// One line per value, without a header.
[[nodiscard]] std::string memoryCsv(const MemoryAnswer& answer);
[[nodiscard]] Json memoryJson(const MemoryAnswer& answer);
/// A picture; with a run the graph's inputs are left out, as they are not measured.
[[nodiscard]] std::string memorySvg(const MemoryAnswer& answer);

} // namespace aotscope::cli
