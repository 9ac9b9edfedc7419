#pragma once

#include "contract/snapshots.h"

#include <string>
#include <vector>

namespace aotscope::session {

/// A short name for one of several logs: its rank, "rank3"; the file name if another log has the same rank;
/// the path if that is ambiguous too. It precedes compile ids, "rank3:0/0". Empty if there is only one log.
struct LogName {
    std::string text;
    bool isRank = false;
    friend bool operator==(const LogName&, const LogName&) = default;
};

/// In the order of `logs`.
[[nodiscard]] std::vector<LogName> logNames(const std::vector<LogSnapshotPtr>& logs);

} // namespace aotscope::session
