// The Graph dock's context menu and its exports.
#include "graph/graph_panel_state.h"

#include "common/file_jobs.h"
#include "common/format.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>

namespace aotscope::views {
PictureRequest GraphPanel::State::picture(bool selectionOnly) const {
    PictureRequest request{m_canvas->scene(), m_canvas->look(), {}};
    if (!request.scene) {
        return request;
    }
    request.title = referenceText(m_shown->graph->reference);
    request.look.hovered = {};
    request.look.hoveredTitle = {};
    request.look.kept.clear();
    request.look.focus = {};
    if (!selectionOnly) {
        return request;
    }
    std::unordered_set<std::uint32_t> chosen = m_canvas->marked();
    if (chosen.empty() && m_canvas->current().valid()) {
        chosen.insert(m_canvas->current().index());
    }
    request.look.only = chosen;
    for (const std::uint32_t box : chosen) {
        for (const BoxId neighbour : request.scene->neighbours(BoxId(box))) {
            request.look.only.insert(neighbour.index());
        }
    }
    request.look.marked.clear();
    if (chosen.empty()) {
        request.scene = nullptr; // Nothing is selected.
    }
    return request;
}

std::vector<ir::NodeId> GraphPanel::State::picked() const {
    std::vector<ir::NodeId> nodes;
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        return nodes;
    }
    std::unordered_set<std::uint32_t> boxes = m_canvas->marked();
    const BoxId current = m_canvas->current();
    if (boxes.empty() && current.valid() && scene->box(current).isGroup) {
        boxes.insert(current.index());
    }
    if (boxes.empty()) {
        return nodes;
    }
    for (const ir::NodeId node : scene->graph().order()) {
        const BoxId box = scene->boxOf(node);
        if (box.valid() && boxes.contains(box.index())) {
            nodes.push_back(node);
        }
    }
    return nodes;
}

void GraphPanel::State::showMenu(BoxId box, GroupId group, const QPoint& global) {
    if (!m_shown) {
        return;
    }
    auto* menu = new QMenu(m_panel);
    menu->setObjectName(QStringLiteral("graphMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const ir::NodeId node = box.valid() ? m_canvas->scene()->box(box).node : ir::NodeId();
    if (node.valid()) {
        const session::GraphSnapshotPtr graph = m_shown->graph;
        const QString name = text(graph->graph->node(node).name);
        menu->addAction(tr("Copy name"), this, [name] { QGuiApplication::clipboard()->setText(name); });
        menu->addAction(tr("Copy call text"), this, [graph, node] {
            QGuiApplication::clipboard()->setText(text(ir::callText(*graph->graph, node)));
        });
        menu->addAction(tr("Show in Text"), this, [this, box] {
            m_canvas->setCurrent(box);
            pick(box);
            Q_EMIT m_panel->showTextRequested();
        });
        QAction* why =
            menu->addAction(tr("Why saved?") + QStringLiteral("\tCtrl+Shift+W"), this, [this, box] {
                m_canvas->setCurrent(box);
                pick(box);
                Q_EMIT m_panel->whyRequested();
            });
        // Only for graphs that belong to a training step.
        why->setEnabled(m_split != nullptr);
        menu->addAction(tr("Centre"), this, [this, box] { m_canvas->centerOn(box); });
        addSubgraphActions(*menu, node);
        menu->addSeparator();
    }
    if (group.valid()) {
        const layout::Group& found = m_canvas->scene()->layout().groups[group.index()];
        const QString title = text(found.title);
        menu->addAction(found.open ? tr("Close group %1").arg(title) : tr("Open group %1").arg(title), this,
                        [this, group] { toggle(group); });
    }
    menu->addAction(tr("Open all groups") + QStringLiteral("\tCtrl+Alt+O"), this,
                    [this] { setAllGroups(true); });
    menu->addAction(tr("Close all groups") + QStringLiteral("\tCtrl+Alt+C"), this,
                    [this] { setAllGroups(false); });
    menu->addSeparator();
    addExportActions(*menu);
    menu->popup(global);
}

/// Adds the nested graphs that a node uses: a get_attr names one itself, a higher-order operator through its
/// inputs.
void GraphPanel::State::addSubgraphActions(QMenu& menu, ir::NodeId node) {
    const ir::Graph& graph = *m_shown->graph->graph;
    std::vector<ir::NodeId> candidates{node};
    const auto inputs = graph.inputs(node);
    candidates.insert(candidates.end(), inputs.begin(), inputs.end());
    for (const ir::NodeId candidate : candidates) {
        const ir::Node& found = graph.node(candidate);
        if (found.op != ir::Opcode::GetAttr || !graph.trySubgraph(found.target)) {
            continue;
        }
        session::ArtifactReference nested = m_shown->graph->reference;
        nested.subgraph.push_back(found.target);
        menu.addAction(tr("Open subgraph %1").arg(text(found.target)), this, [this, nested] {
            m_hub->select({nested, {}}, nullptr);
        });
    }
}

void GraphPanel::State::addExportActions(QMenu& menu) {
    const bool any = m_shown != nullptr;
    const bool selected = any && (m_canvas->current().valid() || !m_canvas->marked().empty());
    menu.addAction(tr("Export as SVG…"), this, [this] { save(true, false); })->setEnabled(any);
    menu.addAction(tr("Export as PNG…"), this, [this] { save(false, false); })->setEnabled(any);
    menu.addAction(tr("Export selection as SVG…"), this, [this] { save(true, true); })->setEnabled(selected);
    menu.addAction(tr("Export selection as PNG…"), this, [this] { save(false, true); })->setEnabled(selected);
}

void GraphPanel::State::save(bool svg, bool selectionOnly) {
    const QString suffix = svg ? QStringLiteral("svg") : QStringLiteral("png");
    const QString name = exportName(*m_logs, m_shown->graph->reference);
    auto* dialog = new QFileDialog(m_panel, tr("Export the graph"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(svg ? tr("SVG picture (*.svg)") : tr("PNG picture (*.png)"));
    dialog->selectFile(name + QLatin1Char('.') + suffix);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, svg, selectionOnly](const QString& path) { write(path, svg, selectionOnly); });
    dialog->open();
}

void GraphPanel::State::write(const QString& path, bool svg, bool selectionOnly) {
    m_files->write(path, pictureFile(picture(selectionOnly), svg ? PictureFormat::Svg : PictureFormat::Png),
                   this, [this](const FileResult& result) {
                       m_savedMessage = result.message();
                       refreshStatus();
                   });
}

} // namespace aotscope::views
