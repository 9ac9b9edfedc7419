#pragma once

#include "json_text.h"
#include "memory_run.h"

#include <cstddef>
#include <string>

namespace aotscope::cli {

/// Peaks, the `top` largest values alive at the peak, and comparisons or measurements if there are any.
[[nodiscard]] std::string memoryTable(const MemoryAnswer& answer, std::size_t top);
/// One line per value, without a header.
[[nodiscard]] std::string memoryCsv(const MemoryAnswer& answer);
[[nodiscard]] Json memoryJson(const MemoryAnswer& answer);
/// A picture. With a measured run it omits the graph's inputs, because they are not measured.
[[nodiscard]] std::string memorySvg(const MemoryAnswer& answer);

} // namespace aotscope::cli
