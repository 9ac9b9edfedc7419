#pragma once

#include "contract/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::session {

/// One record of a log. Errors: session.no_such_record, session.canceled.
[[nodiscard]] base::Result<PayloadSnapshotPtr> loadPayload(const LogSnapshot& log, load::RecordId record,
                                                           base::Progress& progress);

/// The text of a graph from a graph file, as a payload. Error: session.canceled.
[[nodiscard]] base::Result<PayloadSnapshotPtr> payloadOfGraph(const GraphSnapshot& graph,
                                                              base::Progress& progress);

} // namespace aotscope::session
