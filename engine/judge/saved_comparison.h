#pragma once

#include "passes/partition.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a partition of this program saves beside what the logged halves save.
namespace aotscope::judge {

struct SavedComparison {
    /// Values that only one side saves, a line each: "permute_22: f32[8, 16, 16][256, 1, 16]cpu, 8192 bytes,
    /// a view of alias_6, which is saved too".
    std::vector<std::string> onlyMade;
    std::vector<std::string> onlyLogged;
    /// The same values under other names: "alias_4 is div in the log".
    std::vector<std::string> renamed;
    /// The same values with another shape, layout or device.
    std::vector<std::string> changed;
    /// Whether what both save comes in the same order. Values under other names are left out if only with
    /// them it is another: one is computed at another place.
    bool isOrderEqual = true;
    bool isOrderEqualWithRenamed = true;
    std::size_t made = 0;
    std::size_t logged = 0;
    std::int64_t madeBytes = 0;
    std::int64_t loggedBytes = 0;
};

/// Two values are the same if both are the joint graph's node of a name, or if they are computed by the same
/// operator from the same values; copies and views that change nothing are looked through, and constants are
/// their value, as a backend may rewrite a joint graph before it partitions it. Inductor's random numbers are
/// the joint graph's by the place of their seed.
/// `forward`: that of the partition, with the log's names of symbols; `loggedOutputs`: how many values the
/// logged forward returns to its caller.
[[nodiscard]] SavedComparison compareSaved(const passes::Partition& made, const ir::Graph& forward,
                                           const ir::Graph& loggedForward, std::size_t loggedOutputs);

} // namespace aotscope::judge
