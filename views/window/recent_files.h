#pragma once

#include <QObject>
#include <QStringList>

namespace aotscope::views {

/// Recently opened files and folders, newest first, stored in the settings.
class RecentFiles : public QObject {
    Q_OBJECT

public:
    explicit RecentFiles(QObject* parent = nullptr);

    [[nodiscard]] const QStringList& paths() const { return m_paths; }
    void add(const QString& path);
    void remove(const QString& path);
    void clear();

Q_SIGNALS:
    void changed();

private:
    void store();

    QStringList m_paths;
};

} // namespace aotscope::views
