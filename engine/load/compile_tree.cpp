#include "load/compile_tree.h"

#include "load/compile_notes.h"
#include "load/record_kind.h"

#include "base/joined.h"
#include "base/text_search.h"
#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <limits>

namespace aotscope::load {

namespace {

enum Mark : CompileMarks {
    MetricsSeen = 1,
    GuardsSeen = 2,
    GraphSeen = 4,
    ErrorSeen = 8,
    CacheHit = 16,
    CacheMiss = 32,
    CacheBypass = 64,
    LaterAttempt = 128,
    GraphBreakNote = 256,
    RecompileNote = 512,
    VersionNote = 1024,
    ErrorNote = 2048,
    FailureSeen = 4096,
    GraphOpsSeen = 8192,
    NotGuarded = 16384,
    StartSeen = 32768,
    TraceFailed = 65536,
};

struct MarkedName {
    std::string_view name;
    CompileMarks marks;
};
constexpr std::array markedArtifacts = {
    MarkedName{"dynamo_error", ErrorSeen | ErrorNote},
    MarkedName{"dynamo_graph_break_reason", GraphBreakNote},
    MarkedName{"recompile_reasons", RecompileNote},
    MarkedName{"torch_version", VersionNote},
    MarkedName{"make_fx_fail_partial", TraceFailed},
};
/// fx_graph_cache_hit, aotautograd_cache_miss, fx_graph_bundled_cache_hit, dynamo_cache_bypass, …
constexpr std::array cacheEndings = {MarkedName{"_hit", CacheHit}, MarkedName{"_miss", CacheMiss},
                                     MarkedName{"_bypass", CacheBypass}};

CompileMarks artifactMarks(std::string_view name) {
    const auto* known = std::ranges::find(markedArtifacts, name, &MarkedName::name);
    if (known != markedArtifacts.end()) {
        return known->marks;
    }
    const auto* ending =
        std::ranges::find_if(cacheEndings, [&](const MarkedName& each) { return name.ends_with(each.name); });
    return ending != cacheEndings.end() && base::contains(name, "_cache_") ? ending->marks : CompileMarks(0);
}

void appendNew(std::vector<std::string>& list, std::string text) {
    if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) {
        list.push_back(std::move(text));
    }
}

} // namespace

CompileMarks marksOf(const RecordName& name) {
    const RecordKind kind = kindFromKey(name.key);
    switch (kind) {
    case RecordKind::DynamoGuards:
    case RecordKind::DynamoCppGuards:
        return GuardsSeen;
    case RecordKind::InductorOutputCode:
    case RecordKind::ExportedProgram:
        return GraphSeen;
    case RecordKind::Artifact:
        return artifactMarks(name.artifact);
    default:
        return holdsGraph(kind, {}) ? CompileMarks(GraphSeen) : CompileMarks(0);
    }
}

bool isNote(CompileMarks marks) {
    return (marks & (GraphBreakNote | RecompileNote | VersionNote | ErrorNote)) != 0;
}

CompileIndex CompileTree::rowOf(const RecordOwner& owner) {
    const auto [at, isNew] = m_rows.try_emplace(owner, static_cast<std::uint32_t>(m_compiles.size()));
    if (!isNew) {
        return CompileIndex(at->second);
    }
    const CompileIndex row(at->second);
    Compile& compile = m_compiles.emplace_back();
    compile.id = owner.id;
    compile.rank = owner.rank;
    m_marks.push_back(0);
    m_factMarks.push_back(0);
    m_owners.push_back(owner);
    if (owner.id.attempt.value_or(0) > 0) {
        RecordOwner before = owner;
        --*before.id.attempt;
        if (const auto found = m_rows.find(before); found != m_rows.end()) {
            m_factMarks[found->second] |= LaterAttempt;
        }
    }
    return row;
}

CompileIndex CompileTree::rowIn(CompileIndex row, std::uint32_t repetition) {
    RecordOwner owner = m_owners[row.index()];
    owner.id.repetition = repetition;
    return rowOf(owner);
}

