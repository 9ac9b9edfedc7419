#include "load/envelope_facts.h"

#include "load/python_json.h"
#include "load/record_kind.h"

#include <algorithm>
#include <array>
#include <limits>

namespace aotscope::load {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// Reads fields of one object. A field of the wrong type is a fault; null is not.
class FieldReader {
public:
    explicit FieldReader(Envelope& out) : m_out(out) {}

    /// A value of that type; nothing: it has another.
    template<typename T>
    std::optional<T> found(std::string_view key, const element& value) {
        const auto typed = valueAs<T>(value);
        if (!typed && !value.is_null()) {
            addFieldFault(m_out, key);
        }
        return typed;
    }

    template<typename T>
    void take(std::string_view key, const element& value, std::optional<T>& target) {
        if (const auto typed = found<T>(key, value)) {
            target = typed;
        }
    }

    void take(std::string_view key, const element& value, std::string& target) {
        if (const auto text = found<std::string_view>(key, value)) {
            target = *text;
        }
    }

    void take(std::string_view key, const element& value, int& target) {
        const std::int64_t number = found<std::int64_t>(key, value).value_or(-1);
        if (number >= 0 && number <= std::numeric_limits<int>::max()) {
            target = static_cast<int>(number);
        }
    }

    void take(std::string_view key, const element& value, std::vector<std::string>& target) {
        if (const auto list = found<array>(key, value)) {
            for (const element item : *list) {
                take(key, item, target.emplace_back());
            }
        }
    }

private:
    Envelope& m_out;
};

void readString(Envelope& out, const element& metadata) {
    InternedString interned;
    array pair;
    std::string_view text;
    if (metadata.get_array().get(pair) != simdjson::SUCCESS ||
        pair.at(0).get_string().get(text) != simdjson::SUCCESS ||
        pair.at(1).get_int64().get(interned.index) != simdjson::SUCCESS) {
        addFieldFault(out, "str");
        return;
    }
    interned.text = text;
    out.facts = std::move(interned);
}

void readCompileStart(Envelope& out, const element& metadata) {
    array stack;
    if (metadata["stack"].get_array().get(stack) != simdjson::SUCCESS) {
        addFieldFault(out, "stack");
        return;
    }
    CompileStart start;
    FieldReader reader(out);
    bool named = true;
    for (const element frame : stack) {
        object fields;
        if (frame.get_object().get(fields) != simdjson::SUCCESS) {
            addFieldFault(out, "stack");
            continue;
        }
        start = CompileStart();
        named = false;
        for (const auto [key, value] : fields) {
            if (key == "name") {
                reader.take(key, value, start.function);
                named = true;
            } else if (key == "line") {
                reader.take(key, value, start.line);
            } else if (key == "filename") {
                start.file = reader.found<std::int64_t>(key, value).value_or(-1);
            }
        }
    }
    if (!named) {
        addFieldFault(out, "name");
    }
    out.facts = std::move(start);
}

/// A compile's duration in units of `scale` seconds.
struct Duration {
    double scale = 1;
    /// Used only if no other field has the duration.
    bool otherwise = false;
};

struct MetricField {
    std::string_view key;
    std::variant<std::string MetricsFacts::*, std::vector<std::string> MetricsFacts::*, int MetricsFacts::*,
                 std::optional<std::int64_t> MetricsFacts::*, std::optional<bool> MetricsFacts::*, Duration>
        target;
};

/// Sorted by the key's length, which distinguishes most of a record's hundred fields.
constexpr auto metricFields = std::to_array<MetricField>({
    {"co_name", &MetricsFacts::function},
    {"fail_type", &MetricsFacts::failType},
    {"co_filename", &MetricsFacts::file},
    {"duration_us", Duration{1e-6, true}},
    {"fail_reason", &MetricsFacts::failReason},
    {"guard_count", &MetricsFacts::guardCount},
    {"co_firstlineno", &MetricsFacts::line},
    {"graph_op_count", &MetricsFacts::graphOpCount},
    {"pytorch_version", &MetricsFacts::torchVersion},
    {"restart_reasons", &MetricsFacts::restartReasons},
    {"graph_node_count", &MetricsFacts::graphNodeCount},
    {"has_guarded_code", &MetricsFacts::hasGuardedCode},
    {"recompile_reason", &MetricsFacts::recompileReason},
    {"fail_user_frame_lineno", &MetricsFacts::failLine},
    {"fail_user_frame_filename", &MetricsFacts::failFile},
    {"entire_frame_compile_time_s", Duration{}},
    // The only duration in logs of 2024.
    {"dynamo_cumulative_compile_time_us", Duration{1e-6, true}},
});

const MetricField* metricField(std::string_view key) {
    const auto* const first = std::ranges::lower_bound(
        metricFields, key.size(), {}, [](const MetricField& field) { return field.key.size(); });
    const auto* const found = std::ranges::find_if(first, metricFields.end(), [&](const MetricField& field) {
        return field.key.size() != key.size() || field.key == key;
    });
    return found != metricFields.end() && found->key == key ? found : nullptr;
}

void readMetric(FieldReader& reader, MetricsFacts& facts, const MetricField& field, const element& value) {
    if (const auto* const duration = std::get_if<Duration>(&field.target)) {
        const bool isWanted = !duration->otherwise || !facts.seconds;
        if (const auto time = isWanted ? reader.found<double>(field.key, value) : std::nullopt) {
            facts.seconds = *time * duration->scale;
        }
        return;
    }
    std::visit(
        [&](const auto& target) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(target)>, Duration>) {
                reader.take(field.key, value, facts.*target);
            }
        },
        field.target);
}

