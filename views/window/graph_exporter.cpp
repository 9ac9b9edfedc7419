#include "window/graph_exporter.h"

#include "base/progress.h"
#include "common/current_graph.h"
#include "common/file_jobs.h"
#include "common/format.h"
#include "common/log_list.h"
#include "explore/split_fates.h"
#include "graph/graph_export.h"
#include "graph/graph_panel.h"
#include "ir/json/graph_json.h"
#include "ir/text/printer.h"
#include "layout/export.h"
#include "partition/current_partition.h"
#include "window/subgraph.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>

#include <utility>

namespace aotscope::views {

namespace {

struct FormatChoice {
    ExportFormat format;
    const char* title;
    const char* suffix;
};
constexpr FormatChoice formats[] = {
    {ExportFormat::Svg, "SVG picture", "svg"},
    {ExportFormat::Png, "PNG picture", "png"},
    {ExportFormat::Dot, "Graphviz DOT", "dot"},
    {ExportFormat::Json, "JSON graph", "json"},
    {ExportFormat::Text, "Text as PyTorch prints it", "txt"},
};

/// A graph to export in a text format.
struct GraphText {
    session::GraphSnapshotPtr snapshot;
    /// The part to write; both empty: the whole graph.
    std::vector<ir::NodeId> picked;
    ir::NodeId node;
    /// Marked in the export if it is of this graph; may be null.
    session::PartitionSnapshotPtr split;
    ExportFormat format;

    [[nodiscard]] std::string make(const base::Progress& progress) const {
        if (!snapshot->graph) {
            return snapshot->text;
        }
        const bool isPart = node.valid() || !picked.empty();
        const ir::GraphPtr graph = !picked.empty() ? partOf(*snapshot->graph, picked)
                                   : isPart        ? neighbourhood(*snapshot->graph, node)
                                                   : snapshot->graph;
        if (format == ExportFormat::Dot) {
            const auto facts = split ? std::optional(session::splitFacts(*graph, *split)) : std::nullopt;
            return layout::toDot(*graph, isPart ? ir::deriveModulePaths(*graph) : snapshot->modules,
                                 facts ? &*facts : nullptr, progress);
        }
        if (format == ExportFormat::Json) {
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

GraphExporter::GraphExporter(const ViewContext& context, GraphPanel* panel, QWidget* window)
    : QObject(window), m_context(context), m_panel(panel), m_window(window) {}

/// In the exported graph, which the picture may not show yet.
std::vector<ir::NodeId> GraphExporter::pickedNodes() const {
    const session::LayoutSnapshotPtr shown = m_panel->shown();
    const bool same =
        shown && m_context.graph->graph() && shown->graph->graph == m_context.graph->graph()->graph;
    return same ? m_panel->picked() : std::vector<ir::NodeId>();
}

void GraphExporter::exportDialog() {
    const session::GraphSnapshotPtr snapshot = m_context.graph->graph();
    if (!snapshot) {
        return;
    }
    QDialog dialog(m_window);
    dialog.setWindowTitle(tr("Export %1").arg(m_context.logs->textOf(snapshot->reference)));
    auto* form = new QFormLayout(&dialog);
    auto* format = new QComboBox;
    for (const FormatChoice& choice : formats) {
        format->addItem(QString::fromLatin1(choice.title));
    }
    const std::size_t picked = pickedNodes().size();
    auto* selectionOnly =
        new QCheckBox(picked > 0 ? tr("Only what is picked: %1").arg(formatCount(picked, "node", "nodes"))
                                 : tr("Only the selected node and its neighbours"));
    selectionOnly->setToolTip(
        tr("To pick several nodes, Shift+drag a rectangle in the graph, or click a group's title"));
    selectionOnly->setEnabled(picked > 0 || m_context.graph->node().valid());
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
    QFileDialog files(m_window, dialog.windowTitle());
    files.setAcceptMode(QFileDialog::AcceptSave);
    const QString suffix = QString::fromLatin1(chosen.suffix);
    files.setNameFilters(
        {tr("%1 (*.%2)").arg(QString::fromLatin1(chosen.title), suffix), tr("All files (*)")});
    files.setDefaultSuffix(suffix);
    files.selectFile(exportName(*m_context.logs, snapshot->reference) + QLatin1Char('.') + suffix);
    if (files.exec() == QDialog::Accepted && !files.selectedFiles().isEmpty()) {
        exportTo(files.selectedFiles().front(), chosen.format, selectionOnly->isChecked());
    }
}

void GraphExporter::exportTo(const QString& path, ExportFormat format, bool selectionOnly,
                             std::function<void(const QString&)> done) {
    const session::GraphSnapshotPtr snapshot = m_context.graph->graph();
    if (!snapshot || (!snapshot->graph && format != ExportFormat::Text)) {
        const QString reason = tr("There is no graph to export: pick one in the Compiles panel.");
        Q_EMIT said(reason);
        if (done) {
            done(reason);
        }
        return;
    }
    const bool isPicture = format == ExportFormat::Svg || format == ExportFormat::Png;
    MakeFile make;
    if (isPicture) {
        make = pictureFile(m_panel->picture(selectionOnly),
                           format == ExportFormat::Svg ? PictureFormat::Svg : PictureFormat::Png);
    } else {
        make = GraphText{snapshot, selectionOnly ? pickedNodes() : std::vector<ir::NodeId>(),
                         selectionOnly ? m_context.graph->node() : ir::NodeId(),
                         m_context.partition->concerns(snapshot->reference) ? m_context.partition->snapshot()
                                                                            : nullptr,
                         format};
    }
    m_context.files->write(path, std::move(make), this,
                           [this, done = std::move(done)](const FileResult& result) {
                               Q_EMIT said(result.message());
                               if (done) {
                                   done(result.written() ? QString() : result.message());
                               }
                           });
}

} // namespace aotscope::views
