#pragma once

#include "session/snapshots.h"

#include <string>
#include <vector>

namespace aotscope::session {

/// What names one log among several: its rank, "rank3"; where another has that rank the file's name, and
/// where another has that the path. Before a compile's id it makes "rank3:0/0". Empty of one log alone.
struct LogName {
    std::string text;
    bool isRank = false;
    friend bool operator==(const LogName&, const LogName&) = default;
};

/// In the order of `logs`.
[[nodiscard]] std::vector<LogName> logNames(const std::vector<LogSnapshotPtr>& logs);

} // namespace aotscope::session
