#pragma once

#include "contract/snapshots.h"

#include <QAbstractListModel>

#include <memory>
#include <vector>

namespace aotscope::views {

class LogList;

/// All graphs of the open logs, "0/0 · Joint · log", for a chooser. Filled on another thread while it is
/// active; the old list stays until the new one is complete.
class GraphListModel : public QAbstractListModel {
    Q_OBJECT

public:
    struct Entry {
        session::ArtifactReference reference;
        QString label;
    };

    explicit GraphListModel(const LogList* logs, QObject* parent = nullptr);

    /// Fills the list, and fills it again whenever the logs change.
    void activate();
    /// Stops updates until the next activate().
    void deactivate();
    [[nodiscard]] bool isFilling() const { return m_filling; }
    /// -1: not in the list, or not yet.
    [[nodiscard]] int rowOf(const session::ArtifactReference& reference) const;
    [[nodiscard]] const session::ArtifactReference& reference(int row) const {
        return (*m_entries)[std::size_t(row)].reference;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void filled();

private:
    void restart();
    using EntriesPtr = std::shared_ptr<const std::vector<Entry>>;
    void take(EntriesPtr entries);

    const LogList* m_logs;
    /// Never null.
    EntriesPtr m_entries;
    bool m_active = false;
    /// The logs changed while the list was inactive.
    bool m_stale = true;
    bool m_filling = false;
    /// Number of the last question; answers to earlier ones are dropped.
    quint64 m_question = 0;
};

} // namespace aotscope::views
