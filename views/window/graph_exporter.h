#pragma once

#include "common/view_context.h"
#include "session/snapshots.h"

#include <QObject>

#include <functional>
#include <vector>

namespace aotscope::views {

class GraphPanel;

enum class ExportFormat { Svg, Png, Dot, Json, Text };

/// Writes the graph that is shown, or a part of it, into a file.
class GraphExporter : public QObject {
    Q_OBJECT

public:
    /// `panel`, which shows the picture, and what is in `context` outlive it. `window`: dialogs are shown
    /// over it.
    GraphExporter(const ViewContext& context, GraphPanel* panel, QWidget* window);

    /// Asks for format, part and file.
    void exportDialog();
    /// Made off the window's thread. `done` is told an empty text, or why it failed or that it was canceled.
    void exportTo(const QString& path, ExportFormat format, bool selectionOnly,
                  std::function<void(const QString&)> done = {});

Q_SIGNALS:
    /// How an export ended.
    void said(const QString& message);

private:
    [[nodiscard]] std::vector<ir::NodeId> pickedNodes() const;

    ViewContext m_context;
    GraphPanel* m_panel;
    QWidget* m_window;
};

} // namespace aotscope::views
