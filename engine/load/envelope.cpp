#include "load/envelope.h"

#include "load/envelope_facts.h"
#include "load/plain_json.h"
#include "load/python_json.h"

#include "base/numbers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace aotscope::load {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// Real envelopes reach about 1 MB (sizes of a graph of 20,000 nodes); the parser needs several times as much.
constexpr std::size_t parseLimit = 8U << 20U;
// Metrics have about 150 fields.
constexpr std::size_t mostFields = 1024;

/// A number, or null: some versions write the ids that a record lacks.
bool takeId(PlainJson& cursor, std::optional<std::int32_t>& out) {
    return cursor.take("null") || cursor.takeNumber(out);
}

/// Calls `take` for each id of a record in PyTorch's order, with the text before it, until it returns false.
template<typename Take>
bool takeIds(Envelope& out, Take&& take) {
    return take(", \"rank\": ", out.rank) && take(", \"compiled_autograd_id\": ", out.id.compiledAutograd) &&
           take(", \"frame_id\": ", out.id.frame) && take(", \"frame_compile_id\": ", out.id.frameCompile) &&
           take(", \"attempt\": ", out.id.attempt);
}

/// The keys after the event, each at most once and in PyTorch's order.
bool takeContext(PlainJson& cursor, Envelope& out) {
    const bool areIds = takeIds(out, [&](const auto& before, std::optional<std::int32_t>& id) {
        return !cursor.take(before) || takeId(cursor, id);
    });
    if (areIds && cursor.take(", \"has_payload\": \"")) {
        out.hasPayload = cursor.takeString(out.digest);
        return out.hasPayload && cursor.take("}") && cursor.atEnd();
    }
    return areIds && cursor.take("}") && cursor.atEnd();
}

bool isContextKey(std::string_view key) {
    return key == "rank" || key == "stack" || key == "compiled_autograd_id" || key == "frame_id" ||
           key == "frame_compile_id" || key == "attempt" || key == "has_payload" || key == "subgraph_name";
}

void readIdField(Envelope& out, std::string_view key, const element& value,
                 std::optional<std::int32_t>& target) {
    const std::int64_t number = valueAs<std::int64_t>(value).value_or(-1);
    if (number >= 0 && number <= std::numeric_limits<std::int32_t>::max()) {
        target = static_cast<std::int32_t>(number);
    } else if (!value.is_null()) {
        addFieldFault(out, key);
    }
}

void readContextField(Envelope& out, std::string_view key, const element& value) {
    if (key == "has_payload") {
        if (value.get_string().get(out.digest) == simdjson::SUCCESS) {
            out.hasPayload = true;
        } else if (!value.is_null()) {
            addFieldFault(out, key);
        }
        return;
    }
    takeIds(out, [&](std::string_view before, std::optional<std::int32_t>& id) {
        // Between the quotes.
        const bool isIt = before.substr(3, before.size() - 6) == key;
        if (isIt) {
            readIdField(out, key, value, id);
        }
        return !isIt;
    });
}

/// The number after `"key": ` near the end of a line whose JSON cannot be parsed.
std::optional<std::int32_t> numberNear(std::string_view tail, std::string_view key) {
    const std::size_t at = tail.rfind(key);
    const auto number = at == std::string_view::npos
                            ? std::nullopt
                            : base::leadingNumber<std::int32_t>(tail.substr(at + key.size()));
    return number && *number >= 0 ? number : std::nullopt;
}

} // namespace

/// The last few texts (key, value and comma) at one position of the metrics records. There are several,
/// because a log may contain records of programs with different settings.
struct MetricsField {
    struct Seen {
        std::string text;
        bool isRead = false;
    };
    std::array<Seen, 4> seen;
    std::uint32_t oldest = 0;

    [[nodiscard]] const Seen* take(PlainJson& cursor) const {
        const auto* const found = std::ranges::find_if(
            seen, [&](const Seen& before) { return !before.text.empty() && cursor.take(before.text); });
        return found == seen.end() ? nullptr : found;
    }
    void keep(std::string_view text, bool isRead) {
        seen[oldest] = {std::string(text), isRead};
        oldest = (oldest + 1) % seen.size();
    }
};

void Envelope::clear() {
    fault = EnvelopeFault::None;
    faultDetail.clear();
    key = artifact = digest = {};
    id = {};
    rank.reset();
    hasPayload = false;
    facts = std::monostate();
}

struct EnvelopeReader::Parser {
    simdjson::dom::parser parser{parseLimit + simdjson::SIMDJSON_PADDING};
    /// By event. Most fields are the same as in the event's previous record and need no parsing.
    std::map<std::string, std::vector<MetricsField>, std::less<>> fields;
    std::string shortened;
    std::string repaired;
};

EnvelopeReader::EnvelopeReader() : m_parser(std::make_unique<Parser>()) {}
EnvelopeReader::~EnvelopeReader() = default;

Envelope& EnvelopeReader::read(std::string_view json) {
    m_envelope.clear();
    if (!json.empty() && json.back() == '\r') {
        json.remove_suffix(1);
    }
    if (readCommon(json)) {
        return m_envelope;
    }
    m_envelope.clear();
    if (json.size() > parseLimit) {
        m_envelope.fault = EnvelopeFault::TooLong;
        salvage(json);
    } else {
        readFully(json);
    }
    return m_envelope;
}

