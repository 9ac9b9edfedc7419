#include "load/scan.h"

#include "load/header_line.h"
#include "load/payload_lines.h"

#include <algorithm>
#include <cstring>
#include <simdjson.h>
#include <unordered_map>

namespace aotscope::load {

namespace {

// A longer name is not kept but read from its envelope each time.
constexpr std::size_t nameLimit = 512;

/// Numbers distinct values; most records have the same value as the previous one.
template<typename Value, typename Hash>
class Numbering {
public:
    explicit Numbering(std::vector<Value>& values) : m_values(values) {}

    std::uint32_t of(const Value& value) {
        if (!m_values.empty() && m_values[m_last] == value) {
            return m_last;
        }
        const auto [at, isNew] = m_numbers.try_emplace(value, static_cast<std::uint32_t>(m_values.size()));
        if (isNew) {
            m_values.push_back(value);
        }
        m_last = at->second;
        return m_last;
    }

private:
    std::vector<Value>& m_values;
    std::unordered_map<Value, std::uint32_t, Hash> m_numbers;
    std::uint32_t m_last = 0;
};

std::string_view limited(std::string_view name) {
    return name.size() <= nameLimit ? name : std::string_view();
}

LogProblem envelopeProblem(const Envelope& envelope) {
    switch (envelope.fault) {
    case EnvelopeFault::TooLong:
        return {"load.line_too_long",
                "the record's envelope is too long to be examined; it is kept as it is"};
    case EnvelopeFault::InvalidUtf8:
        return {"load.invalid_utf8", "the record's envelope holds bytes that are not UTF-8"};
    case EnvelopeFault::FieldType:
        return {"load.field_type",
                "fields of the envelope are missing or of a wrong type: " + envelope.faultDetail};
    default:
        return {"load.header_json", "the record's envelope is not valid JSON: " + envelope.faultDetail};
    }
}

/// The state of one scan.
class Scan {
public:
    Scan(std::string_view text, std::uint64_t begin, std::uint64_t end, EnvelopeReader& reader)
        : m_text(text), m_begin(begin), m_end(end), m_reader(reader) {}

    ScannedPiece run() {
        const char* const base = m_text.data();
        const char* const stop = base + m_text.size();
        const char* at = base + m_begin;
        while (at < base + m_end) {
            if (const char* const next = skipPayload(at); next != at) {
                at = next;
                continue;
            }
            const auto* const found =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(stop - at)));
            if (found == nullptr) {
                lastLine({at, static_cast<std::size_t>(stop - at)}, static_cast<std::uint64_t>(at - base));
                return std::move(m_piece);
            }
            if (*at == '\t') {
                m_current |= PayloadPresent;
                checkLine({at, static_cast<std::size_t>(found - at)});
            } else {
                line({at, static_cast<std::size_t>(found - at)}, static_cast<std::uint64_t>(at - base));
            }
            ++m_piece.lines;
            at = found + 1;
        }
        closeRecord();
        m_piece.end = static_cast<std::uint64_t>(at - base);
        return std::move(m_piece);
    }

private:
    /// Counts many payload lines at once, except some at the end of the piece.
    const char* skipPayload(const char* at) {
        if (*at != '\t' || at < m_slowUntil) {
            return at;
        }
        const char* const end = m_text.data() + std::min<std::size_t>(m_end, m_text.size());
        const PayloadLines skipped = countPayloadLines({at, static_cast<std::size_t>(end - at)});
        if (!skipped.ascii && !simdjson::validate_utf8(at, skipped.bytes)) {
            m_slowUntil = at + skipped.bytes;
            return at;
        }
        if (skipped.lines > 0) {
            m_current |= PayloadPresent;
            m_piece.lines += skipped.lines;
        }
        return at + skipped.bytes;
    }

    void checkLine(std::string_view text) {
        if ((m_current & Faulty) == 0 && !simdjson::validate_utf8(text.data(), text.size())) {
            m_current |= Faulty;
            addRecordProblem(
                {"load.invalid_utf8", "the payload holds bytes that are not UTF-8", m_piece.lines});
        }
    }

    void line(std::string_view text, std::uint64_t offset) {
        const HeaderLine header = recogniseHeader(text);
        if (header.shape == HeaderShape::Whole) {
            closeRecord();
            takeRecord(text, offset, header.envelope);
        } else {
            noise(text, header.shape);
        }
    }

    void noise(std::string_view text, HeaderShape shape) {
        m_current |= LinesMixed;
        m_piece.problems.add(noiseProblem(text, shape));
    }

