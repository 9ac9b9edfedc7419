#include "evidence/earlier_checkpoints.h"

#include "evidence/compilation_metrics.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace aotscope::evidence {
namespace {

std::int64_t checkpointsOf(std::string_view program) {
    const std::string call =
        std::string(ir::higherOrder(ir::HigherOrder::TagActivationCheckpoint).target) + "(";
    std::int64_t count = 0;
    for (std::size_t at = program.find(call); at != std::string_view::npos;
         at = program.find(call, at + call.size())) {
        ++count;
    }
    return count;
}

/// Whether Dynamo's metrics of a compile say that AOTAutograd found its graph in the cache.
bool tellsOfCacheHit(const load::TraceLog& log, load::RecordId record) {
    if (log.kind(record) != load::RecordKind::CompilationMetrics) {
        return false;
    }
    const CompilationMetrics metrics = metricsIn(log.envelope(record));
    return metrics.aotautogradLocalCacheHitCount > 0 || metrics.aotautogradRemoteCacheHitCount > 0;
}

} // namespace

void EarlierCheckpoints::read(const load::TraceLog& log, load::RecordId record) {
    const load::CompileIndex compile = log.compileOf(record);
    const auto add = [&](Thread& thread, std::int64_t tagged) {
        thread.push_back({record.index(), tagged + (thread.empty() ? 0 : thread.back().tagged)});
    };
    if (log.kind(record) == load::RecordKind::DynamoOutputGraph) {
        m_open.erase(compile);
        constexpr std::int64_t passes = 2;
        if (const std::int64_t tagged = checkpointsOf(log.payload(record)) * passes; tagged > 0) {
            Thread& thread = m_threads[log.thread(record)];
            add(thread, tagged);
            m_open[compile] = {&thread, tagged};
        }
        return;
    }
    if (const auto open = m_open.find(compile); open != m_open.end() && tellsOfCacheHit(log, record)) {
        add(*open->second.thread, -open->second.tagged);
        m_open.erase(open);
    }
}

std::int64_t EarlierCheckpoints::before(const load::TraceLogPtr& log, load::RecordId program,
                                        const std::stop_token& stop) {
    if (checkpointsOf(log->payload(program)) == 0) {
        return 0;
    }
    const std::lock_guard lock(m_mutex);
    if (m_log.lock() != log) {
        m_open.clear();
        m_threads.clear();
        m_read = 0;
        m_log = log;
    }
    for (; m_read < program.index(); ++m_read) {
        if (stop.stop_requested()) {
            return 0;
        }
        read(*log, load::RecordId(m_read));
    }
    const auto thread = m_threads.find(log->thread(program));
    if (thread == m_threads.end()) {
        return 0;
    }
    const auto after = std::ranges::lower_bound(thread->second, program.index(), {}, &Count::record);
    return after == thread->second.begin() ? 0 : std::prev(after)->tagged;
}

std::uint32_t EarlierCheckpoints::recordsRead() const {
    const std::lock_guard lock(m_mutex);
    return m_read;
}

} // namespace aotscope::evidence
