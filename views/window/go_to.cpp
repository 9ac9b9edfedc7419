// The command palette and go-to-anything of MainWindow.
#include "common/current_graph.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "graph/graph_facts.h"
#include "window/main_window.h"
#include "window/quick_pick.h"

#include <QAction>

#include <map>

namespace aotscope::views {

namespace {

/// Beyond this go-to-anything lists compiles without their artifacts.
constexpr std::size_t mostArtifactsListed = 20'000;

void addCompiles(std::vector<PickItem>& items, const LogList& logs, SelectionHub* selection, bool graphsOnly,
                 const std::function<void(const session::ArtifactReference&)>& pick) {
    (void)selection;
    for (const auto& [id, log] : logs.logs()) {
        const auto compiles = compilesOf(*log);
        const QString title = titleOf(*log);
        for (std::size_t i = 0; i < compiles.size(); ++i) {
            const load::CompileIndex index(static_cast<std::uint32_t>(i));
            const load::Compile& compile = compiles[i];
            const QString compileId = text(compile.id.text());
            if (!graphsOnly) {
                items.push_back({compileId + QLatin1Char(' ') + text(compile.function), title,
                                 [&logs, log = id, index, pick] { pick(logs.bestArtifact(log, index)); }});
            }
            if (items.size() > mostArtifactsListed) {
                continue;
            }
            for (const load::Artifact& artifact : artifactsOf(*log, index)) {
                if (artifact.isGraph || !graphsOnly) {
                    session::ArtifactReference reference{id, compile.id, artifact.name};
                    items.push_back({compileId + QLatin1Char(' ') + text(artifact.name), title,
                                     [reference, pick] { pick(reference); }});
                }
            }
        }
    }
}

void addNodes(std::vector<PickItem>& items, CurrentGraph* current) {
    const session::GraphSnapshotPtr snapshot = current->graph();
    if (!snapshot || !snapshot->graph) {
        return;
    }
    items.reserve(items.size() + snapshot->graph->size());
    for (const ir::NodeId id : snapshot->graph->order()) {
        const ir::Node& node = snapshot->graph->node(id);
        items.push_back({text(node.name), text(node.target), [current, id, snapshot] {
                             if (current->graph() == snapshot) {
                                 current->selectNode(id);
                             }
                         }});
    }
}

void addSourceLines(std::vector<PickItem>& items, CurrentGraph* current) {
    const session::GraphSnapshotPtr snapshot = current->graph();
    if (!snapshot || !snapshot->graph) {
        return;
    }
    std::map<std::pair<std::string, int>, bool> seen;
    for (const ir::NodeId id : snapshot->graph->order()) {
        const ir::Node& node = snapshot->graph->node(id);
        if (!node.origin || !node.origin->source) {
            continue;
        }
        const ir::SourceLocation& source = *node.origin->source;
        if (seen.emplace(std::pair(source.file, source.line), true).second) {
            items.push_back({fileNameOf(source.file) + QLatin1Char(':') + QString::number(source.line),
                             text(source.code), [current, id, snapshot] {
                                 if (current->graph() == snapshot) {
                                     current->selectNode(id);
                                 }
                             }});
        }
    }
}

} // namespace

void MainWindow::openCommandPalette() {
    openGoTo(QStringLiteral(">"));
}

void MainWindow::openGoTo(const QString& start) {
    const auto provide = [this](QChar first) {
        QuickPick::Offer offer;
        if (first == QLatin1Char('>')) {
            offer.skip = 1;
            offer.hint = tr("commands");
            for (QAction* entry : m_actions) {
                if (entry->isEnabled()) {
                    offer.items.push_back({entry->text().remove(QLatin1Char('&')),
                                           entry->shortcut().toString(QKeySequence::NativeText),
                                           [entry] { entry->trigger(); }});
                }
            }
            return offer;
        }
        const auto pick = [this](const session::ArtifactReference& reference) {
            m_selection->select({reference, {}});
        };
        if (first == QLatin1Char('@')) {
            offer.skip = 1;
            offer.hint = tr("nodes of the shown graph");
            addNodes(offer.items, m_graph.get());
        } else if (first == QLatin1Char('#')) {
            offer.skip = 1;
            offer.hint = tr("source lines of the shown graph");
            addSourceLines(offer.items, m_graph.get());
        } else {
            offer.hint = tr("@ nodes    # source lines    > commands");
            addCompiles(offer.items, *m_logs, m_selection.get(), false, pick);
            addNodes(offer.items, m_graph.get());
            addSourceLines(offer.items, m_graph.get());
        }
        return offer;
    };
    m_quickPick->open(start, provide);
}

void MainWindow::askForComparison() {
    const std::optional<session::Selection> current = m_selection->current();
    if (!current) {
        return;
    }
    m_quickPick->open({}, [this, left = current->artifact](QChar) {
        QuickPick::Offer offer;
        offer.hint = tr("compare %1 with …").arg(referenceText(left));
        addCompiles(offer.items, *m_logs, m_selection.get(), true,
                    [this, left](const session::ArtifactReference& right) { compare(left, right); });
        return offer;
    });
}

} // namespace aotscope::views
