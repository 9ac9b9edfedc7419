#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace aotscope::timeline {

/// Names as numbers; equal names have equal numbers.
using Names = std::span<const std::uint32_t>;

/// Where calls come in the order of a program, once or several times in a row: pairs of a call and the
/// position in the program. Calls in between that the program does not have, and positions that were not
/// called, are left out; a pass in which no more than half of the program was called does not count. `steps`
/// is how much may still be compared; at 0 the rest is left out.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> callsInOrder(Names calls, Names program,
                                                                            std::size_t& steps);

} // namespace aotscope::timeline
