#pragma once

#include <QWidget>

class QVBoxLayout;

namespace aotscope::views {

class RecentFiles;
class ThemeSource;

/// Shown while nothing is open: what the program reads, how to create it, and recent files.
class WelcomePage : public QWidget {
    Q_OBJECT

public:
    WelcomePage(RecentFiles* recent, const ThemeSource* theme, QWidget* parent = nullptr);

Q_SIGNALS:
    void openFile();
    void openFolder();
    void openPath(const QString& path);

private:
    void fillRecent();

    RecentFiles* m_recent;
    QVBoxLayout* m_list;
};

} // namespace aotscope::views
