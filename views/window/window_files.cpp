// Opening and exporting files in MainWindow.
#include "window/main_window.h"

#include "base/progress.h"
#include "common/current_graph.h"
#include "common/engine_client.h"
#include "common/file_jobs.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "graph/graph_export.h"
#include "graph/graph_panel.h"
#include "ir/json.h"
#include "ir/text_printer.h"
#include "layout/export.h"
#include "session/split_fates.h"
#include "step/current_step.h"
#include "window/graph_dock.h"
#include "window/recent_files.h"
#include "window/subgraph.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFormLayout>
#include <QMimeData>
#include <QStatusBar>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

constexpr int messageMilliseconds = 15'000;

struct FormatChoice {
    MainWindow::ExportFormat format;
    const char* title;
    const char* suffix;
};
constexpr FormatChoice formats[] = {
    {MainWindow::ExportFormat::Svg, "SVG picture", "svg"},
    {MainWindow::ExportFormat::Png, "PNG picture", "png"},
    {MainWindow::ExportFormat::Dot, "Graphviz DOT", "dot"},
    {MainWindow::ExportFormat::Json, "JSON graph", "json"},
    {MainWindow::ExportFormat::Text, "Text as PyTorch prints it", "txt"},
};

/// A graph as the file of a format that is text.
struct GraphText {
    session::GraphSnapshotPtr snapshot;
    /// The part that is written; neither: all of it.
    std::vector<ir::NodeId> picked;
    ir::NodeId node;
    /// Null, or of another graph: nothing is marked.
    session::StepSnapshotPtr step;
    MainWindow::ExportFormat format;

    [[nodiscard]] std::string make(const base::Progress& progress) const {
        if (!snapshot->graph) {
            return snapshot->text;
        }
        const bool isPart = node.valid() || !picked.empty();
        const ir::GraphPtr graph = !picked.empty() ? partOf(*snapshot->graph, picked)
                                   : isPart        ? neighbourhood(*snapshot->graph, node)
                                                   : snapshot->graph;
        if (format == MainWindow::ExportFormat::Dot) {
            const layout::NodeFates fates = step ? session::fatesIn(*graph, *step) : layout::NodeFates();
            return layout::toDot(*graph, isPart ? ir::deriveModulePaths(*graph) : snapshot->modules,
                                 fates.empty() ? nullptr : &fates, progress);
        }
        if (format == MainWindow::ExportFormat::Json) {
            return ir::graphToJson(*graph, progress);
        }
        return isPart ? ir::printGraph(*graph).text : snapshot->printed.text;
    }
    QString operator()(QIODevice& file, base::Progress& progress) const {
        progress.report("making it", 0, 0);
        const std::string made = make(progress);
        progress.report("to disk", 0, 0);
        file.write(made.data(), static_cast<qint64>(made.size()));
        return {};
    }
};

} // namespace

void MainWindow::openPaths(const QStringList& paths) {
    if (paths.isEmpty()) {
        return;
    }
    session::OpenLogs command;
    Opening opening;
    for (const QString& path : paths) {
        command.paths.emplace_back(path.toStdString());
        opening.paths.append(QDir::cleanPath(path));
    }
    m_openings.push_back(std::move(opening));
    m_engine->send(std::move(command));
}

/// Only what turned out to be a log, or a folder with one, is worth offering again.
void MainWindow::rememberOpened(const session::LogSnapshot& log) {
    const QString opened = QDir::cleanPath(text(log.path.string()));
    const auto isOf = [&opened](const QString& path) {
        return opened == path || opened.startsWith(path + QLatin1Char('/'));
    };
    bool isNews = true;
    for (auto opening = m_openings.rbegin(); opening != m_openings.rend(); ++opening) {
        const auto path = std::find_if(opening->paths.begin(), opening->paths.end(), isOf);
        if (path == opening->paths.end()) {
            continue;
        }
        m_recent->add(*path);
        opening->paths.erase(path);
        // Of several that are opened at once the first, and nothing that was asked for before it.
        if (isNews && !opening->isShown) {
            m_toShow = log.log;
            std::for_each(opening, m_openings.rend(), [](Opening& each) { each.isShown = true; });
        }
        isNews = false;
    }
    std::erase_if(m_openings, [](const Opening& each) { return each.paths.isEmpty(); });
}

/// Shows the docks and the first graph of what a person opened.
void MainWindow::followLogs(const session::LogSnapshotPtr& log) {
    showDocks();
    updateTitle();
    updateActions();
    rememberOpened(*log);
    if (m_before && m_before->artifact.log == log->log) {
        // Its file was replaced, or opened again: what was looked at is looked at again where it is there.
        const std::optional<session::Selection> before =
            log->complete ? std::exchange(m_before, {}) : m_before;
        if (m_logs->tryArtifact(before->artifact)) {
            m_before.reset();
            m_selection->select(*before);
            return;
        }
    }
    if (m_selection->current() && m_toShow != log->log) {
        return;
    }
    if (log->complete) {
        m_toShow.reset();
    }
    const auto compiles = compilesOf(*log);
    constexpr std::size_t looked = 200;
    for (std::size_t i = 0; i < std::min(compiles.size(), looked); ++i) {
        const session::ArtifactReference best =
            m_logs->bestArtifact(log->log, load::CompileIndex(static_cast<std::uint32_t>(i)));
        const std::optional<load::Artifact> artifact = m_logs->tryArtifact(best);
        if (artifact && artifact->isGraph) {
            m_selection->select({best, {}});
            return;
        }
    }
}

