#pragma once

#include "session/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::session {

/// One record with everything known of it. Errors: session.no_such_record, session.canceled.
[[nodiscard]] base::Result<PayloadSnapshotPtr> loadPayload(const LogSnapshot& log, load::RecordId record,
                                                           base::Progress& progress);

/// A graph's text as the payload that it is in a file of its own. Error: session.canceled.
[[nodiscard]] base::Result<PayloadSnapshotPtr> payloadOfGraph(const GraphSnapshot& graph,
                                                              base::Progress& progress);

} // namespace aotscope::session
