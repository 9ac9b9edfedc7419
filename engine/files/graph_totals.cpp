#include "files/graph_totals.h"

#include "ir/descriptor.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace aotscope::session {

namespace {

std::int64_t tensorBytes(const ir::ValueMeta& value, const ir::SymbolBindings& hints) {
    const ir::TensorMeta* tensor = ir::asTensor(value);
    return tensor ? tensor->bytes(hints).value_or(0) : 0;
}

} // namespace

GraphTotals totalsOf(const ir::Graph& graph) {
    GraphTotals totals;
    totals.nodes = graph.size();
    const std::optional<ir::NodeId> outputId = graph.output();
    if (!outputId) {
        return totals;
    }
    const ir::Node& output = graph.node(*outputId);
    const auto values = graph.returned();
    std::set<ir::NodeId> counted;
    for (std::size_t i = 0; i < std::min(values.size(), output.descriptors.size()); ++i) {
        const ir::NodeId* node = values[i].as<ir::NodeId>();
        const ir::AOTOutput* descriptor = ir::outputDescriptor(output, i);
        if (!node || !descriptor || !ir::isSavedForBackwards(*descriptor)) {
            continue;
        }
        if (counted.insert(*node).second) {
            totals.savedBytes =
                totals.savedBytes.value_or(0) + tensorBytes(graph.node(*node).value, graph.symbolHints());
        }
    }
    return totals;
}

void KnownTotals::eraseLog(std::uint32_t log) {
    std::erase_if(m_totals, [log](const auto& entry) { return entry.first.log == log; });
}

std::optional<GraphTotals> KnownTotals::tryFind(const ArtifactReference& graph) const {
    const auto found = m_totals.find(graph);
    return found == m_totals.end() ? std::nullopt : std::optional(found->second);
}

/// If a kind was logged several times, the first one.
const GraphTotals* KnownTotals::tryFirst(const ArtifactReference& compile, load::GraphKind graphKind) const {
    const std::string_view kind = base::wordOf(graphKind);
    const ArtifactReference start{compile.log, compile.compile, std::string(kind)};
    for (auto entry = m_totals.lower_bound(start); entry != m_totals.end(); ++entry) {
        const ArtifactReference& found = entry->first;
        if (found.log != compile.log || found.compile != compile.compile ||
            !found.artifact.starts_with(kind)) {
            break;
        }
        const std::string_view number = std::string_view(found.artifact).substr(kind.size());
        if (found.subgraph.empty() && found.rank == compile.rank && (number.empty() || number == "#1")) {
            return &entry->second;
        }
    }
    return nullptr;
}

/// True for most compiles of a large log.
bool KnownTotals::knowsNothingOf(const ArtifactReference& compile) const {
    const auto next = m_totals.lower_bound({.log = compile.log, .compile = compile.compile, .artifact = {}});
    return next == m_totals.end() || next->first.log != compile.log || next->first.compile != compile.compile;
}

std::optional<std::size_t> KnownTotals::nodesOf(const ArtifactReference& compile) const {
    if (knowsNothingOf(compile)) {
        return std::nullopt;
    }
    for (const load::GraphKind kind : load::tellingGraphKinds) {
        if (const GraphTotals* totals = tryFirst(compile, kind)) {
            return totals->nodes;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> KnownTotals::savedBytesOf(const ArtifactReference& compile) const {
    const GraphTotals* totals = tryFirst(compile, load::GraphKind::Forward);
    return totals ? totals->savedBytes : std::nullopt;
}

} // namespace aotscope::session