void CompileTree::moveRecords(std::vector<RecordId> records, CompileIndex from, CompileIndex to,
                              CompileMarks marks) {
    std::ranges::sort(records);
    std::erase_if(m_compiles[from.index()].records,
                  [&](RecordId record) { return std::ranges::binary_search(records, record); });
    std::vector<RecordId>& after = m_compiles[to.index()].records;
    const auto middle = static_cast<std::ptrdiff_t>(after.size());
    after.insert(after.end(), records.begin(), records.end());
    std::inplace_merge(after.begin(), after.begin() + middle, after.end());
    m_marks[to.index()] |= marks;
}

void CompileTree::addStart(CompileIndex row, const CompileStart& start, std::uint32_t record,
                           const StringTable& strings) {
    Compile& compile = m_compiles[row.index()];
    compile.function = start.function;
    compile.line = start.line;
    compile.file = strings.tryFind(start.file, record).value_or("");
    m_factMarks[row.index()] |= StartSeen;
}

void CompileTree::addMetrics(CompileIndex row, MetricsFacts&& facts, RecordId record) {
    Compile& compile = m_compiles[row.index()];
    if (!facts.torchVersion.empty()) {
        m_torchVersion = facts.torchVersion;
    }
    CompileMarks& marks = m_factMarks[row.index()];
    if (!facts.failType.empty()) {
        marks |= FailureSeen;
        m_details[row.index()].failure =
            facts.failType + (facts.failReason.empty() ? "" : ": " + facts.failReason);
    }
    if (!facts.forward) {
        // The backward's metrics only add its duration and its failure.
        compile.backwardSeconds = facts.seconds;
        return;
    }
    marks |= MetricsSeen;
    marks |= facts.graphOpCount.value_or(0) > 0 ? GraphOpsSeen : CompileMarks(0);
    marks |= facts.hasGuardedCode.value_or(true) ? CompileMarks(0) : NotGuarded;
    compile.metrics = record;
    if (!facts.function.empty()) {
        compile.function = std::move(facts.function);
        compile.file = std::move(facts.file);
        compile.line = facts.line;
    }
    compile.seconds = facts.seconds;
    compile.guardCount = facts.guardCount;
    compile.graphNodeCount = facts.graphNodeCount;
    if (!facts.failFile.empty()) {
        compile.failFile = std::move(facts.failFile);
        compile.failLine = facts.failLine;
    }
    appendNew(compile.recompileReasons, std::string(base::trimmed(facts.recompileReason)));
    if (!facts.restartReasons.empty()) {
        m_details[row.index()].restartReasons = std::move(facts.restartReasons);
    }
}

void CompileTree::addNote(CompileIndex row, CompileMarks marks, const std::string& payload) {
    Compile& compile = m_compiles[row.index()];
    if ((marks & GraphBreakNote) != 0) {
        appendNew(compile.graphBreaks, graphBreakReason(payload));
    } else if ((marks & RecompileNote) != 0) {
        for (std::string& reason : recompileReasons(payload)) {
            appendNew(compile.recompileReasons, std::move(reason));
        }
    } else if ((marks & VersionNote) != 0) {
        if (std::string version = load::torchVersion(payload); !version.empty()) {
            m_torchVersion = std::move(version);
        }
    } else if ((marks & ErrorNote) != 0) {
        // The failure in the metrics, which may come before or after, is better.
        if (std::string& failure = m_details[row.index()].failure; failure.empty()) {
            failure = errorOf(payload);
        }
        if (auto place = errorPlace(payload); compile.failFile.empty() && place) {
            compile.failFile = std::move(place->file);
            compile.failLine = place->line;
        }
    }
}

void CompileTree::conclude(std::size_t records) {
    for (std::size_t row = 0; row < m_compiles.size(); ++row) {
        concludeRow(row, records);
    }
    concludeRestarts();
}

/// A metrics record lists the restart reasons of all earlier attempts.
void CompileTree::concludeRestarts() {
    std::unordered_map<RecordOwner, std::uint32_t, RecordOwnerHash> lastListed;
    const auto firstAttempt = [this](std::uint32_t row) {
        RecordOwner owner = m_owners[row];
        owner.id.attempt = std::min(owner.id.attempt, std::optional(0));
        return owner;
    };
    for (const auto& [row, details] : m_details) {
        if (!details.restartReasons.empty()) {
            const auto at = lastListed.try_emplace(firstAttempt(row), row).first;
            at->second = m_owners[at->second].id.attempt < m_owners[row].id.attempt ? row : at->second;
        }
    }
    for (std::uint32_t row = 0; row < m_compiles.size(); ++row) {
        const auto found = lastListed.find(firstAttempt(row));
        if (m_compiles[row].reason.empty() && found != lastListed.end() &&
            m_owners[row].id.attempt < m_owners[found->second].id.attempt) {
            m_compiles[row].reason = base::joined(m_details[found->second].restartReasons, "\n");
        }
    }
}

