#include "load/envelope_facts.h"

#include "load/record_kind.h"

namespace aotscope::load {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

void addFault(Envelope& out, std::string_view field) {
    if (out.fault == EnvelopeFault::None) {
        out.fault = EnvelopeFault::FieldType;
    }
    if (out.fault == EnvelopeFault::FieldType) {
        out.faultDetail += (out.faultDetail.empty() ? "" : ", ") + std::string(field);
    }
}

/// Takes fields of one object; a field of another type than wanted is a fault, null is none.
class FieldReader {
public:
    explicit FieldReader(Envelope& out) : m_out(out) {}

    void text(std::string_view key, const element& value, std::string& target) {
        std::string_view view;
        if (value.get_string().get(view) == simdjson::SUCCESS) {
            target = view;
        } else {
            wrong(key, value);
        }
    }

    void number(std::string_view key, const element& value, std::optional<std::int64_t>& target) {
        std::int64_t found = 0;
        if (value.get_int64().get(found) == simdjson::SUCCESS) {
            target = found;
        } else {
            wrong(key, value);
        }
    }

    void line(std::string_view key, const element& value, int& target) {
        std::optional<std::int64_t> found;
        number(key, value, found);
        if (found && *found >= 0 && *found <= std::numeric_limits<int>::max()) {
            target = static_cast<int>(*found);
        }
    }

    void seconds(std::string_view key, const element& value, double scale, std::optional<double>& target) {
        double found = 0;
        if (value.get_double().get(found) == simdjson::SUCCESS) {
            target = found * scale;
        } else {
            wrong(key, value);
        }
    }

    void flag(std::string_view key, const element& value, std::optional<bool>& target) {
        bool found = false;
        if (value.get_bool().get(found) == simdjson::SUCCESS) {
            target = found;
        } else {
            wrong(key, value);
        }
    }

    void texts(std::string_view key, const element& value, std::vector<std::string>& target) {
        array list;
        if (value.get_array().get(list) != simdjson::SUCCESS) {
            wrong(key, value);
            return;
        }
        for (const element item : list) {
            text(key, item, target.emplace_back());
        }
    }

    void wrong(std::string_view key, const element& value) {
        if (!value.is_null()) {
            addFault(m_out, key);
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
        addFault(out, "str");
        return;
    }
    interned.text = text;
    out.facts = std::move(interned);
}

void readStart(Envelope& out, const element& metadata) {
    array stack;
    if (metadata["stack"].get_array().get(stack) != simdjson::SUCCESS) {
        addFault(out, "stack");
        return;
    }
    CompileStart start;
    FieldReader reader(out);
    bool named = true;
    for (const element frame : stack) {
        object fields;
        if (frame.get_object().get(fields) != simdjson::SUCCESS) {
            addFault(out, "stack");
            continue;
        }
        start = CompileStart();
        named = false;
        for (const auto [key, value] : fields) {
            if (key == "name") {
                reader.text(key, value, start.function);
                named = true;
            } else if (key == "line") {
                reader.line(key, value, start.line);
            } else if (key == "filename") {
                std::optional<std::int64_t> file;
                reader.number(key, value, file);
                start.file = file.value_or(-1);
            }
        }
    }
    if (!named) {
        addFault(out, "name");
    }
    out.facts = std::move(start);
}

void readMetric(FieldReader& reader, MetricsFacts& facts, std::string_view key, const element& value) {
    if (key == "co_name") {
        reader.text(key, value, facts.function);
    } else if (key == "co_filename") {
        reader.text(key, value, facts.file);
    } else if (key == "co_firstlineno") {
        reader.line(key, value, facts.line);
    } else if (key == "guard_count") {
        reader.number(key, value, facts.guardCount);
    } else if (key == "graph_node_count") {
        reader.number(key, value, facts.graphNodeCount);
    } else if (key == "graph_op_count") {
        reader.number(key, value, facts.graphOpCount);
    } else if (key == "entire_frame_compile_time_s") {
        reader.seconds(key, value, 1.0, facts.seconds);
    } else if (key == "duration_us" || key == "dynamo_cumulative_compile_time_us") {
        // The second is what logs of 2024 have alone.
        if (!facts.seconds) {
            reader.seconds(key, value, 1e-6, facts.seconds);
        }
    } else if (key == "fail_type") {
        reader.text(key, value, facts.failType);
    } else if (key == "fail_reason") {
        reader.text(key, value, facts.failReason);
    } else if (key == "fail_user_frame_filename") {
        reader.text(key, value, facts.failFile);
    } else if (key == "fail_user_frame_lineno") {
        reader.line(key, value, facts.failLine);
    } else if (key == "restart_reasons") {
        reader.texts(key, value, facts.restartReasons);
    } else if (key == "recompile_reason") {
        reader.text(key, value, facts.recompileReason);
    } else if (key == "pytorch_version") {
        reader.text(key, value, facts.torchVersion);
    } else if (key == "has_guarded_code") {
        reader.flag(key, value, facts.hasGuardedCode);
    }
}

void readMetrics(Envelope& out, const element& metadata, bool forward) {
    object fields;
    if (metadata.get_object().get(fields) != simdjson::SUCCESS) {
        addFault(out, out.key);
        return;
    }
    MetricsFacts facts;
    facts.forward = forward;
    FieldReader reader(out);
    for (const auto [key, value] : fields) {
        readMetric(reader, facts, key, value);
    }
    out.facts = std::move(facts);
}

void readArtifact(Envelope& out, const element& metadata) {
    std::string_view encoding;
    if (metadata["name"].get_string().get(out.artifact) != simdjson::SUCCESS) {
        addFault(out, "name");
    }
    if (metadata["encoding"].get_string().get(encoding) != simdjson::SUCCESS ||
        (encoding != "string" && encoding != "json")) {
        addFault(out, "encoding");
    }
}

} // namespace

void readFacts(Envelope& out, const element& metadata) {
    switch (kindFromKey(out.key)) {
    case RecordKind::Str:
        readString(out, metadata);
        break;
    case RecordKind::DynamoStart:
        readStart(out, metadata);
        break;
    case RecordKind::CompilationMetrics:
        readMetrics(out, metadata, true);
        break;
    case RecordKind::BackwardCompilationMetrics:
        readMetrics(out, metadata, false);
        break;
    case RecordKind::Artifact:
        readArtifact(out, metadata);
        break;
    default:
        break;
    }
}

} // namespace aotscope::load
