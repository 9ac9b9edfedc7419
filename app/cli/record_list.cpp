#include "record_list.h"

#include "answer.h"
#include "table.h"

#include <algorithm>
#include <map>

namespace aotscope::cli {

struct RecordAnswer {
    std::string name;
    std::string kind;
    std::size_t line = 0;
    bool hasPayload = false;
};
AOTSCOPE_MEMBERS(RecordAnswer, name, kind, line, hasPayload)

struct RecordsAnswer {
    load::CompileId id;
    std::vector<RecordAnswer> records = {};
};
AOTSCOPE_MEMBERS(RecordsAnswer, id, records)
AOTSCOPE_ANSWER(RecordsAnswer, "aotscope.records/1")

namespace {

std::string kindOf(const load::TraceLog& log, load::RecordId record) {
    std::string name = log.artifactName(record);
    return name.empty() ? log.kindName(record) : name;
}

} // namespace

std::vector<NamedRecord> namedRecords(const load::TraceLog& log, load::CompileIndex compile) {
    std::vector<NamedRecord> records;
    std::map<std::string, std::size_t> counts;
    for (const load::RecordId record : log.compile(compile).records) {
        std::string name = kindOf(log, record);
        if (const std::size_t number = ++counts[name]; number > 1) {
            name += "#" + std::to_string(number);
        }
        records.push_back({record, std::move(name)});
    }
    return records;
}

std::optional<NamedRecord> tryFindRecord(const load::TraceLog& log, load::CompileIndex compile,
                                         std::string_view name) {
    std::vector<NamedRecord> records = namedRecords(log, compile);
    const auto found = std::ranges::find(records, name, &NamedRecord::name);
    return found == records.end() ? std::nullopt : std::optional(std::move(*found));
}

std::string recordTable(const load::TraceLog& log, const std::vector<NamedRecord>& records) {
    Table table({{"record"}, {"payload"}, {"line", Table::Align::Right}});
    for (const NamedRecord& entry : records) {
        table.add({entry.name, log.hasPayload(entry.record) ? "yes" : "",
                   std::to_string(log.lineOf(entry.record))});
    }
    return table.text(resultWidth());
}

std::string recordListJson(const load::TraceLog& log, const CompileChoice& choice,
                           const std::vector<NamedRecord>& records) {
    RecordsAnswer answer{choice.id};
    for (const NamedRecord& entry : records) {
        answer.records.push_back(
            {entry.name, log.kindName(entry.record), log.lineOf(entry.record), log.hasPayload(entry.record)});
    }
    return answerText(answer);
}

TraceEvents traceEvents(const std::vector<session::LogSnapshotPtr>& logs) {
    TraceEvents events;
    events.json = "[";
    for (std::size_t i = 0; i < logs.size(); ++i) {
        if (!logs[i]->traceLog()) {
            continue;
        }
        const load::TraceLog& log = *logs[i]->traceLog();
        for (std::size_t r = 0; r < log.recordCount(); ++r) {
            const load::RecordId record(static_cast<std::uint32_t>(r));
            if (log.kind(record) != load::RecordKind::ChromiumEvent || !log.hasPayload(record)) {
                continue;
            }
            Json event = Json::parse(log.payload(record), nullptr, false);
            if (!event.is_object()) {
                ++events.unreadable;
                continue;
            }
            if (logs.size() > 1) {
                event["pid"] = log.rank().value_or(static_cast<std::int32_t>(i));
            }
            events.json += events.count++ == 0 ? "\n" : ",\n";
            events.json += event.dump(-1, ' ', false, Json::error_handler_t::replace);
        }
    }
    events.json += "\n]\n";
    return events;
}

} // namespace aotscope::cli
