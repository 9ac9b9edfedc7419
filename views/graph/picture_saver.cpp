#include "graph/picture_saver.h"

#include "common/file_jobs.h"
#include "common/format.h"
#include "common/log_list.h"

#include <QFileDialog>
#include <QMenu>

#include <unordered_set>

namespace aotscope::views {

PictureSaver::PictureSaver(FileJobs* files, const LogList* logs, const GraphCanvas* canvas, QWidget* window,
                           QObject* parent)
    : QObject(parent), m_files(files), m_logs(logs), m_canvas(canvas), m_window(window) {}

PictureRequest PictureSaver::picture(bool selectionOnly) const {
    PictureRequest request{m_canvas->scene(), m_canvas->look(), {}};
    if (!request.scene) {
        return request;
    }
    request.title = referenceText(request.scene->snapshot()->graph->reference);
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

void PictureSaver::addActions(QMenu& menu) {
    const bool any = m_canvas->scene() != nullptr;
    const bool selected = any && (m_canvas->current().valid() || !m_canvas->marked().empty());
    menu.addAction(tr("Export as SVG…"), this, [this] { save(true, false); })->setEnabled(any);
    menu.addAction(tr("Export as PNG…"), this, [this] { save(false, false); })->setEnabled(any);
    menu.addAction(tr("Export selection as SVG…"), this, [this] { save(true, true); })->setEnabled(selected);
    menu.addAction(tr("Export selection as PNG…"), this, [this] { save(false, true); })->setEnabled(selected);
}

void PictureSaver::save(bool svg, bool selectionOnly) {
    if (!m_canvas->scene()) {
        return; // It went while the menu was open.
    }
    const QString suffix = svg ? QStringLiteral("svg") : QStringLiteral("png");
    const QString name = exportName(*m_logs, m_canvas->scene()->snapshot()->graph->reference);
    auto* dialog = new QFileDialog(m_window, tr("Export the graph"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(svg ? tr("SVG picture (*.svg)") : tr("PNG picture (*.png)"));
    dialog->selectFile(name + QLatin1Char('.') + suffix);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, svg, selectionOnly](const QString& path) { write(path, svg, selectionOnly); });
    dialog->open();
}

void PictureSaver::write(const QString& path, bool svg, bool selectionOnly) {
    m_files->write(path, pictureFile(picture(selectionOnly), svg ? PictureFormat::Svg : PictureFormat::Png),
                   this, [this](const FileResult& result) { Q_EMIT said(result.message()); });
}

} // namespace aotscope::views