CompileStatus CompileTree::statusOf(const Compile& compile, CompileMarks marks, std::size_t records) const {
    const auto has = [marks](CompileMarks bits) { return (marks & bits) != 0; };
    // torch.export writes no metrics, and when it does not use Dynamo no start and no graph either.
    const bool isExport = compile.id.frame && !has(StartSeen | MetricsSeen | GraphSeen | GuardsSeen);
    const bool isTraceFailed = isExport && has(TraceFailed);
    if (has(FailureSeen) || isTraceFailed || (has(ErrorSeen) && !has(LaterAttempt))) {
        return CompileStatus::Failed;
    }
    if (has(LaterAttempt)) {
        return CompileStatus::Restarted;
    }
    if (has(MetricsSeen)) {
        const bool isEmpty = !has(GraphOpsSeen) && !has(GraphSeen);
        return isEmpty ? CompileStatus::Empty : CompileStatus::Succeeded;
    }
    if (compile.id.empty() || (compile.id.compiledAutograd && !compile.id.frame)) {
        // No record marks the end of such a compile; its records are written when it is complete.
        return has(GraphSeen) ? CompileStatus::Succeeded : CompileStatus::Empty;
    }
    const bool isPassed = !compile.records.empty() && compile.records.back().index() + 1 < records;
    if (has(GuardsSeen) || (has(GraphSeen) && isPassed)) {
        return CompileStatus::Succeeded;
    }
    return isExport ? CompileStatus::Ended : CompileStatus::Unfinished;
}

void CompileTree::concludeRow(std::size_t row, std::size_t records) {
    Compile& compile = m_compiles[row];
    const CompileMarks marks = m_marks[row] | m_factMarks[row];
    const auto has = [marks](CompileMarks bits) { return (marks & bits) != 0; };
    compile.cache = has(CacheMiss)     ? CacheState::Miss
                    : has(CacheBypass) ? CacheState::Bypass
                    : has(CacheHit)    ? CacheState::Hit
                                       : CacheState::Unknown;
    compile.status = statusOf(compile, marks, records);
    compile.reason.clear();
    const auto details = m_details.find(static_cast<std::uint32_t>(row));
    if (compile.status == CompileStatus::Failed) {
        compile.reason = details != m_details.end() ? details->second.failure : "";
        if (compile.reason.empty() && has(TraceFailed)) {
            compile.reason = "the trace failed; make_fx_fail_partial has the graph up to the failure";
        }
    } else if (compile.status == CompileStatus::Restarted) {
        compile.reason = base::joined(compile.graphBreaks, "\n");
    }
}

std::optional<CompileIndex> CompileTree::tryFind(const CompileId& id,
                                                 std::optional<std::int32_t> rank) const {
    RecordOwner owner = ownerOf(id, rank);
    if (const auto found = m_rows.find(owner); found != m_rows.end()) {
        return CompileIndex(found->second);
    }
    if (rank) {
        return std::nullopt;
    }
    for (std::size_t row = 0; row < m_owners.size(); ++row) {
        owner.rank = m_owners[row].rank;
        if (m_owners[row] == owner) {
            return CompileIndex(static_cast<std::uint32_t>(row));
        }
    }
    return std::nullopt;
}

std::optional<CompileIndex> CompileTree::tryNextAttempt(CompileIndex row) const {
    RecordOwner owner = m_owners[row.index()];
    if (owner.id.attempt.value_or(std::numeric_limits<std::int32_t>::max()) ==
        std::numeric_limits<std::int32_t>::max()) {
        return std::nullopt;
    }
    ++*owner.id.attempt;
    const auto found = m_rows.find(owner);
    return found == m_rows.end() ? std::nullopt : std::optional(CompileIndex(found->second));
}

} // namespace aotscope::load
