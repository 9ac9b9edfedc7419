#include "files/trace_log_writer.h"

#include "files/logged_config.h"

#include "evidence/log_evidence.h"
#include "ir/json/aot_metadata_json.h"
#include "load/md5.h"
#include "load/record_kind.h"
#include "passes/partition.h"

#include "base/formatted.h"
#include "base/numbers.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
#include <ostream>
#include <span>

#include <unistd.h>

namespace aotscope::session {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string idKeys(const load::CompileId& id) {
    std::string text;
    const auto add = [&](const char* key, const std::optional<std::int32_t>& value) {
        if (value) {
            text += std::string(", \"") + key + "\": " + std::to_string(*value);
        }
    };
    add("compiled_autograd_id", id.compiledAutograd);
    add("frame_id", id.frame);
    add("frame_compile_id", id.frameCompile);
    if (!id.empty()) {
        add("attempt", id.attempt.value_or(0));
    }
    return text;
}

std::string jsonText(const OrderedJson& json) {
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// For a golden file's unit the id comes from its number: "units/2" is 2/0.
load::CompileId idOf(const RetraceSnapshot& snapshot) {
    const RetraceTarget& target = snapshot.target;
    if (target.compile.valid()) {
        const auto& reference = target.logged ? target.logged : target.program;
        return reference ? reference->compile : load::CompileId{};
    }
    const auto number = base::leadingNumber<std::int32_t>(target.name.substr(target.name.rfind('/') + 1));
    return {.compiledAutograd = {}, .frame = number.value_or(0), .frameCompile = 0, .attempt = 0};
}

/// Copies records that a re-trace reads, but for those that are written once per log, or written anew.
void copyEvidence(TraceLogWriter& writer, const evidence::LogEvidence& evidence,
                  std::span<const load::RecordId> records) {
    using Kind = load::RecordKind;
    for (const load::RecordId record : records) {
        const Kind kind = evidence.kind(record);
        const bool isWritten =
            kind == Kind::DynamoOutputGraph || kind == Kind::CompilationMetrics || kind == Kind::Str;
        if (const std::string envelope = evidence.envelope(record); !isWritten && !envelope.empty()) {
            writer.copied(envelope, evidence.payload(record));
        }
    }
}

/// Where the compile began, with the stack that names its function.
void copyStart(TraceLogWriter& writer, const load::TraceLog& log, load::CompileIndex compile) {
    for (const load::RecordId record : log.compile(compile).records) {
        if (log.kind(record) == load::RecordKind::DynamoStart) {
            writer.copied(log.envelope(record));
        }
    }
}

std::string programText(const GraphSnapshot& program) {
    return program.text.empty() ? program.printed.text : program.text;
}

/// The payload of load::hooksArtifact.
std::string hooksText(const passes::Partition& partition) {
    std::string text;
    const auto add = [&](const std::string& name, const ir::Graph& graph) {
        text += (text.empty() ? "" : "\n") + name + ":" + ir::printGraph(graph).text;
    };
    add("aot_forward_graph_pre_saved_tensors_hooks", *partition.forwardBeforeHooks);
    add("aot_backward_graph_pre_saved_tensors_hooks", *partition.backwardBeforeHooks);
    for (const passes::InlinedHook& hook : partition.hooks) {
        add(std::string(load::packSection) + hook.saved, *hook.pack);
        add(std::string(load::unpackSection) + hook.saved, *hook.unpack);
    }
    return text;
}

/// A compilation_metrics record, from which readers see that a compile ended and how.
std::string metricsText(const RetraceSnapshot& snapshot, const load::CompileId& id) {
    // PyTorch does not number the compiles of one id.
    load::CompileId plain = id;
    plain.repetition = 0;
    OrderedJson json{{"compile_id", plain.text()}};
    json["graph_op_count"] = snapshot.program ? snapshot.program->graph->size() : 0;
    json["graph_input_count"] = snapshot.program ? snapshot.program->graph->placeholders().size() : 0;
    const double seconds = snapshot.result ? static_cast<double>(snapshot.result->nanoseconds) / 1e9 : 0.0;
    json["entire_frame_compile_time_s"] = seconds;
    json["backend_compile_time_s"] = seconds;
    json["fail_type"] = snapshot.error ? OrderedJson(snapshot.error->code) : OrderedJson(nullptr);
    json["fail_reason"] = snapshot.error ? OrderedJson(snapshot.error->message) : OrderedJson(nullptr);
    json["restart_reasons"] = OrderedJson::array();
    return jsonText(json);
}

} // namespace

void TraceLogWriter::header() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
    std::tm local = {};
    localtime_r(&seconds, &local);
    m_out << base::formatted("V%02d%02d %02d:%02d:%02d.%06d %d ", local.tm_mon + 1, local.tm_mday,
                             local.tm_hour, local.tm_min, local.tm_sec, static_cast<int>(micros % 1'000'000),
                             static_cast<int>(::getpid()))
          << "aotscope/session/trace_log_writer.cpp:1] ";
}

