#include "answer.h"
#include "base/mapped.h"
#include "commands.h"
#include "load/wrapper_sources.h"
#include "log_summary.h"
#include "options.h"
#include "selection.h"
#include "table.h"

#include <algorithm>
#include <map>

namespace aotscope::cli {

struct PayloadAnswer {
    load::CompileId id;
    std::string name;
    std::string kind;
    std::size_t line = 0;
    load::PayloadState md5 = load::PayloadState::NotChecked;
    std::string_view envelope;
    std::string_view payload;
    std::vector<session::PayloadSection> sections;
    std::vector<load::StackFrame> stack;
};
AOTSCOPE_MEMBERS(PayloadAnswer, id, name, kind, line, md5, envelope, payload, sections, stack)
AOTSCOPE_ANSWER(PayloadAnswer, "aotscope.payload/1")

struct PayloadsAnswer {
    load::CompileId id;
    std::vector<ArtifactAnswer> payloads;
};
AOTSCOPE_MEMBERS(PayloadsAnswer, id, payloads)
AOTSCOPE_ANSWER(PayloadsAnswer, "aotscope.payloads/1")

/// A record of a compile, maybe without a payload to open: metrics, stacks, symbols, guards, events.
struct NamedRecord {
    load::RecordId record;
    /// The artifact's name or the envelope's key; "#2" is added to the second record with a name.
    std::string name;
    /// The envelope's key.
    std::string kind;
    std::size_t line = 0;
    bool hasPayload = false;
};
AOTSCOPE_MEMBERS(NamedRecord, record, name, kind, line, hasPayload)

struct RecordsAnswer {
    load::CompileId id;
    std::vector<NamedRecord> records;
};
AOTSCOPE_MEMBERS(RecordsAnswer, id, records)
AOTSCOPE_ANSWER(RecordsAnswer, "aotscope.records/1")

namespace {

struct PayloadCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::string name;
    std::filesystem::path out;
    bool envelope = false;
    bool list = false;
    bool records = false;
    bool sections = false;
    std::string section;
    bool traceEvents = false;
    bool json = false;
};

std::string payloadJson(const session::PayloadSnapshot& payload, const load::TraceLog& log,
                        const std::string& name) {
    return answerText(PayloadAnswer{
        .id = payload.reference.compile,
        .name = payload.reference.artifact.empty() ? name : payload.reference.artifact,
        .kind = payload.kind,
        .line = log.lineOf(payload.record),
        .md5 = payload.state,
        .envelope = payload.envelope,
        .payload = payload.payload,
        .sections = payload.sections,
        .stack = payload.stack,
    });
}

std::string sectionTable(const session::PayloadSnapshot& payload) {
    Table table({"section", numbers("line")});
    for (const session::PayloadSection& section : payload.sections) {
        table.add({section.name, section.line});
    }
    return table.shown();
}

/// The code of one wrapper, without its heading.
std::string sectionText(const session::PayloadSnapshot& payload, const std::string& name) {
    for (const load::WrapperSource& source : load::wrapperSources(payload.payload)) {
        if (source.section == name) {
            return source.text + "\n";
        }
    }
    const auto names = base::mapped(payload.sections, &session::PayloadSection::name);
    throw usageFailure("The payload has no section \"" + name + "\".", {"Sections: " + listed(names)});
}

std::string artifactTable(const load::ArtifactList& artifacts) {
    Table table({"name", "graph", numbers("line"), numbers("size")});
    for (const load::Artifact& artifact : artifacts) {
        table.add({artifact.name, artifact.isGraph ? "yes" : "", artifact.line, sizeText(artifact.bytes)});
    }
    return table.shown();
}

/// The payloads of all chromium_event records as a JSON array, as Perfetto and chrome://tracing read it. Each
/// of several logs gets its own process id: its rank or position.
int showTraceEvents(Program& program, const std::vector<session::LogSnapshotPtr>& logs,
                    const PayloadCommandOptions& options) {
    std::string events;
    std::size_t unreadable = 0;
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
                ++unreadable;
                continue;
            }
            if (logs.size() > 1) {
                event["pid"] = log.rank().value_or(static_cast<std::int32_t>(i));
            }
            events += events.empty() ? "\n" : ",\n";
            events += event.dump(-1, ' ', false, Json::error_handler_t::replace);
        }
    }
    program.console.resultTo(options.out, "[" + events + "\n]\n");
    if (unreadable > 0) {
        program.console.message(std::to_string(unreadable) + " events are not JSON and were left out.");
    }
    return ExitYes;
}

std::string kindOf(const load::TraceLog& log, load::RecordId record) {
    std::string name = log.artifactName(record);
    return name.empty() ? log.kindName(record) : name;
}

std::vector<NamedRecord> namedRecords(const load::TraceLog& log, load::CompileIndex compile) {
    std::vector<NamedRecord> records;
    std::map<std::string, std::size_t> counts;
    for (const load::RecordId record : log.compile(compile).records) {
        std::string name = kindOf(log, record);
        if (const std::size_t number = ++counts[name]; number > 1) {
            name += "#" + std::to_string(number);
        }
        records.push_back(
            {record, std::move(name), log.kindName(record), log.lineOf(record), log.hasPayload(record)});
    }
    return records;
}

