#pragma once

#include "contract/partition_snapshot.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A partition as CSV for spreadsheets. Lines end in "\r
/// "; the first one has the column names.
namespace aotscope::session {

/// Quoted if necessary.
[[nodiscard]] std::string csvField(std::string_view text);
/// One line, line end included.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);

/// name,bytes,dtype,shape,reason,module,source,from,last,share_of_peak
[[nodiscard]] std::string savedCsv(std::span<const SavedTensor* const> rows);

/// name,bytes,flops,reason,module,source,position (of the copy in the backward)
[[nodiscard]] std::string recomputedCsv(const PartitionSnapshot& split);

/// Saved and recomputed values of several graphs in one table:
/// graph,fate,name,bytes,dtype,shape,reason,module,source,from,last, share_of_peak,flops,position. `fate` is
/// "saved" or "recomputed"; columns that do not apply are empty.
[[nodiscard]] std::string splitCsvHeader();
[[nodiscard]] std::string splitCsv(std::string_view graph, const PartitionSnapshot& split);

} // namespace aotscope::session
