#include "evidence/log_evidence.h"

#include "load/record_kind.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace aotscope::evidence {
namespace {

using load::RecordKind;

/// Artifacts of Dynamo and of the process. AOTAutograd's code prints the configuration of `torch._functorch`,
/// but it belongs to the process and says nothing of a graph.
constexpr std::array<std::string_view, 5> readArtifacts = {
    "dynamo_side_effects", "recompile_reasons", "torch._functorch.config", "torch_version",
    // Its first lines alone, which are Inductor's configuration (logged_config.cpp).
    "fx_graph_runnable"};
constexpr std::array<std::string_view, 2> backendPrefixes = {"inductor_", "fx_graph_cache_"};
constexpr std::array<std::string_view, 2> backendArtifacts = {"before_pre_grad_graph",
                                                              "after_pre_grad_graph"};

EvidenceUse useOfArtifact(std::string_view name) {
    if (std::ranges::find(readArtifacts, name) != readArtifacts.end()) {
        return EvidenceUse::Content;
    }
    const bool isBackends = std::ranges::find(backendArtifacts, name) != backendArtifacts.end() ||
                            std::ranges::any_of(backendPrefixes, [&](std::string_view prefix) {
                                return name.starts_with(prefix);
                            });
    return isBackends ? EvidenceUse::Presence : EvidenceUse::None;
}

/// Descriptions of fake tensors and symbols. Both Dynamo and AOTAutograd leave such records.
bool describes(RecordKind kind) {
    using enum RecordKind;
    return load::isOneOf(kind, {DescribeStorage, DescribeTensor, DescribeSource, CreateSymbol,
                                CreateUnbackedSymbol, GuardAdded, GuardAddedFast});
}

} // namespace

EvidenceUse evidenceUse(const load::TraceLog& log, load::RecordId record) {
    const RecordKind kind = log.kind(record);
    using enum RecordKind;
    if (describes(kind) || load::isOneOf(kind, {DynamoStart, DynamoOutputGraph, DynamoGuards, DynamoCppGuards,
                                                CompilationMetrics, Str})) {
        return EvidenceUse::Content;
    }
    if (load::isOneOf(kind, {InductorPreGradGraph, InductorPostGradGraph, InductorOutputCode})) {
        return EvidenceUse::Presence;
    }
    if (kind == Artifact) {
        return useOfArtifact(log.artifactName(record));
    }
    return log.kindName(record).starts_with(backendPrefixes.front()) ? EvidenceUse::Presence
                                                                     : EvidenceUse::None;
}

LogEvidence::LogEvidence(load::TraceLogPtr log, load::CompileIndex compile)
    : m_log(std::move(log)), m_compile(compile) {
    addAfter(m_log->compile(compile).records);
}

LogEvidence::LogEvidence(load::TraceLogPtr log, load::CompileIndex compile, load::RecordId graph)
    : m_log(std::move(log)), m_compile(compile), m_graph(graph) {
    const load::TraceLog::GraphRecords records = m_log->recordsOf(compile, graph);
    std::ranges::copy_if(records.before, std::back_inserter(m_before), [&](load::RecordId record) {
        return evidenceUse(*m_log, record) != EvidenceUse::None;
    });
    addAfter(records.after);
}

void LogEvidence::addAfter(std::span<const load::RecordId> records) {
    std::ranges::copy_if(records, std::back_inserter(m_after), [&](load::RecordId record) {
        return !describes(m_log->kind(record)) && evidenceUse(*m_log, record) != EvidenceUse::None;
    });
}

std::optional<LogEvidence> LogEvidence::nextAttempt() const {
    const auto next = m_log->tryNextAttempt(m_compile);
    if (!next) {
        return std::nullopt;
    }
    return LogEvidence(m_log, *next);
}

std::string LogEvidence::envelope(load::RecordId record) const {
    return evidenceUse(*m_log, record) == EvidenceUse::Content ? m_log->envelope(record) : std::string();
}

std::string LogEvidence::payload(load::RecordId record) const {
    return evidenceUse(*m_log, record) == EvidenceUse::Content ? m_log->payload(record) : std::string();
}

} // namespace aotscope::evidence
