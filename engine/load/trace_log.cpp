#include "load/trace_log.h"

#include "load/header_line.h"
#include "load/record_kind.h"
#include "load/trace_log_state.h"

namespace aotscope::load {

std::string failurePlace(const Compile& compile) {
    if (compile.failFile.empty() || compile.failLine <= 0) {
        return {};
    }
    return std::filesystem::path(compile.failFile).filename().string() + ":" +
           std::to_string(compile.failLine);
}

RecordText TraceLog::State::record(RecordId id) const {
    if (!holds(id) || !file->intact()) {
        return {};
    }
    return cutRecord(index.region(id.index(), file->bytes()), index.flags(id.index()));
}

RecordName TraceLog::State::name(RecordId id) const {
    const RecordName* known = holds(id) ? index.tryName(id.index()) : nullptr;
    if (known != nullptr && (!known->artifact.empty() || known->key != "artifact")) {
        return *known;
    }
    EnvelopeReader reader;
    const Envelope& envelope = reader.read(envelopeText(record(id)));
    return {std::string(envelope.key), std::string(envelope.artifact)};
}

TraceLog::TraceLog(std::unique_ptr<const State> state) : m_state(std::move(state)) {}
TraceLog::~TraceLog() = default;

const std::filesystem::path& TraceLog::path() const {
    return m_state->path;
}

std::uint64_t TraceLog::fileSize() const {
    return m_state->file->identity().size;
}

std::optional<std::int32_t> TraceLog::rank() const {
    return m_state->rank;
}

const LogTotals& TraceLog::totals() const {
    return m_state->index.totals();
}

std::span<const LogProblem> TraceLog::problems() const {
    return m_state->index.problems();
}

std::span<const Compile> TraceLog::compiles() const {
    return m_state->index.tree().compiles();
}

const Compile& TraceLog::compile(CompileIndex index) const {
    return m_state->index.tree().compiles().at(index.index());
}

std::optional<CompileIndex> TraceLog::tryFindCompile(const CompileId& id,
                                                     std::optional<std::int32_t> rank) const {
    return m_state->index.tree().tryFind(id, rank);
}

std::optional<CompileIndex> TraceLog::tryNextAttempt(CompileIndex index) const {
    return m_state->index.tree().tryNextAttempt(index);
}

std::size_t TraceLog::recordCount() const {
    return m_state->index.recordCount();
}

RecordKind TraceLog::kind(RecordId record) const {
    return m_state->holds(record) ? m_state->index.kind(record.index()) : RecordKind::Other;
}

std::string TraceLog::kindName(RecordId record) const {
    const RecordName* known = m_state->holds(record) ? m_state->index.tryName(record.index()) : nullptr;
    return known != nullptr ? known->key : m_state->name(record).key;
}

std::string TraceLog::artifactName(RecordId record) const {
    return m_state->name(record).artifact;
}

CompileIndex TraceLog::compileOf(RecordId record) const {
    return m_state->holds(record) ? m_state->index.compile(record.index()) : CompileIndex();
}

std::size_t TraceLog::lineOf(RecordId record) const {
    return m_state->holds(record) ? m_state->index.line(record.index()) : 0;
}

std::string TraceLog::thread(RecordId record) const {
    return std::string(headerThread(m_state->record(record).header));
}

std::string TraceLog::envelope(RecordId record) const {
    return std::string(envelopeText(m_state->record(record)));
}

bool TraceLog::hasPayload(RecordId record) const {
    return m_state->holds(record) && (m_state->index.flags(record.index()) & PayloadPresent) != 0;
}

std::string TraceLog::payload(RecordId record) const {
    if (!hasPayload(record)) {
        return {};
    }
    const RecordText text = m_state->record(record);
    std::string payload = payloadText(text, text.mixed ? digestOf(text) : std::string());
    return m_state->file->intact() ? payload : std::string();
}

base::Result<CheckedPayload> TraceLog::checkedPayload(RecordId record, base::Progress& progress) const {
    const std::uint8_t flags = m_state->holds(record) ? m_state->index.flags(record.index()) : 0;
    if ((flags & (PayloadPresent | PayloadAnnounced)) == 0) {
        return CheckedPayload();
    }
    const RecordText text = m_state->record(record);
    const std::string digest = digestOf(text);
    const bool isPresent = (flags & PayloadPresent) != 0;
    CheckedPayload checked;
    if (digest.empty()) {
        checked.text = payload(record);
    } else if (isPresent) {
        checked = checkPayload(text, digest, progress);
    } else {
        checked.state = PayloadState::Bad;
    }
    AOTSCOPE_CHECK(progress.checkStop());
    if (!m_state->file->intact()) {
        checked.text.clear();
    }
    return checked;
}

} // namespace aotscope::load