void readMetrics(Envelope& out, const element& metadata, bool forward) {
    const auto fields = valueAs<object>(metadata);
    if (!fields) {
        addFieldFault(out, out.key);
        return;
    }
    MetricsFacts facts;
    facts.forward = forward;
    FieldReader reader(out);
    for (const auto [key, value] : *fields) {
        if (const MetricField* const field = metricField(key)) {
            readMetric(reader, facts, *field, value);
        }
    }
    out.facts = std::move(facts);
}

void readArtifact(Envelope& out, const element& metadata) {
    std::string_view encoding;
    if (metadata["name"].get_string().get(out.artifact) != simdjson::SUCCESS) {
        addFieldFault(out, "name");
    }
    if (metadata["encoding"].get_string().get(encoding) != simdjson::SUCCESS ||
        (encoding != "string" && encoding != "json")) {
        addFieldFault(out, "encoding");
    }
}

} // namespace

void addFieldFault(Envelope& out, std::string_view field) {
    if (out.fault == EnvelopeFault::None) {
        out.fault = EnvelopeFault::FieldType;
    }
    if (out.fault == EnvelopeFault::FieldType) {
        out.faultDetail += (out.faultDetail.empty() ? "" : ", ") + std::string(field);
    }
}

bool holdsFacts(std::string_view key) {
    return key == "str" || key == "artifact" || key == "dynamo_start" || holdsMetrics(key);
}

bool holdsMetrics(std::string_view key) {
    return key == "compilation_metrics" || key == "bwd_compilation_metrics";
}

bool isMetricRead(std::string_view key) {
    return metricField(key) != nullptr;
}

void readFacts(Envelope& out, const element& metadata) {
    const RecordKind kind = kindFromKey(out.key);
    if (kind == RecordKind::Str) {
        readString(out, metadata);
    } else if (kind == RecordKind::DynamoStart) {
        readCompileStart(out, metadata);
    } else if (isOneOf(kind, {RecordKind::CompilationMetrics, RecordKind::BackwardCompilationMetrics})) {
        readMetrics(out, metadata, kind == RecordKind::CompilationMetrics);
    } else if (kind == RecordKind::Artifact) {
        readArtifact(out, metadata);
    }
}

} // namespace aotscope::load
