#pragma once

#include "load/trace_log.h"

namespace aotscope::session {

/// How many checkpointed functions PyTorch had tagged in the process before it compiled the Dynamo graph of a
/// record. Each gets the next number of the whole process (`ac_graph_id`,
/// torch/_higher_order_ops/wrap.py), once when AOTAutograd collects metadata and once when it traces. Graphs
/// that AOTAutograd took out of its cache are not traced. A log may hold several processes one after another:
/// the header tells them apart. 0 where the program itself has no checkpoint.
[[nodiscard]] std::int64_t earlierCheckpoints(const load::TraceLog& log, load::RecordId program);

} // namespace aotscope::session