    [[nodiscard]] LogProblem noiseProblem(std::string_view text, HeaderShape shape) const {
        constexpr std::size_t shown = 80;
        if (shape == HeaderShape::Cut) {
            return {"load.header_json", "a record's header is cut before its envelope", m_piece.lines};
        }
        const bool blank = text.empty() || text == "\r";
        std::string quoted;
        for (const char c : text.substr(0, shown)) {
            const auto byte = static_cast<unsigned char>(c);
            quoted += byte >= 0x20 && byte < 0x7f ? c : '?';
        }
        return {"load.noise_line",
                blank ? std::string("an empty line belongs to no record")
                      : "a line belongs to no record: " + quoted + (text.size() > shown ? "…" : ""),
                m_piece.lines};
    }

    void takeRecord(std::string_view text, std::uint64_t offset, std::size_t envelopeAt) {
        const std::string_view json = text.substr(envelopeAt);
        Envelope& envelope = m_reader.read(json);
        m_open = true;
        m_current = 0;
        if (envelope.hasPayload) {
            m_current |= PayloadAnnounced;
        }
        if (!text.empty() && text.back() == '\r') {
            m_current |= CarriageReturn;
        }
        const auto number = static_cast<std::uint32_t>(m_piece.records.size());
        m_name.key = limited(envelope.key);
        m_name.artifact = limited(envelope.artifact);
        m_piece.records.push_back(
            {offset, m_piece.lines, m_owners.of(ownerOf(envelope.id, envelope.rank)), m_names.of(m_name), 0});
        if (envelope.facts.index() != 0) {
            m_piece.facts.push_back({number, std::move(envelope.facts)});
        }
        if (envelope.fault != EnvelopeFault::None) {
            m_current |= Faulty;
            LogProblem problem = envelopeProblem(envelope);
            problem.line = m_piece.lines;
            addRecordProblem(std::move(problem));
        }
    }

    void closeRecord() {
        if (m_open) {
            m_piece.records.back().flags = m_current;
        } else {
            m_piece.leadingFlags = m_current;
        }
    }

    /// Reads a last line without a line feed, which may still grow or be the end of the log.
    void lastLine(std::string_view text, std::uint64_t offset) {
        m_piece.end = offset;
        if (text.starts_with('\t')) {
            m_piece.unfinishedPayload = true;
            closeRecord();
            return;
        }
        const HeaderLine header = recogniseHeader(text);
        if (header.shape == HeaderShape::Whole &&
            m_reader.read(text.substr(header.envelope)).fault != EnvelopeFault::Json) {
            closeRecord();
            takeRecord(text, offset, header.envelope);
            ++m_piece.lines;
            m_piece.endsInsideLine = true;
            m_piece.end = offset + text.size();
        } else if (header.shape == HeaderShape::Whole) {
            m_piece.unfinished =
                LogProblem{"load.header_json", "the file ends inside a record's envelope", m_piece.lines};
        } else {
            m_piece.unfinished = noiseProblem(text, header.shape);
        }
        closeRecord();
    }

    void addRecordProblem(LogProblem problem) {
        if (m_open) {
            problem.record = RecordId(static_cast<std::uint32_t>(m_piece.records.size() - 1));
        }
        m_piece.problems.add(std::move(problem));
    }

    std::string_view m_text;
    std::uint64_t m_begin;
    std::uint64_t m_end;
    EnvelopeReader& m_reader;
    ScannedPiece m_piece;
    Numbering<RecordOwner, RecordOwnerHash> m_owners{m_piece.owners};
    Numbering<RecordName, RecordNameHash> m_names{m_piece.names};
    RecordName m_name;
    /// Flags of the open record, or of the lines before the first one.
    std::uint8_t m_current = 0;
    bool m_open = false;
    /// The payload up to here is checked line by line, because some of it is not UTF-8.
    const char* m_slowUntil = nullptr;
};

} // namespace

RecordOwner ownerOf(CompileId id, std::optional<std::int32_t> rank) {
    id.attempt = id.empty() ? std::nullopt : std::optional(id.attempt.value_or(0));
    return {rank, id};
}

std::size_t RecordOwnerHash::operator()(const RecordOwner& owner) const noexcept {
    std::size_t hash = 0;
    const CompileId& id = owner.id;
    for (const std::int32_t part :
         {owner.rank.value_or(-1), id.compiledAutograd.value_or(-1), id.frame.value_or(-1),
          id.frameCompile.value_or(-1), id.attempt.value_or(-1), static_cast<std::int32_t>(id.repetition)}) {
        hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29U;
    }
    return hash;
}

std::size_t RecordNameHash::operator()(const RecordName& name) const noexcept {
    return std::hash<std::string>()(name.key) * 31 + std::hash<std::string>()(name.artifact);
}

ScannedPiece PieceScanner::scan(std::string_view text, std::uint64_t begin, std::uint64_t end) {
    return Scan(text, begin, end, m_reader).run();
}

} // namespace aotscope::load
