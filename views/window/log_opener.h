#pragma once

#include "common/view_context.h"
#include "session/snapshots.h"

#include <QObject>
#include <QStringList>

#include <optional>
#include <vector>

namespace aotscope::views {

class RecentFiles;

/// Opens files and folders, remembers those that turned out to be logs, and selects the first graph of what a
/// person opened last.
class LogOpener : public QObject {
    Q_OBJECT

public:
    /// `recent` and what is in `context` outlive it. `window`: dialogs are shown over it.
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
    /// What was asked for at once and has not been seen to open.
    struct Opening {
        QStringList paths;
        /// A log of it was shown, or one that was asked for later.
        bool isShown = false;
    };
    std::vector<Opening> m_openings;
    /// The log to be shown: until its first graph is read, or a person selects something.
    std::optional<quint32> m_toShow;
    /// What was selected in the log that was closed last.
    std::optional<session::Selection> m_before;
};

} // namespace aotscope::views
