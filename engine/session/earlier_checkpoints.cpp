#include "session/earlier_checkpoints.h"

#include <string>
#include <string_view>

namespace aotscope::session {
namespace {

std::int64_t checkpointsOf(std::string_view program) {
    constexpr std::string_view call = "higher_order.tag_activation_checkpoint(";
    std::int64_t count = 0;
    for (std::size_t at = program.find(call); at != std::string_view::npos;
         at = program.find(call, at + call.size())) {
        ++count;
    }
    return count;
}

/// Whether a Dynamo graph's AOTAutograd result came out of the cache.
bool wasCached(const load::TraceLog& log, load::RecordId program) {
    for (const load::RecordId record : log.recordsOf(log.compileOf(program), program).after) {
        if (log.artifactName(record).starts_with("aotautograd_cache_hit")) {
            return true;
        }
    }
    return false;
}

} // namespace

std::int64_t earlierCheckpoints(const load::TraceLog& log, load::RecordId program) {
    if (checkpointsOf(log.payload(program)) == 0) {
        return 0;
    }
    constexpr std::int64_t passes = 2;
    const std::string thread = log.thread(program);
    std::int64_t count = 0;
    for (std::uint32_t i = 0; i < program.index(); ++i) {
        const load::RecordId record(i);
        if (log.kind(record) != load::RecordKind::DynamoOutputGraph || log.thread(record) != thread) {
            continue;
        }
        const std::int64_t found = checkpointsOf(log.payload(record));
        count += found > 0 && !wasCached(log, record) ? found * passes : 0;
    }
    return count;
}

} // namespace aotscope::session
