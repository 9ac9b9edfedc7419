#include "window/go_to.h"

#include "common/current_graph.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "graph/graph_facts.h"
#include "panels/compile_model.h"
#include "window/command_list.h"
#include "window/quick_pick.h"

#include <QAction>
#include <QActionGroup>

#include <set>

namespace aotscope::views {

namespace {

/// With more artifacts than this only compiles are listed.
constexpr std::size_t mostArtifactsListed = 20'000;

using Pick = std::function<void(const session::ArtifactReference&)>;

/// The open logs with their names, for use on another thread.
struct NamedLog {
    session::LogSnapshotPtr log;
    session::LogName name;
};
using NamedLogs = std::vector<NamedLog>;

QString compileKind(const load::Compile& compile) {
    if (compile.id.empty()) {
        return QObject::tr("records outside of compiles");
    }
    return compile.file.empty()
               ? QObject::tr("compile")
               : QObject::tr("compile, %1:%2").arg(fileNameOf(compile.file)).arg(compile.line);
}

/// `except`: a graph to leave out.
void addCompiles(std::vector<PickItem>& items, const NamedLogs& logs, bool graphsOnly, const Pick& pick,
                 const session::ArtifactReference& except = {}) {
    for (const auto& [log, name] : logs) {
        const auto compiles = log->compiles();
        for (std::size_t i = 0; i < compiles.size(); ++i) {
            const load::CompileIndex index(static_cast<std::uint32_t>(i));
            const load::Compile& compile = compiles[i];
            const QString id = text(session::idText(compile.id, compile.rank));
            const QString compileId =
                name.text.empty() || compile.rank ? id : text(name.text) + QLatin1Char(':') + id;
            if (!graphsOnly) {
                items.push_back(
                    {compileId + QLatin1Char(' ') + text(compile.function), compileKind(compile),
                     [reference = session::referenceTo(*log, compile), pick] { pick(reference); }});
            }
            if (items.size() > mostArtifactsListed) {
                continue;
            }
            const load::ArtifactList& artifacts = log->artifacts(index);
            for (std::size_t place = 0; place < artifacts.size() && items.size() <= mostArtifactsListed;
                 ++place) {
                if (artifacts[place].isGraph || !graphsOnly) {
                    const session::ArtifactReference reference =
                        session::referenceTo(*log, compile, artifacts.exactName(place));
                    if (reference == except) {
                        continue;
                    }
                    items.push_back({compileId + QLatin1Char(' ') + text(reference.artifact),
                                     artifactKindText(artifacts[place]),
                                     [reference, pick] { pick(reference); }});
                }
            }
        }
    }
}

/// Selects a node, unless another graph is shown by then. Call on the window's thread.
std::function<void()> nodePick(CurrentGraph* current, const session::GraphSnapshotPtr& snapshot,
                               ir::NodeId node) {
    return [current, snapshot, node] {
        if (current->graph() == snapshot) {
            current->selectNode(node);
        }
    };
}

void addNodes(std::vector<PickItem>& items, CurrentGraph* current,
              const session::GraphSnapshotPtr& snapshot) {
    if (!snapshot || !snapshot->graph) {
        return;
    }
    items.reserve(items.size() + snapshot->graph->size());
    for (const ir::NodeId id : snapshot->graph->order()) {
        const ir::Node& node = snapshot->graph->node(id);
        // The target of an input is its name.
        const QString detail = node.op == ir::Opcode::Placeholder ? QObject::tr("input") : text(node.target);
        items.push_back({text(node.name), detail, nodePick(current, snapshot, id)});
    }
}

void addSourceLines(std::vector<PickItem>& items, CurrentGraph* current,
                    const session::GraphSnapshotPtr& snapshot) {
    if (!snapshot || !snapshot->graph) {
        return;
    }
    std::set<std::pair<std::string_view, int>> seen;
    for (const ir::NodeId id : snapshot->graph->order()) {
        const ir::Node& node = snapshot->graph->node(id);
        if (!node.origin || !node.origin->source) {
            continue;
        }
        const ir::SourceLocation& source = *node.origin->source;
        if (seen.emplace(source.file, source.line).second) {
            items.push_back({fileNameOf(source.file) + QLatin1Char(':') + QString::number(source.line),
                             text(source.code), nodePick(current, snapshot, id)});
        }
    }
}

/// Fills short lists at once, so that they are there with the first letter; long ones on another thread.
void fill(QuickPick::Offer& offer, std::size_t expected, std::function<std::vector<PickItem>()> make) {
    constexpr std::size_t few = 3'000;
    if (expected <= few) {
        offer.items = make();
    } else {
        offer.many = std::move(make);
    }
}

NamedLogs namedLogs(const LogList& logs) {
    NamedLogs named;
    for (const auto& [id, log] : logs.logs()) {
        named.push_back({log, logs.nameOf(id)});
    }
    return named;
}

std::size_t compilesIn(const NamedLogs& logs) {
    constexpr std::size_t artifactsEach = 10;
    std::size_t count = 0;
    for (const auto& [log, name] : logs) {
        count += log->compiles().size() * artifactsEach;
    }
    return count;
}

} // namespace

GoToAnything::GoToAnything(const ViewContext& context, const CommandList* commands, QuickPick* pick)
    : QObject(pick), m_context(context), m_commands(commands), m_pick(pick) {}

void GoToAnything::openCommandPalette() {
    open(QStringLiteral(">"));
}

void GoToAnything::open(const QString& start) {
    const auto provide = [this](QChar first) {
        QuickPick::Offer offer;
        if (first == QLatin1Char('>')) {
            offer.skip = 1;
            offer.hint = tr("commands");
            for (QAction* entry : m_commands->actions()) {
                if (entry->isEnabled()) {
                    // Shown without its menu; for one of several options the menu's title says what it sets.
                    const QString title = entry->text().remove(QLatin1Char('&'));
                    const bool isChoice = entry->isCheckable() && entry->actionGroup() != nullptr;
                    const bool isPanel = entry->objectName().startsWith(QLatin1String("show-"));
                    offer.items.push_back({isChoice  ? entry->statusTip()
                                           : isPanel ? tr("Show %1").arg(title)
                                                     : title,
                                           entry->shortcut().toString(QKeySequence::NativeText),
                                           [entry] { entry->trigger(); }});
                }
            }
            return offer;
        }
        const session::GraphSnapshotPtr shown = m_context.graph->graph();
        const std::size_t nodes = shown && shown->graph ? shown->graph->size() : 0;
        CurrentGraph* current = m_context.graph;
        if (first == QLatin1Char('@')) {
            offer.skip = 1;
            offer.hint = tr("nodes of the shown graph");
            fill(offer, nodes, [current, shown] {
                std::vector<PickItem> items;
                addNodes(items, current, shown);
                return items;
            });
        } else if (first == QLatin1Char('#')) {
            offer.skip = 1;
            offer.hint = tr("source lines of the shown graph");
            fill(offer, nodes, [current, shown] {
                std::vector<PickItem> items;
                addSourceLines(items, current, shown);
                return items;
            });
        } else {
            offer.hint = tr("@ nodes    # source lines    > commands");
            const auto logs = namedLogs(*m_context.logs);
            const Pick pick = [this](const session::ArtifactReference& reference) { goTo(reference); };
            fill(offer, nodes + compilesIn(logs), [current, shown, logs, pick] {
                std::vector<PickItem> items;
                addCompiles(items, logs, false, pick);
                addNodes(items, current, shown);
                addSourceLines(items, current, shown);
                return items;
            });
        }
        return offer;
    };
    m_pick->open(start, provide);
}

/// Selects an artifact, or for a compile the graph that a person most likely wants.
void GoToAnything::goTo(const session::ArtifactReference& reference) {
    session::ArtifactReference target = reference;
    const std::optional<load::CompileIndex> compile = m_context.logs->tryIndex(reference);
    if (reference.artifact.empty() && compile) {
        target = m_context.logs->bestArtifact(reference.log, *compile);
    }
    m_context.selection->select({target, {}});
}

void GoToAnything::askForComparison() {
    const std::optional<session::Selection> current = m_context.selection->current();
    if (!current) {
        return;
    }
    m_pick->open({}, [this, left = current->artifact](QChar) {
        QuickPick::Offer offer;
        offer.hint = tr("compare %1 with …").arg(m_context.logs->textOf(left));
        const auto logs = namedLogs(*m_context.logs);
        const Pick pick = [this, left](const session::ArtifactReference& right) {
            Q_EMIT compareRequested(left, right);
        };
        fill(offer, compilesIn(logs), [logs, pick, left] {
            std::vector<PickItem> items;
            addCompiles(items, logs, true, pick, left);
            return items;
        });
        return offer;
    });
}

} // namespace aotscope::views
