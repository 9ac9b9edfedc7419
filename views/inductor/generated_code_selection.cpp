// How the Generated code dock and the other panels' selection follow each other.
#include "inductor/generated_code_panel.h"

#include "base/mapped.h"
#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "inductor/generated_kernel_model.h"

#include <QItemSelectionModel>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>
#include <QUrl>

#include <algorithm>

namespace aotscope::views {

bool GeneratedCodePanel::isOfShown(const session::ArtifactReference& graph) const {
    return m_shown && graph.log == m_shown->compile.log && graph.compile == m_shown->compile.compile &&
           graph.rank == m_shown->compile.rank;
}

namespace {

/// Nodes of the compiled graph that a node of the selected graph stands for.
std::vector<ir::NodeId> nodesNamed(const inductor::GeneratedCode& code, const session::Selection& selected) {
    std::vector<ir::NodeId> nodes;
    if (!code.graph || selected.node.empty()) {
        return nodes;
    }
    if (selected.artifact.artifact != code.graphName && code.aotGraph) {
        if (const std::optional<ir::NodeId> node = code.aotGraph->tryFind(selected.node)) {
            for (const ir::NodeId own : code.graph->order()) {
                const std::vector<ir::NodeId>& stands = code.aotNodes[own.index()];
                if (std::find(stands.begin(), stands.end(), *node) != stands.end()) {
                    nodes.push_back(own);
                }
            }
        }
    }
    // The graphs of a compile share names.
    if (const std::optional<ir::NodeId> own = code.graph->tryFind(selected.node); nodes.empty() && own) {
        nodes.push_back(*own);
    }
    return nodes;
}

} // namespace

std::vector<std::uint32_t> GeneratedCodePanel::launchesOf(const inductor::GeneratedCode& code,
                                                          const session::Selection& selected) {
    std::vector<std::uint32_t> launches;
    for (const ir::NodeId node : nodesNamed(code, selected)) {
        const std::vector<std::uint32_t>& own = code.links.launchesOf[node.index()];
        launches.insert(launches.end(), own.begin(), own.end());
    }
    std::sort(launches.begin(), launches.end());
    launches.erase(std::unique(launches.begin(), launches.end()), launches.end());
    return launches;
}

std::optional<int> GeneratedCodePanel::otherPartOf(const session::Selection& selected) const {
    std::optional<int> other;
    for (std::size_t place = 0; place < m_shown->parts.size(); ++place) {
        const inductor::GeneratedCode& code = m_shown->parts[place]->generated;
        const std::string& graph = selected.artifact.artifact;
        if (graph == code.graphName || graph == code.aotName) {
            return std::nullopt;
        }
        if (!other && !launchesOf(code, selected).empty()) {
            other = static_cast<int>(place);
        }
    }
    return other;
}

void GeneratedCodePanel::followNode(QObject* source) {
    const std::optional<session::Selection>& current = m_context.selection->current();
    if (source == this || part() == nullptr || !current || !isOfShown(current->artifact)) {
        return;
    }
    const std::vector<std::uint32_t> launches = launchesOf(part()->generated, *current);
    const std::optional<int> other = launches.empty() ? otherPartOf(*current) : std::nullopt;
    if (other && *other != m_parts->currentIndex()) {
        m_parts->setCurrentIndex(*other);
        return;
    }
    const inductor::GeneratedCode& code = part()->generated;
    const auto kernels =
        base::mapped(launches, [&](const std::uint32_t launch) { return code.code.launches[launch].kernel; });
    m_model->setMarked(kernels);
    if (launches.empty()) {
        m_code->setRelatedLines({});
        return;
    }
    m_choosing = true;
    m_kernel = kernels.front();
    const int row = m_model->rowOf(kernels.front());
    m_list->setCurrentIndex(m_model->index(row, 0));
    m_list->scrollTo(m_model->index(row, 0));
    m_choosing = false;
    if (m_fold->isChecked()) {
        showText();
    }
    m_fold->setEnabled(code.code.kernels[*m_kernel].definition.has_value());
    markLines(launches, current->node);
    showDetails();
}

session::ArtifactReference GeneratedCodePanel::graphToSelectIn() const {
    const inductor::GeneratedCode& code = part()->generated;
    session::ArtifactReference graph = m_shown->compile;
    const std::optional<session::Selection>& current = m_context.selection->current();
    const bool isOwn =
        current && isOfShown(current->artifact) &&
        (current->artifact.artifact == code.graphName || current->artifact.artifact == code.aotName);
    graph.artifact = isOwn ? current->artifact.artifact : code.aotGraph ? code.aotName : code.graphName;
    return graph;
}

std::string GeneratedCodePanel::nameIn(const session::ArtifactReference& graph, ir::NodeId node) const {
    const inductor::GeneratedCode& code = part()->generated;
    if (graph.artifact == code.aotName && code.aotGraph && !code.aotNodes[node.index()].empty()) {
        return code.aotGraph->node(code.aotNodes[node.index()].front()).name;
    }
    return code.graph->node(node).name;
}

/// Selects the last of the nodes, which is what the kernel is for, and highlights all of them.
void GeneratedCodePanel::selectNodes(const std::vector<ir::NodeId>& nodes) {
    if (nodes.empty()) {
        return;
    }
    const session::ArtifactReference graph = graphToSelectIn();
    auto spotlight = std::make_shared<Spotlight>();
    spotlight->artifact = graph;
    for (const ir::NodeId node : nodes) {
        spotlight->nodes.insert(nameIn(graph, node));
        spotlight->nodes.insert(part()->generated.graph->node(node).name);
    }
    m_context.selection->select({graph, nameIn(graph, nodes.back())}, this);
    m_context.selection->setSpotlight(std::move(spotlight));
}

void GeneratedCodePanel::chooseKernel(std::uint32_t kernel) {
    if (m_choosing || part() == nullptr) {
        return;
    }
    m_kernel = kernel;
    const inductor::GeneratedCode& code = part()->generated;
    m_model->setMarked({kernel});
    showText();
    markLines(code.code.kernels[kernel].launches, {});
    showDetails();
    if (code.graph) {
        selectNodes(nodesOfKernel(code, kernel));
    }
}

/// A line of a kernel or its comments chooses the kernel; a line that names a node, that node.
void GeneratedCodePanel::chooseLine(int line) {
    if (part() == nullptr) {
        return;
    }
    const inductor::GeneratedCode& code = part()->generated;
    const auto number = static_cast<std::size_t>(line) + static_cast<std::size_t>(m_firstLine) + 1;
    const std::optional<std::uint32_t> kernel = code.code.kernelAtLine(number);
    if (!kernel) {
        return;
    }
    m_choosing = true;
    m_kernel = *kernel;
    m_model->setMarked({*kernel});
    m_list->setCurrentIndex(m_model->index(m_model->rowOf(*kernel), 0));
    m_choosing = false;
    m_fold->setEnabled(code.code.kernels[*kernel].definition.has_value());
    showDetails();
    for (const inductor::FragmentNode& named : code.code.kernels[*kernel].comments.nodes) {
        const std::optional<ir::NodeId> node =
            named.line == number && code.graph ? code.graph->tryFind(named.name) : std::nullopt;
        if (node) {
            selectNodes({*node});
            return;
        }
    }
    if (code.graph) {
        selectNodes(nodesOfKernel(code, *kernel));
    }
}

/// All nodes of a source line ("model.py:41") and all kernels that compute one of them.
void GeneratedCodePanel::chooseSource(const std::string& place) {
    const inductor::GeneratedCode& code = part()->generated;
    std::vector<std::uint32_t> launches;
    std::vector<std::uint32_t> kernels;
    for (std::uint32_t launch = 0; launch < code.links.launches.size(); ++launch) {
        const auto& sources = code.links.launches[launch].sources;
        if (std::any_of(sources.begin(), sources.end(), [&](const inductor::SourceLink& link) {
                return link.source.file + ":" + std::to_string(link.source.line) == place;
            })) {
            launches.push_back(launch);
            kernels.push_back(code.code.launches[launch].kernel);
        }
    }
    std::vector<ir::NodeId> nodes;
    for (const ir::NodeId node : code.graph->order()) {
        const auto& origin = code.graph->node(node).origin;
        if (origin && origin->source &&
            origin->source->file + ":" + std::to_string(origin->source->line) == place) {
            nodes.push_back(node);
        }
    }
    m_model->setMarked(kernels);
    m_fold->setChecked(false);
    markLines(launches, {});
    selectNodes(nodes);
}

void GeneratedCodePanel::followLink(const QString& link) {
    if (part() == nullptr) {
        return;
    }
    const QString name = QUrl::fromPercentEncoding(link.mid(link.indexOf(QLatin1Char(':')) + 1).toUtf8());
    if (link.startsWith(QLatin1String("line:"))) {
        if (m_fold->isChecked()) {
            m_fold->setChecked(false);
        }
        m_code->setCurrentLine(name.toInt() - 1);
    } else if (link.startsWith(QLatin1String("source:")) && part()->generated.graph) {
        chooseSource(name.toStdString());
    } else if (link.startsWith(QLatin1String("node:")) && part()->generated.graph) {
        if (const std::optional<ir::NodeId> node = part()->generated.graph->tryFind(name.toStdString())) {
            const session::ArtifactReference graph = graphToSelectIn();
            // Not from here: the marks follow as for a node that is selected elsewhere.
            m_context.selection->select({graph, nameIn(graph, *node)});
        }
    }
}

} // namespace aotscope::views
