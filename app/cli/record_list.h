#pragma once

#include "selection.h"

#include "load/trace_log.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The records of a compile, with those that are no payload to open: metrics, stacks, symbols, guards,
/// events.
namespace aotscope::cli {

struct NamedRecord {
    load::RecordId record;
    /// The artifact's name or the envelope's key, "#2" behind the second of a name.
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
    /// Payloads that are no JSON, and left out.
    std::size_t unreadable = 0;
};

/// The payloads of every chromium_event. Of several logs each is a process of its own, as its rank or place.
[[nodiscard]] TraceEvents traceEvents(const std::vector<session::LogSnapshotPtr>& logs);

} // namespace aotscope::cli