std::string recordTable(const std::vector<NamedRecord>& records) {
    Table table({"record", "payload", numbers("line")});
    for (const NamedRecord& entry : records) {
        table.add({entry.name, entry.hasPayload ? "yes" : "", entry.line});
    }
    return table.shown();
}

/// Artifacts are found by name in their compile, other records in the list of all records.
load::RecordId recordNamed(const CompileChoice& choice, const std::string& name) {
    const load::TraceLog& log = *choice.log->traceLog();
    if (const auto artifact = log.tryFindArtifact(choice.compile, name)) {
        return artifact->record;
    }
    const std::vector<NamedRecord> records = namedRecords(log, choice.compile);
    if (const auto found = std::ranges::find(records, name, &NamedRecord::name); found != records.end()) {
        return found->record;
    }
    throw usageFailure("Compile " + choice.id.text() + " has no \"" + name + "\".",
                       {"Names: " + listed(artifactNames(choice, false)),
                        "All records, also those without a payload: --records"});
}

int showPayload(Program& program, const PayloadCommandOptions& options) {
    const auto logs = program.open({options.file});
    if (options.traceEvents) {
        return showTraceEvents(program, logs, options);
    }
    const CompileChoice choice = selectCompile(logs, options.id);
    if (!choice.log->traceLog()) {
        throw usageFailure("The file is a graph, not a trace log: it has no payloads.");
    }
    const load::TraceLog& log = *choice.log->traceLog();
    if (options.records) {
        const RecordsAnswer answer{choice.id, namedRecords(log, choice.compile)};
        program.console.resultTo(options.out,
                                 options.json ? answerText(answer) : recordTable(answer.records));
        return ExitYes;
    }
    if (options.list) {
        const load::ArtifactList& artifacts = log.artifacts(choice.compile);
        if (options.json) {
            program.console.resultTo(options.out,
                                     answerText(PayloadsAnswer{choice.id, artifactAnswers(artifacts)}));
        } else if (artifacts.size() == 0) {
            program.console.message("Compile " + choice.id.text() + " has no payloads.");
        } else {
            program.console.resultTo(options.out, artifactTable(artifacts));
        }
        return ExitYes;
    }
    if (options.name.empty()) {
        throw usageFailure("Choose a payload with --name.",
                           {"Names: " + listed(artifactNames(choice, false))});
    }
    const auto payload = program.resultOf<session::PayloadSnapshotPtr>(
        session::LoadPayload{choice.log->log, recordNamed(choice, options.name)});
    if (payload->state == load::PayloadState::Bad) {
        program.console.message("The payload's md5 does not match its record (line " +
                                std::to_string(log.lineOf(payload->record)) + ").");
    }
    const bool wantsSections = options.sections || !options.section.empty();
    if (wantsSections && payload->sections.empty()) {
        throw usageFailure("The payload has no sections.",
                           {"Those of " + std::string(load::wrapperSourcesArtifact) + " (torch 2.15) do."});
    }
    if (wantsSections && !options.json) {
        program.console.resultTo(options.out, options.section.empty()
                                                  ? sectionTable(*payload)
                                                  : sectionText(*payload, options.section));
        return ExitYes;
    }
    // Links and metrics have only an envelope.
    const bool envelope = options.envelope || !log.hasPayload(payload->record);
    program.console.resultTo(options.out, options.json ? payloadJson(*payload, log, options.name)
                                          : envelope   ? payload->envelope + "\n"
                                                       : payload->payload);
    return ExitYes;
}

} // namespace

void addPayloadCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "payload", "Print one payload of a trace log as it was logged", showPayload);
    command.addOption("FILE", &options->file, "Trace log or folder of logs", {.required = true});
    addIdOption(command, options->id);
    command.addOption("--name", &options->name,
                      "joint, inductor_output_code, compilation_metrics, dynamo_start, …");
    command.addOption("-o,--output", &options->out, "File to write instead of standard output");
    command.addFlag("--envelope", &options->envelope,
                    "Print the record's JSON envelope instead of its payload");
    command.addFlag("--list", &options->list, "List the names");
    command.addFlag("--records", &options->records,
                    "List every record, also those without a payload (metrics, stacks, symbols, guards)");
    command.addFlag("--sections", &options->sections,
                    "List the parts of aot_autograd_runtime_wrappers: one for each wrapper's code");
    command.addOption("--section", &options->section, "Print only this part: mutation_epilogue, …");
    command.addFlag("--trace-events", &options->traceEvents,
                    "Every chromium_event of the log as one JSON array, for Perfetto");
    command.addFlag("--json", &options->json,
                    "All of it as JSON (schema aotscope.payload/1; with --list aotscope.payloads/1, with "
                    "--records aotscope.records/1)");
}

} // namespace aotscope::cli