void TraceLogWriter::record(const load::CompileId& id, load::RecordKind kind, std::string_view facts,
                            std::optional<std::string_view> payload) {
    header();
    m_out << "{\"" << load::keyOf(kind) << "\": " << facts << idKeys(id);
    if (!payload) {
        m_out << "}\n";
        return;
    }
    m_out << ", \"has_payload\": \"" << load::md5Of(*payload) << "\"}\n";
    writePayload(*payload);
}

void TraceLogWriter::writePayload(std::string_view payload) {
    m_out << '\t';
    for (const char c : payload) {
        m_out << c;
        if (c == '\n') {
            m_out << '\t';
        }
    }
    m_out << '\n';
}

void TraceLogWriter::artifact(const load::CompileId& id, std::string_view name, std::string_view payload) {
    record(id, load::RecordKind::Artifact, jsonText(OrderedJson{{"name", name}, {"encoding", "string"}}),
           payload);
}

void TraceLogWriter::copied(std::string_view envelope, std::string_view payload) {
    header();
    m_out << envelope << '\n';
    if (!payload.empty()) {
        writePayload(payload);
    }
}

void writeStrings(TraceLogWriter& writer, const LogSnapshot& source) {
    if (!source.traceLog()) {
        return;
    }
    for (std::uint32_t index = 0; index < source.traceLog()->recordCount(); ++index) {
        const load::RecordId record(index);
        const load::RecordKind kind = source.traceLog()->kind(record);
        if (kind == load::RecordKind::Str) {
            writer.copied(source.traceLog()->envelope(record));
        } else if (kind == load::RecordKind::Artifact &&
                   source.traceLog()->artifactName(record) == "torch_version") {
            writer.copied(source.traceLog()->envelope(record), source.traceLog()->payload(record));
        }
    }
}

void writeRetraced(TraceLogWriter& writer, const RetraceSnapshot& snapshot, const LogSnapshot* source,
                   const aot::CompiledFunction& function) {
    const load::CompileId id = idOf(snapshot);
    const RetraceTarget& target = snapshot.target;
    const bool isOfSource =
        source != nullptr && target.compile.valid() && target.program && target.program->log == source->log;
    const auto evidence = isOfSource ? evidenceOf(*source, *target.program) : std::nullopt;
    using Kind = load::RecordKind;
    if (evidence) {
        copyStart(writer, *source->traceLog(), target.compile);
        copyEvidence(writer, *evidence, evidence->before());
    }
    if (snapshot.program) {
        writer.record(id, Kind::DynamoOutputGraph, "{}", programText(*snapshot.program));
    }
    if (snapshot.made) {
        writer.record(id, snapshot.result->function.joint ? Kind::AotJointGraph : Kind::AotInferenceGraph,
                      "{}", snapshot.made->printed.text);
    }
    const passes::Partition* halves = function.partition.get();
    if (halves != nullptr && !halves->hooks.empty()) {
        writer.artifact(id, load::hooksArtifact, hooksText(*halves));
    }
    if (snapshot.made) {
        writer.artifact(id, load::metadataArtifact, ir::metadataToRepr(snapshot.result->function.metadata));
    }
    if (snapshot.made && halves != nullptr) {
        writer.record(id, Kind::AotForwardGraph, "{}", ir::printGraph(*halves->forward).text);
        writer.record(id, Kind::AotBackwardGraph, "{}", ir::printGraph(*halves->backward).text);
    }
    if (evidence) {
        copyEvidence(writer, *evidence, evidence->after());
    }
    writer.record(id, Kind::CompilationMetrics, metricsText(snapshot, id));
}

} // namespace aotscope::session
