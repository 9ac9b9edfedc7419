#pragma once

#include "session/snapshots.h"

#include <QAbstractListModel>
#include <QElapsedTimer>

#include <vector>

namespace aotscope::views {

class LogList;

/// All graphs of the open logs, "log · 0/0 · Joint", for choosing one. Filled a few milliseconds at a time,
/// while it is wanted.
class GraphListModel : public QAbstractListModel {
    Q_OBJECT

public:
    explicit GraphListModel(const LogList* logs, QObject* parent = nullptr);

    /// The list is wanted: it is filled, and again whenever the logs change.
    void activate();
    /// Nobody sees it: what changes from now on is listed when it is wanted again.
    void deactivate();
    [[nodiscard]] bool isFilling() const { return m_filling; }
    /// -1: not in the list (yet).
    [[nodiscard]] int rowOf(const session::ArtifactReference& reference) const;
    [[nodiscard]] const session::ArtifactReference& reference(int row) const {
        return m_entries[std::size_t(row)].reference;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void filled();

private:
    struct Entry {
        session::ArtifactReference reference;
        QString label;
    };
    void restart();
    void schedule();
    void fillSome();
    bool fillFromCompile(const session::LogSnapshot& log, const QElapsedTimer& timer);

    const LogList* m_logs;
    std::vector<Entry> m_entries;
    bool m_active = false;
    /// The logs changed while nobody wanted to know.
    bool m_stale = true;
    bool m_filling = false;
    bool m_scheduled = false;
    /// Where filling goes on: a log, the next compile in it, and the next graph in that.
    quint32 m_log = 0;
    std::uint32_t m_compile = 0;
    std::size_t m_graph = 0;
    /// What is found while a list is being replaced, so that the old one stays until the new is complete.
    std::vector<Entry> m_next;
};

} // namespace aotscope::views
