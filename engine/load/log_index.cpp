#include "load/log_index.h"

#include "load/payload_text.h"
#include "load/record_kind.h"

#include <algorithm>
#include <limits>
#include <map>

namespace aotscope::load {

namespace {

/// The name number that means: read the name from the envelope.
constexpr std::uint16_t unlisted = std::numeric_limits<std::uint16_t>::max();
// If the last payload has at most this many bytes, it is verified at once, to detect a truncated log.
constexpr std::size_t lastPayloadLimit = 64U << 20U;

} // namespace

const LogIndex::KnownName& LogIndex::known(std::uint16_t number) const {
    static const KnownName none;
    return number == unlisted ? none : m_names[number];
}

const RecordName* LogIndex::tryName(std::size_t record) const {
    const RecordName& name = known(m_nameNumbers[record]).name;
    return name.key.empty() ? nullptr : &name;
}

RecordKind LogIndex::kind(std::size_t record) const {
    return known(m_nameNumbers[record]).kind;
}

std::string_view LogIndex::region(std::size_t record, std::string_view text) const {
    const std::uint64_t begin = m_offsets[record];
    const std::uint64_t end = record + 1 < recordCount() ? m_offsets[record + 1]
                              : m_unfinishedPayload      ? text.size()
                                                         : m_end;
    return begin <= end && end <= text.size() ? text.substr(begin, end - begin) : std::string_view();
}

void LogIndex::join(ScannedPiece&& piece, std::string_view text) {
    if (piece.empty) {
        return;
    }
    const std::size_t first = recordCount();
    joinLeading(piece);
    const auto names = joinNames(piece.names);
    std::vector<Owner> owners = joinOwners(piece.owners);
    auto fact = piece.facts.begin();
    for (std::size_t i = 0; i < piece.records.size(); ++i) {
        const ScannedPiece::Record& record = piece.records[i];
        const std::size_t number = first + i;
        if (number > 0) {
            closeRecord(number - 1);
        }
        const std::uint16_t name = names[record.name];
        const CompileMarks marks = known(name).marks;
        m_offsets.push_back(record.offset);
        m_lines.push_back(static_cast<std::uint32_t>(m_lineCount + record.line + 1));
        if (number > 0) {
            settleBackward(static_cast<std::uint32_t>(number - 1), text);
        }
        const CompileIndex row = place(owners[record.owner], name, static_cast<std::uint32_t>(number));
        m_compiles.push_back(row.index());
        m_nameNumbers.push_back(name);
        m_flags.push_back(record.flags);
        if (name != unlisted) {
            ++m_names[name].count;
        }
        const RecordId id(static_cast<std::uint32_t>(number));
        m_tree.addRecord(row, id, marks);
        checkOwnRank(piece.owners[record.owner]);
        if (isNote(marks)) {
            m_notes.push_back({id.index(), marks});
        }
        if (fact != piece.facts.end() && fact->record == i) {
            joinFact(std::move(*fact), first);
            ++fact;
        }
    }
    joinProblems(piece, first);
    m_lineCount += piece.lines;
    m_end = piece.end;
    m_unfinishedPayload = piece.unfinishedPayload;
    m_endsInsideLine = piece.endsInsideLine;
    m_unfinished = std::move(piece.unfinished);
    if (m_unfinished) {
        m_unfinished->line = m_lineCount + 1;
    }
    takeNotes(text);
}

/// Lines before the piece's first header belong to the record that is still open.
void LogIndex::joinLeading(const ScannedPiece& piece) {
    if (!m_flags.empty()) {
        m_flags.last() |= piece.leadingFlags;
        return;
    }
    if ((piece.leadingFlags & PayloadPresent) != 0) {
        addProblem({"load.payload_without_header", "payload lines come before the first record", 1});
    }
}

std::vector<std::uint16_t> LogIndex::joinNames(const std::vector<RecordName>& names) {
    std::vector<std::uint16_t> out;
    out.reserve(names.size());
    for (const RecordName& name : names) {
        const auto known = m_nameOf.find(name);
        if (known != m_nameOf.end()) {
            out.push_back(known->second);
        } else if (m_names.size() >= unlisted) {
            out.push_back(unlisted);
        } else {
            const auto number = static_cast<std::uint16_t>(m_names.size());
            m_nameOf.emplace(name, number);
            m_names.push_back({name, kindFromKey(name.key), marksOf(name), roleOf(name)});
            out.push_back(number);
        }
    }
    return out;
}

std::vector<LogIndex::Owner> LogIndex::joinOwners(const std::vector<RecordOwner>& owners) {
    std::vector<Owner> out;
    out.reserve(owners.size());
    for (RecordOwner ids : owners) {
        m_rank = m_rank ? m_rank : ids.rank;
        // A process writes no rank before it has one, so records without a rank have the log's rank.
        if (ids.rank == m_rank) {
            ids.rank.reset();
        }
        const bool hasIds = !ids.id.empty();
        out.push_back({ids, hasIds ? std::optional(m_repetitions.compileOf(ids)) : std::nullopt, {}, 0});
    }
    return out;
}

CompileIndex LogIndex::place(Owner& owner, std::uint16_t name, std::uint32_t record) {
    const RecordRole role = known(name).role;
    m_lastCompile = owner.compile;
    if (owner.compile) {
        CompileRepetitions::Move moved;
        owner.repetition =
            m_repetitions.place(*owner.compile, owner.ids.id.attempt.value_or(-1), role, record, moved);
        move(moved);
    } else if (role != RecordRole::Aside || known(name).kind == RecordKind::ChromiumEvent) {
        m_repetitions.placeOutside();
    }
    if (!owner.row.valid() || owner.repetition != owner.ids.id.repetition) {
        owner.ids.id.repetition = owner.repetition;
        owner.row = m_tree.rowOf(owner.ids);
    }
    return owner.row;
}

void LogIndex::move(const CompileRepetitions::Move& move) {
    // Few rows have records that move, and each may have very many.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<RecordId>> moved;
    for (const std::uint32_t record : move.records) {
        const CompileIndex from = compile(record);
        const CompileIndex to = m_tree.rowIn(from, move.to);
        if (from != to) {
            moved[{from.index(), to.index()}].push_back(RecordId(record));
        }
    }
    for (const auto& [rows, records] : moved) {
        const CompileIndex from(rows.first);
        const CompileIndex to(rows.second);
        CompileMarks marks = 0;
        for (const RecordId record : records) {
            marks |= known(m_nameNumbers[record.index()]).marks;
            m_compiles.set(record.index(), to.index());
        }
        m_tree.moveRecords(records, from, to, marks);
        m_tree.setMarks(from, marksOfRecords(from));
    }
}

CompileMarks LogIndex::marksOfRecords(CompileIndex row) const {
    CompileMarks marks = 0;
    for (const RecordId record : m_tree.compiles()[row.index()].records) {
        marks |= known(m_nameNumbers[record.index()]).marks;
    }
    return marks;
}

/// Decides by the last record, which is complete now, whose backward is compiled.
void LogIndex::settleBackward(std::uint32_t record, std::string_view text) {
    if (!m_lastCompile) {
        return;
    }
    const auto choices = m_repetitions.choicesFor(*m_lastCompile, record);
    if (choices.empty()) {
        return;
    }
    const std::string later = payload(record, text);
    std::uint32_t best = 0;
    std::uint32_t chosen = 0;
    bool isSure = false;
    for (const CompileRepetitions::Choice& choice : choices) {
        const std::uint32_t like = likeness(payload(choice.graph, text), later);
        if (like > best) {
            best = like;
            chosen = choice.repetition;
            isSure = true;
        } else if (like == best) {
            // Two compiles of the same function.
            isSure = false;
        }
    }
    if (isSure) {
        move(m_repetitions.choose(*m_lastCompile, chosen));
    }
}

void LogIndex::checkOwnRank(const RecordOwner& owner) {
    if (!owner.rank || owner.rank == m_rank || (m_flags.last() & Faulty) != 0) {
        return;
    }
    blameLast("load.other_rank", "the record belongs to rank " + std::to_string(*owner.rank) +
                                     ", but the log to rank " + std::to_string(*m_rank));
}

LogProblem LogIndex::problemOf(std::size_t record, std::string code, std::string message) const {
    return {std::move(code), std::move(message), line(record), RecordId(static_cast<std::uint32_t>(record))};
}

void LogIndex::blameLast(std::string code, std::string message) {
    m_flags.last() |= Faulty;
    addProblem(problemOf(recordCount() - 1, std::move(code), std::move(message)));
}

void LogIndex::joinFact(ScannedPiece::Fact&& fact, std::size_t firstRecord) {
    const std::size_t record = firstRecord + fact.record;
    const auto number = static_cast<std::uint32_t>(record);
    const CompileIndex row = compile(record);
    if (auto* interned = std::get_if<InternedString>(&fact.value)) {
        if (!m_strings.define(interned->index, number, interned->text)) {
            blameLast("load.string_index",
                      "index " + std::to_string(interned->index) +
                          " does not continue the string table: PyTorch counts up from 0");
        }
    } else if (auto* start = std::get_if<CompileStart>(&fact.value)) {
        m_tree.addStart(row, *start, number, m_strings);
    } else if (auto* metrics = std::get_if<MetricsFacts>(&fact.value)) {
        m_tree.addMetrics(row, std::move(*metrics), RecordId(number));
    }
}

void LogIndex::joinProblems(ScannedPiece& piece, std::size_t firstRecord) {
    m_problems.count += piece.problems.count - piece.problems.listed.size();
    for (LogProblem& problem : piece.problems.listed) {
        problem.line += m_lineCount + 1;
        if (problem.record) {
            problem.record = RecordId(static_cast<std::uint32_t>(firstRecord + problem.record->index()));
        }
        addProblem(std::move(problem));
    }
}

/// Called once all lines of a record are known.
void LogIndex::closeRecord(std::size_t record) {
    m_payloads += (m_flags[record] & PayloadPresent) != 0 ? 1 : 0;
    if (auto problem = payloadProblem(record)) {
        addProblem(*std::move(problem));
    }
}

std::optional<LogProblem> LogIndex::payloadProblem(std::size_t record) const {
    const std::uint8_t flags = m_flags[record];
    const bool announced = (flags & PayloadAnnounced) != 0;
    const bool present = (flags & PayloadPresent) != 0;
    if (announced == present || (flags & Faulty) != 0) {
        return std::nullopt;
    }
    return announced
               ? problemOf(record, "load.payload_missing", "the record announces a payload, but none follows")
               : problemOf(
                     record, "load.payload_without_header",
                     "a payload follows a record that doesn't announce one; it is kept with the record");
}

std::string LogIndex::payload(std::size_t record, std::string_view text) const {
    const RecordText cut = cutRecord(region(record, text), m_flags[record]);
    return payloadText(cut, cut.mixed ? digestOf(cut) : std::string());
}

void LogIndex::takeNote(const Note& note, std::string_view text) {
    m_tree.addNote(compile(note.record), note.marks, payload(note.record, text));
}

/// Keeps the last record's payload waiting, because it may still grow.
void LogIndex::takeNotes(std::string_view text) {
    std::size_t kept = 0;
    for (const Note note : m_notes) {
        if (note.record + 1 == recordCount()) {
            m_notes[kept++] = note;
        } else {
            takeNote(note, text);
        }
    }
    m_notes.resize(kept);
}

/// The problems at the current end of the file.
std::vector<LogProblem> LogIndex::tailProblems(std::string_view text) const {
    std::vector<LogProblem> out;
    if (recordCount() > 0) {
        const std::size_t record = recordCount() - 1;
        const std::uint8_t flags = m_flags[record];
        const std::string_view lines = region(record, text);
        if (auto problem = payloadProblem(record)) {
            out.push_back(*std::move(problem));
        } else if ((flags & PayloadAnnounced) != 0 && (flags & Faulty) == 0 &&
                   lines.size() < lastPayloadLimit) {
            const RecordText cut = cutRecord(lines, flags);
            base::Progress untold;
            if (checkPayload(cut, digestOf(cut), untold).state == PayloadState::Bad) {
                out.push_back(problemOf(record, "load.payload_truncated",
                                        "the last payload doesn't match its md5: the log is cut, still being "
                                        "written, or was changed"));
            }
        }
    }
    if (m_unfinished) {
        out.push_back(*m_unfinished);
    }
    return out;
}

void LogIndex::conclude(std::string_view text) {
    const auto byLine = [](const LogProblem& a, const LogProblem& b) { return a.line < b.line; };
    if (m_unfinishedPayload && recordCount() > 0) {
        m_flags.last() |= PayloadPresent;
    }
    const std::vector<LogProblem> tail = tailProblems(text);
    if (tail.empty()) {
        for (const Note& note : m_notes) {
            takeNote(note, text);
        }
        m_notes.clear();
    }
    m_tree.conclude(recordCount());
    m_totals.bytes = text.size();
    countRecords(tail.size());
    std::stable_sort(m_problems.listed.begin(), m_problems.listed.end(), byLine);
    m_withTail.clear();
    if (!tail.empty()) {
        m_withTail = m_problems.listed;
        m_withTail.insert(m_withTail.end(), tail.begin(), tail.end());
        std::stable_sort(m_withTail.begin(), m_withTail.end(), byLine);
    }
}

void LogIndex::countRecords(std::size_t tailProblems) {
    m_totals.lines = m_lineCount + (m_unfinished || m_unfinishedPayload ? 1 : 0);
    m_totals.records = recordCount();
    m_totals.payloads = m_payloads;
    if (!m_flags.empty() && (m_flags[recordCount() - 1] & PayloadPresent) != 0) {
        ++m_totals.payloads;
    }
    m_totals.problems = m_problems.count + tailProblems;
    m_totals.torchVersion = m_tree.torchVersion();
    std::map<std::string, std::uint64_t> counts;
    for (const KnownName& known : m_names) {
        counts[known.name.key.empty() ? "?" : known.name.key] += known.count;
    }
    m_totals.kinds.assign(counts.begin(), counts.end());
    std::stable_sort(m_totals.kinds.begin(), m_totals.kinds.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
}

} // namespace aotscope::load
