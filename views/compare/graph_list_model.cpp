#include "compare/graph_list_model.h"

#include "common/format.h"
#include "common/log_list.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include <algorithm>

namespace aotscope::views {
namespace {

constexpr qint64 sliceMilliseconds = 8;

} // namespace

GraphListModel::GraphListModel(const LogList* logs, QObject* parent)
    : QAbstractListModel(parent), m_logs(logs) {
    connect(logs, &LogList::changed, this, &GraphListModel::restart);
    connect(logs, &LogList::closed, this, &GraphListModel::restart);
}

void GraphListModel::activate() {
    if (!m_active) {
        m_active = true;
        restart();
    }
}

void GraphListModel::restart() {
    if (!m_active) {
        return;
    }
    m_next.clear();
    m_log = 0;
    m_compile = 0;
    m_filling = true;
    schedule();
}

void GraphListModel::schedule() {
    if (!m_scheduled) {
        m_scheduled = true;
        QMetaObject::invokeMethod(
            this, [this] { fillSome(); }, Qt::QueuedConnection);
    }
}

void GraphListModel::fillSome() {
    m_scheduled = false;
    QElapsedTimer timer;
    timer.start();
    for (auto log = m_logs->logs().lower_bound(m_log); log != m_logs->logs().end(); ++log) {
        if (log->first != m_log) {
            m_log = log->first;
            m_compile = 0;
        }
        const auto compiles = compilesOf(*log->second);
        const QString title = titleOf(*log->second);
        for (; m_compile < compiles.size(); ++m_compile) {
            if (timer.elapsed() >= sliceMilliseconds) {
                schedule();
                return;
            }
            for (const load::Artifact& artifact : artifactsOf(*log->second, load::CompileIndex(m_compile))) {
                if (artifact.isGraph) {
                    const QString label =
                        QStringLiteral("%1 · %2 · %3")
                            .arg(title, text(compiles[m_compile].id.text()), artifactTitle(artifact.name));
                    m_next.push_back({{log->first, compiles[m_compile].id, artifact.name}, label});
                }
            }
        }
    }
    beginResetModel();
    m_entries = std::move(m_next);
    m_next.clear();
    m_filling = false;
    endResetModel();
    Q_EMIT filled();
}

int GraphListModel::rowOf(const session::ArtifactReference& reference) const {
    const auto found = std::ranges::find(m_entries, reference, &Entry::reference);
    return found == m_entries.end() ? -1 : int(found - m_entries.begin());
}

int GraphListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_entries.size());
}

QVariant GraphListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
        return {};
    }
    return m_entries[std::size_t(index.row())].label;
}

} // namespace aotscope::views
