#pragma once

#include "common/view_context.h"
#include "contract/snapshots.h"

#include <QObject>

#include <functional>
#include <vector>

namespace aotscope::views {

class GraphPanel;

enum class ExportFormat { Svg, Png, Dot, Json, Text };

/// Writes the shown graph, or a part of it, to a file.
class GraphExporter : public QObject {
    Q_OBJECT

public:
    /// `panel` (which shows the picture) and the objects in `context` must outlive it. `window` is the parent
    /// of dialogs.
    GraphExporter(const ViewContext& context, GraphPanel* panel, QWidget* window);

    /// Asks for format, part and file.
    void exportDialog();
    /// Writes on another thread. `done` gets an empty text, or the reason for a failure or cancel.
    void exportTo(const QString& path, ExportFormat format, bool selectionOnly,
                  std::function<void(const QString&)> done = {});

Q_SIGNALS:
    /// How an export ended, for the status bar.
    void said(const QString& message);

private:
    [[nodiscard]] std::vector<ir::NodeId> pickedNodes() const;

    ViewContext m_context;
    GraphPanel* m_panel;
    QWidget* m_window;
};

} // namespace aotscope::views
