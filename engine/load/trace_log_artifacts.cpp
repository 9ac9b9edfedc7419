#include "load/record_kind.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::load {

namespace {

/// Envelope keys that would not tell what their payload is.
std::string nameOf(const TraceLog& log, RecordId record, RecordKind kind) {
    if (const std::string_view main = mainGraphName(kind); !main.empty()) {
        return std::string(main);
    }
    std::string name = kind == RecordKind::Artifact ? log.artifactName(record) : std::string();
    if (name.empty()) {
        name = log.kindName(record);
    }
    return name.empty() ? "unknown" : name;
}

} // namespace

std::vector<Artifact> TraceLog::artifacts(CompileIndex index) const {
    std::vector<Artifact> out;
    std::unordered_map<std::string, int> seen;
    for (const RecordId record : compile(index).records) {
        const RecordKind recordKind = kind(record);
        if (!hasPayload(record) || !isOpenable(recordKind)) {
            continue;
        }
        Artifact artifact;
        artifact.record = record;
        artifact.compile = index;
        artifact.kind = recordKind;
        artifact.name = nameOf(*this, record, recordKind);
        artifact.isGraph = holdsGraph(recordKind, artifact.name);
        if (const int count = ++seen[artifact.name]; count > 1) {
            artifact.name += "#" + std::to_string(count);
        }
        artifact.line = lineOf(record) + 1;
        artifact.bytes = m_state->record(record).lines.size();
        out.push_back(std::move(artifact));
    }
    return out;
}

std::optional<Artifact> TraceLog::tryFindArtifact(CompileIndex index, std::string_view name) const {
    std::vector<Artifact> all = artifacts(index);
    // The first of several has no number in its own name.
    if (name.ends_with("#1")) {
        name.remove_suffix(2);
        const auto first =
            std::find_if(all.begin(), all.end(), [name](const Artifact& a) { return a.name == name; });
        return first == all.end() ? std::nullopt : std::optional(std::move(*first));
    }
    const auto exact =
        std::find_if(all.begin(), all.end(), [name](const Artifact& a) { return a.name == name; });
    if (exact == all.end()) {
        return std::nullopt;
    }
    if (!exact->isGraph || name.find('#') != std::string_view::npos) {
        return std::move(*exact);
    }
    // A graph that was logged again replaces the one before.
    const std::string numbered = std::string(name) + "#";
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Artifact& a) {
        return a.name == name || a.name.starts_with(numbered);
    });
    return std::move(*last);
}

} // namespace aotscope::load
