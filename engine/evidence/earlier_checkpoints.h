#pragma once

#include "load/trace_log.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace aotscope::evidence {

/// Counts the checkpointed functions that PyTorch had tagged in the process before it compiled a Dynamo
/// graph. Each gets the process's next number (`ac_graph_id`; torch 2.11, torch/_higher_order_ops/wrap.py:
/// TagActivationCheckpoint), once while AOTAutograd collects metadata and once while it traces. A graph from
/// AOTAutograd's cache is not traced and gets none. A log may hold several processes one after another; the
/// record headers tell their threads apart.
///
/// Remembers the counts of the log of the last call, so that each record is read once: two numbers for each
/// graph that has checkpoints. Thread-safe.
class EarlierCheckpoints {
public:
    /// 0 if the program itself has no checkpoint, and when stopped.
    [[nodiscard]] std::int64_t before(const load::TraceLogPtr& log, load::RecordId program,
                                      const std::stop_token& stop = {});
    /// How many records of the remembered log have been read.
    [[nodiscard]] std::uint32_t recordsRead() const;

private:
    /// What a thread had tagged in total when it wrote `record`.
    struct Count {
        std::uint32_t record = 0;
        std::int64_t tagged = 0;
    };
    using Thread = std::vector<Count>;
    /// The last Dynamo graph of a compile while it may still be found in the cache.
    struct OpenGraph {
        Thread* thread = nullptr;
        std::int64_t tagged = 0;
    };

    void read(const load::TraceLog& log, load::RecordId record);

    mutable std::mutex m_mutex;
    std::weak_ptr<const load::TraceLog> m_log;
    std::uint32_t m_read = 0;
    std::map<std::string, Thread> m_threads;
    std::map<load::CompileIndex, OpenGraph> m_open;
};

} // namespace aotscope::evidence
