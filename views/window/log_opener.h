#pragma once

#include "common/view_context.h"
#include "contract/snapshots.h"

#include <QObject>
#include <QStringList>

#include <optional>
#include <vector>

namespace aotscope::views {

class RecentFiles;

/// Opens files and folders, remembers those that hold logs, and selects the first graph of what was opened
/// last.
class LogOpener : public QObject {
    Q_OBJECT

public:
    /// `recent` and the objects in `context` must outlive it. `window` is the parent of dialogs.
    LogOpener(const ViewContext& context, RecentFiles* recent, QWidget* window);

    void open(const QStringList& paths);
    void openFileDialog();
    void openFolderDialog();

private:
    void follow(const session::LogSnapshotPtr& log);
    void remember(const session::LogSnapshot& log);
    bool selectAsBefore(const session::LogSnapshot& log);
    void selectFirstGraph(const session::LogSnapshot& log);

    ViewContext m_context;
    RecentFiles* m_recent;
    QWidget* m_window;
    /// Paths that were opened together and have not all arrived.
    struct Opening {
        QStringList paths;
        /// A log of these, or of a later request, was shown.
        bool isShown = false;
    };
    std::vector<Opening> m_openings;
    /// The log to show; nothing after its first graph is read or a person selects something.
    std::optional<quint32> m_toShow;
    /// The selection in the last closed log.
    std::optional<session::Selection> m_before;
};

} // namespace aotscope::views
