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
    m_active = true;
    if (m_stale) {
        restart();
    }
}

void GraphListModel::deactivate() {
    m_active = false;
}

void GraphListModel::restart() {
    m_stale = !m_active;
    if (!m_active) {
        return;
    }
    m_next.clear();
    m_log = 0;
    m_compile = 0;
    m_graph = 0;
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

/// False when the time is over before the compile's last graph.
bool GraphListModel::fillFromCompile(const session::LogSnapshot& log, const QElapsedTimer& timer) {
    const load::ArtifactList& artifacts = artifactsOf(log, load::CompileIndex(m_compile));
    const load::Compile& compile = compilesOf(log)[m_compile];
    for (; m_graph < artifacts.graphs().size(); ++m_graph) {
        if (timer.elapsed() >= sliceMilliseconds) {
            return false;
        }
        session::ArtifactReference reference =
            session::referenceTo(log, compile, artifacts.exactName(artifacts.graphs()[m_graph]));
        // What tells it from the others first; which log only where there are several.
        QString label =
            QStringLiteral("%1 · %2").arg(text(idText(reference)), artifactTitle(reference.artifact));
        if (m_logs->logs().size() > 1) {
            label += QStringLiteral(" · ") + titleOf(log);
        }
        m_next.push_back({std::move(reference), label});
    }
    return timer.elapsed() < sliceMilliseconds;
}

void GraphListModel::fillSome() {
    m_scheduled = false;
    if (!m_active) {
        m_stale = true;
        return;
    }
    QElapsedTimer timer;
    timer.start();
    for (auto log = m_logs->logs().lower_bound(m_log); log != m_logs->logs().end(); ++log) {
        if (log->first != m_log) {
            m_log = log->first;
            m_compile = 0;
            m_graph = 0;
        }
        for (; m_compile < compilesOf(*log->second).size(); ++m_compile, m_graph = 0) {
            if (!fillFromCompile(*log->second, timer)) {
                schedule();
                return;
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
    const auto found = std::ranges::find(m_entries, m_logs->exact(reference), &Entry::reference);
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