void MainWindow::openFileDialog() {
    openPaths(QFileDialog::getOpenFileNames(this, tr("Open trace logs or graph files"), {},
                                            tr("Trace logs and graphs (*.log *.log.gz *.log.xz *.txt *.json "
                                               "*.gz *.xz);;All files (*)")));
}

void MainWindow::openFolderDialog() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a folder with one log per rank"));
    if (!folder.isEmpty()) {
        openPaths({folder});
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); })) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths.append(url.toLocalFile());
        }
    }
    openPaths(paths);
    event->acceptProposedAction();
}

/// In the graph that is exported, which the picture may not show yet.
std::vector<ir::NodeId> MainWindow::pickedNodes() const {
    const session::LayoutSnapshotPtr shown = m_graphDock->panel()->shown();
    const bool same = shown && m_graph->graph() && shown->graph->graph == m_graph->graph()->graph;
    return same ? m_graphDock->panel()->picked() : std::vector<ir::NodeId>();
}

void MainWindow::exportDialog() {
    const session::GraphSnapshotPtr snapshot = m_graph->graph();
    if (!snapshot) {
        return;
    }
    QDialog dialog(this);
    dialog.setWindowTitle(tr("Export %1").arg(m_logs->textOf(snapshot->reference)));
    auto* form = new QFormLayout(&dialog);
    auto* format = new QComboBox;
    for (const FormatChoice& choice : formats) {
        format->addItem(QString::fromLatin1(choice.title));
    }
    const std::size_t picked = pickedNodes().size();
    auto* selectionOnly =
        new QCheckBox(picked > 0 ? tr("Only what is picked: %1").arg(formatCount(picked, "node", "nodes"))
                                 : tr("Only the selected node and its neighbours"));
    selectionOnly->setToolTip(tr("Several nodes are picked with a rectangle, Shift+drag in the graph, or by "
                                 "the title of their group"));
    selectionOnly->setEnabled(picked > 0 || m_graph->node().valid());
    form->addRow(tr("Format"), format);
    form->addRow({}, selectionOnly);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    const FormatChoice& chosen = formats[format->currentIndex()];
    QFileDialog files(this, dialog.windowTitle());
    files.setAcceptMode(QFileDialog::AcceptSave);
    const QString suffix = QString::fromLatin1(chosen.suffix);
    files.setNameFilters(
        {tr("%1 (*.%2)").arg(QString::fromLatin1(chosen.title), suffix), tr("All files (*)")});
    files.setDefaultSuffix(suffix);
    files.selectFile(exportName(snapshot->reference) + QLatin1Char('.') + suffix);
    if (files.exec() == QDialog::Accepted && !files.selectedFiles().isEmpty()) {
        exportTo(files.selectedFiles().front(), chosen.format, selectionOnly->isChecked());
    }
}

/// "rank3-0-0_joint": graphs of several ranks are files beside each other.
QString MainWindow::exportName(const session::ArtifactReference& graph) const {
    const bool isOfRank = m_logs->nameOf(graph.log).isRank;
    QString name = isOfRank ? m_logs->textOf(graph) : referenceText(graph);
    for (const char separator : {'/', ':'}) {
        name.replace(QLatin1Char(separator), QLatin1Char('-'));
    }
    return name.replace(QLatin1Char(' '), QLatin1Char('_'));
}

void MainWindow::exportTo(const QString& path, ExportFormat format, bool selectionOnly,
                          std::function<void(const QString&)> done) {
    const session::GraphSnapshotPtr snapshot = m_graph->graph();
    if (!snapshot || (!snapshot->graph && format != ExportFormat::Text)) {
        const QString reason = tr("There is no graph to export: pick one in the Compiles panel.");
        statusBar()->showMessage(reason, messageMilliseconds);
        if (done) {
            done(reason);
        }
        return;
    }
    const bool isPicture = format == ExportFormat::Svg || format == ExportFormat::Png;
    MakeFile make;
    if (isPicture) {
        make = pictureFile(m_graphDock->panel()->picture(selectionOnly),
                           format == ExportFormat::Svg ? PictureFormat::Svg : PictureFormat::Png);
    } else {
        make = GraphText{snapshot, selectionOnly ? pickedNodes() : std::vector<ir::NodeId>(),
                         selectionOnly ? m_graph->node() : ir::NodeId(),
                         m_step->concerns(snapshot->reference) ? m_step->step() : nullptr, format};
    }
    m_files->write(path, std::move(make), this, [this, done = std::move(done)](const FileResult& result) {
        statusBar()->showMessage(result.message(), messageMilliseconds);
        if (done) {
            done(result.written() ? QString() : result.message());
        }
    });
}

} // namespace aotscope::views
