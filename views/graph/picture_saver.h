#pragma once

#include "graph/graph_canvas.h"
#include "graph/graph_export.h"

#include <QObject>

class QMenu;

namespace aotscope::views {

class FileJobs;
class LogList;

/// Saves the shown picture, or the selected part of it, to a file that a person names.
class PictureSaver : public QObject {
    Q_OBJECT

public:
    /// `window` gets the dialogs.
    PictureSaver(FileJobs* files, const LogList* logs, const GraphCanvas* canvas, QWidget* window,
                 QObject* parent = nullptr);

    /// See GraphPanel::picture.
    [[nodiscard]] PictureRequest picture(bool selectionOnly) const;
    void addActions(QMenu& menu);

Q_SIGNALS:
    /// A file was written, or could not be.
    void said(const QString& message);

private:
    void save(bool svg, bool selectionOnly);
    void write(const QString& path, bool svg, bool selectionOnly);

    FileJobs* m_files;
    const LogList* m_logs;
    const GraphCanvas* m_canvas;
    QWidget* m_window;
};

} // namespace aotscope::views
