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

/// How many checkpointed functions PyTorch had tagged in the process before it compiled a Dynamo graph. Each
/// gets the next number of the whole process (`ac_graph_id`, torch/_higher_order_ops/wrap.py), once when
/// AOTAutograd collects metadata and once when it traces. Graphs that AOTAutograd took out of its cache are
/// not traced. A log may hold several processes one after another: the headers tell their threads apart.
///
/// Of the log asked about last it remembers the counts, in file order, so that each record is read once
/// however many graphs are asked about: two numbers for a graph that has checkpoints, nothing for others.
/// Thread-safe.
class EarlierCheckpoints {
public:
    /// 0 where the program itself has no checkpoint, and once stopped.
    [[nodiscard]] std::int64_t before(const load::TraceLogPtr& log, load::RecordId program,
                                      const std::stop_token& stop = {});
    /// Of the log that is remembered.
    [[nodiscard]] std::uint32_t recordsRead() const;

private:
    /// All that a thread had tagged once it wrote `record`.
    struct Count {
        std::uint32_t record = 0;
        std::int64_t tagged = 0;
    };
    using Thread = std::vector<Count>;
    /// The last Dynamo graph of a compile, as long as its result may still come out of the cache.
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