/// Reads the most frequent forms without building a document: artifacts, interned strings, and events of
/// which the index keeps only the position.
bool EnvelopeReader::readCommon(std::string_view json) {
    PlainJson cursor(json);
    if (!cursor.take("{\"") || !cursor.takeString(m_envelope.key) || !cursor.take(": ")) {
        return false;
    }
    if (isContextKey(m_envelope.key)) {
        return false;
    }
    if (m_envelope.key == "str") {
        InternedString interned;
        std::string_view text;
        std::optional<std::int32_t> index;
        if (!cursor.take("[\"") || !cursor.takeString(text) || !cursor.take(", ") ||
            !cursor.takeNumber(index) || !cursor.take("]}") || !cursor.atEnd()) {
            return false;
        }
        interned.text = text;
        interned.index = *index;
        m_envelope.facts = std::move(interned);
        return true;
    }
    if (m_envelope.key == "artifact") {
        return cursor.take("{\"name\": \"") && cursor.takeString(m_envelope.artifact) &&
               (cursor.take(", \"encoding\": \"string\"}") || cursor.take(", \"encoding\": \"json\"}")) &&
               takeContext(cursor, m_envelope);
    }
    return !holdsFacts(m_envelope.key) && cursor.skipValue() && takeContext(cursor, m_envelope);
}

/// Removes the fields that the index does not need from a metrics record (most of it), so that the parsed
/// document is small. Returns any other record, or one it cannot shorten, unchanged.
std::string_view EnvelopeReader::shortened(std::string_view json) {
    PlainJson cursor(json);
    std::string_view event;
    if (!cursor.take("{\"") || !cursor.takeString(event) || !holdsMetrics(event) || !cursor.take(": {")) {
        return json;
    }
    std::vector<MetricsField>& fields = m_parser->fields.try_emplace(std::string(event)).first->second;
    std::string& out = m_parser->shortened;
    out.assign(json.data(), cursor.at());
    for (std::size_t number = 0;; ++number) {
        if (number == mostFields) {
            return json;
        }
        if (number == fields.size()) {
            fields.emplace_back();
        }
        const char* const from = cursor.at();
        if (const MetricsField::Seen* const before = fields[number].take(cursor)) {
            if (before->isRead) {
                out.append(from, cursor.at());
            }
            continue;
        }
        std::string_view key;
        if (!cursor.take("\"") || !cursor.takeString(key) || !cursor.take(": ") || !cursor.skipValue()) {
            return json;
        }
        const bool isRead = isMetricRead(key);
        if (!cursor.take(", ")) {
            // The last field is always kept, because a comma may precede it.
            out.append(from, cursor.at());
            break;
        }
        fields[number].keep({from, cursor.at()}, isRead);
        if (isRead) {
            out.append(from, cursor.at());
        }
    }
    out.append(cursor.rest());
    return out;
}

void EnvelopeReader::readFully(std::string_view whole) {
    std::string_view json = shortened(whole);
    // The parser copies the text, so the pointer must not be null even if the text is empty.
    json = json.empty() ? std::string_view("") : json;
    element document;
    // A copy does not change between the parser's passes, whatever happens to the file.
    auto error = m_parser->parser.parse(json.data(), json.size(), true).get(document);
    bool invalidUtf8 = false;
    if (error != simdjson::SUCCESS) {
        // Python's json writes NaN, long numbers and lone surrogates, which are not strict JSON.
        invalidUtf8 = strictJson(json, m_parser->repaired);
        error = m_parser->parser.parse(m_parser->repaired).get(document);
    }
    object fields;
    if (error != simdjson::SUCCESS || document.get_object().get(fields) != simdjson::SUCCESS) {
        m_envelope.fault = EnvelopeFault::Json;
        m_envelope.faultDetail =
            error != simdjson::SUCCESS ? simdjson::error_message(error) : "not an object";
        salvage(json);
        return;
    }
    if (invalidUtf8) {
        m_envelope.fault = EnvelopeFault::InvalidUtf8;
    }
    for (const auto [key, value] : fields) {
        if (isContextKey(key)) {
            readContextField(m_envelope, key, value);
        } else if (m_envelope.key.empty()) {
            m_envelope.key = key;
            readFacts(m_envelope, value);
        }
    }
    if (m_envelope.key.empty() && m_envelope.fault == EnvelopeFault::None) {
        m_envelope.fault = EnvelopeFault::FieldType;
        m_envelope.faultDetail = "no event key";
    }
}

/// Reads the key from the front and the ids from the end of a line that cannot be parsed as a whole.
void EnvelopeReader::salvage(std::string_view json) {
    constexpr std::size_t tailSize = 256;
    PlainJson cursor(json);
    std::string_view key;
    if (cursor.take("{\"") && cursor.takeString(key) && cursor.take(":") && !isContextKey(key)) {
        m_envelope.key = key;
        if (key == "artifact" && cursor.take(" {\"name\": \"")) {
            cursor.takeString(m_envelope.artifact);
        }
    }
    const std::string_view tail = json.substr(json.size() - std::min(json.size(), tailSize));
    takeIds(m_envelope, [&](std::string_view before, std::optional<std::int32_t>& id) {
        id = numberNear(tail, before.substr(2));
        return true;
    });
    constexpr std::string_view announcement = "\"has_payload\": \"";
    if (const std::size_t at = tail.rfind(announcement); at != std::string_view::npos) {
        m_envelope.hasPayload = true;
        PlainJson(tail.substr(at + announcement.size())).takeString(m_envelope.digest);
    }
}

} // namespace aotscope::load
