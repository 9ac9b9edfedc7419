#pragma once

#include "selection.h"

#include "load/trace_log.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// All records of a compile, including those without a payload to open: metrics, stacks, symbols, guards,
/// events.
namespace aotscope::cli {

struct NamedRecord {
    load::RecordId record;
    /// The artifact's name or the envelope's key; "#2" is added to the second record with a name.
    std::string name;
};

[[nodiscard]] std::vector<NamedRecord> namedRecords(const load::TraceLog& log, load::CompileIndex compile);
[[nodiscard]] std::optional<NamedRecord> tryFindRecord(const load::TraceLog& log, load::CompileIndex compile,
                                                       std::string_view name);

[[nodiscard]] std::string recordTable(const load::TraceLog& log, const std::vector<NamedRecord>& records);
/// Schema aotscope.records/1.
[[nodiscard]] std::string recordListJson(const load::TraceLog& log, const CompileChoice& choice,
                                         const std::vector<NamedRecord>& records);

struct TraceEvents {
    /// A JSON array, as Perfetto and chrome://tracing read it.
    std::string json;
    std::size_t count = 0;
    /// Number of payloads that are not JSON; they are left out.
    std::size_t unreadable = 0;
};

/// The payloads of all chromium_event records. Each of several logs gets its own process id: its rank or
/// position.
[[nodiscard]] TraceEvents traceEvents(const std::vector<session::LogSnapshotPtr>& logs);

} // namespace aotscope::cli
