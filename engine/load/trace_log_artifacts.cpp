#include "load/python_json.h"
#include "load/record_kind.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include "ir/text/parser.h"

#include "base/text_search.h"

#include <memory>
#include <string>
#include <string_view>

namespace aotscope::load {

namespace {

/// Artifact::name without a number: "joint" and the like, the artifact's own name, or the envelope key; with
/// the names that the envelope adds: "optimize_ddp_split_child submod_0".
std::string nameOf(const TraceLog& log, RecordId record, RecordKind kind) {
    if (const std::string_view main = mainGraphName(kind); !main.empty()) {
        return std::string(main);
    }
    std::string name = kind == RecordKind::Artifact ? log.artifactName(record) : std::string();
    if (name.empty()) {
        name = log.kindName(record);
    }
    const bool mayHaveOwn =
        kind == RecordKind::GraphDump || kind == RecordKind::DumpFile || kind == RecordKind::Other;
    const std::string envelope = log.envelope(record);
    if (!mayHaveOwn && !base::contains(envelope, "\"subgraph_name\"")) {
        return name.empty() ? "unknown" : name;
    }
    const ParsedJson json(envelope);
    // The name inside the record's own object: {"graph_dump": {"name": "inductor_aot_kernel_code", …}, …}
    const auto own = valueAs<std::string_view>(json.root()[log.kindName(record)]["name"]).value_or("");
    if (mayHaveOwn && !own.empty()) {
        name = (kind == RecordKind::GraphDump ? "" : name + " ") + std::string(own);
    }
    // The region of the graph that is compiled by itself: {…, "subgraph_name": "partitioned_fw_subgraph_0_0"}
    const auto subgraph = valueAs<std::string_view>(json.root()["subgraph_name"]).value_or("");
    if (!subgraph.empty()) {
        name += " (" + std::string(subgraph) + ")";
    }
    return name.empty() ? "unknown" : name;
}

/// Whether a record of this kind may be a graph that only its payload shows. A dumped file counts as code.
bool mayHoldGraph(RecordKind kind) {
    return kind == RecordKind::Artifact || kind == RecordKind::Other || kind == RecordKind::ExportedProgram;
}

/// Whether payload lines are the text of a graph, whatever the record's name: new versions of PyTorch log
/// further graphs, and passes choose names of their own.
bool beginsAsGraph(std::string_view lines) {
    constexpr std::size_t examined = 4096;
    constexpr std::string_view firstOfGraph = "cg#d";
    lines = lines.substr(0, examined);
    const std::size_t first = lines.find_first_not_of("\t\r\n ");
    if (first == std::string_view::npos) {
        return false;
    }
    // Few payloads pass this test, so that listing a hundred thousand of them stays fast.
    const std::string_view firstLine = lines.substr(first, lines.find_first_of("\r\n", first) - first);
    if (firstOfGraph.find(firstLine.front()) == std::string_view::npos && !firstLine.ends_with(':')) {
        return false;
    }
    std::string text(lines);
    std::erase(text, '\t');
    return ir::looksLikeGraphText(text);
}

} // namespace

const ArtifactList& TraceLog::artifacts(CompileIndex index) const {
    if (const ArtifactList* known = m_state->lists.tryFind(index)) {
        return *known;
    }
    std::vector<Artifact> out;
    for (const RecordId record : compile(index).records) {
        const RecordKind recordKind = kind(record);
        // A link's address is in its envelope.
        const bool isLink = recordKind == RecordKind::Link;
        if (!isOpenable(recordKind) || (!hasPayload(record) && !isLink)) {
            continue;
        }
        Artifact artifact;
        artifact.record = record;
        artifact.compile = index;
        artifact.kind = recordKind;
        artifact.name = nameOf(*this, record, recordKind);
        artifact.isGraph = holdsGraph(recordKind, artifact.name) ||
                           (mayHoldGraph(recordKind) && beginsAsGraph(m_state->record(record).lines));
        artifact.line = lineOf(record) + (hasPayload(record) ? 1 : 0);
        artifact.bytes = m_state->record(record).lines.size();
        out.push_back(std::move(artifact));
    }
    return m_state->lists.keep(index, std::make_unique<ArtifactList>(std::move(out)));
}

std::optional<Artifact> TraceLog::tryFindArtifact(CompileIndex index, std::string_view name) const {
    const Artifact* const found = artifacts(index).tryFind(name);
    return found ? std::optional(*found) : std::nullopt;
}

void TraceLog::listLargeCompiles(const base::Progress& progress) const {
    constexpr std::size_t large = 500;
    for (std::size_t i = 0; i < compiles().size() && !progress.stopRequested(); ++i) {
        if (compiles()[i].records.size() >= large) {
            (void)artifacts(CompileIndex(static_cast<std::uint32_t>(i)));
        }
    }
}

} // namespace aotscope::load
