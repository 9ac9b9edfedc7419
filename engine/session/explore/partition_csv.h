#pragma once

#include "session/explore/partition_snapshot.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Rows of a partition as comma-separated values, for spreadsheets: lines end in "\r\n", the first names the
/// columns.
namespace aotscope::session {

/// Quoted where it must be.
[[nodiscard]] std::string csvField(std::string_view text);
/// One line, with its end.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);

/// name,bytes,dtype,shape,reason,module,source,from,last,share_of_peak
[[nodiscard]] std::string savedCsv(std::span<const SavedTensor* const> rows);

/// name,bytes,flops,reason,module,source,position (of the copy in the backward)
[[nodiscard]] std::string recomputedCsv(const PartitionSnapshot& split);

/// Both in one table, for several graphs: graph,fate,name,bytes,dtype,shape,reason,module,source,from,last,
/// share_of_peak,flops,position; `fate` is "saved" or "recomputed", and what a row does not have is empty.
[[nodiscard]] std::string splitCsvHeader();
[[nodiscard]] std::string splitCsv(std::string_view graph, const PartitionSnapshot& split);

} // namespace aotscope::session
