#include "compare/graph_list_model.h"

#include "common/background.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/plain_words.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {
namespace {

using Logs = std::map<quint32, session::LogSnapshotPtr>;
using Names = std::map<quint32, session::LogName>;

std::vector<GraphListModel::Entry> graphsOf(const Logs& logs, const Names& names) {
    std::vector<GraphListModel::Entry> entries;
    for (const auto& [number, log] : logs) {
        const auto named = names.find(number);
        const session::LogName name = named == names.end() ? session::LogName() : named->second;
        const auto compiles = log->compiles();
        for (std::uint32_t i = 0; i < compiles.size(); ++i) {
            const load::ArtifactList& artifacts = log->artifacts(load::CompileIndex(i));
            for (const std::uint32_t place : artifacts.graphs()) {
                session::ArtifactReference reference =
                    session::referenceTo(*log, compiles[i], artifacts.exactName(place));
                const QString title =
                    QStringLiteral("%1 · %2").arg(text(idText(reference)), artifactTitle(reference.artifact));
                const QString label = inLog(title, reference.rank ? session::LogName() : name);
                entries.push_back({std::move(reference), label});
            }
        }
    }
    return entries;
}

} // namespace

GraphListModel::GraphListModel(const LogList* logs, QObject* parent)
    : QAbstractListModel(parent), m_logs(logs), m_entries(std::make_shared<std::vector<Entry>>()) {
    connect(logs, &LogList::changed, this, &GraphListModel::restart);
    connect(logs, &LogList::closed, this, &GraphListModel::restart);
    connect(logs, &LogList::namesChanged, this, &GraphListModel::restart);
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
    m_filling = true;
    runInBackground<EntriesPtr>(
        this,
        [logs = m_logs->logs(), names = m_logs->names()] {
            return std::make_shared<const std::vector<Entry>>(graphsOf(logs, names));
        },
        [this, question = ++m_question](const EntriesPtr& entries) {
            if (question == m_question) {
                take(entries);
            }
        });
}

void GraphListModel::take(EntriesPtr entries) {
    beginResetModel();
    m_entries.swap(entries);
    m_filling = false;
    endResetModel();
    // Destroying the list of a large log takes time.
    startInBackground([old = std::move(entries)]() mutable { old.reset(); });
    Q_EMIT filled();
}

int GraphListModel::rowOf(const session::ArtifactReference& reference) const {
    const auto found = std::ranges::find(*m_entries, m_logs->exact(reference), &Entry::reference);
    return found == m_entries->end() ? -1 : int(found - m_entries->begin());
}

int GraphListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_entries->size());
}

QVariant GraphListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
        return {};
    }
    const QString& label = (*m_entries)[std::size_t(index.row())].label;
    return role == Qt::ToolTipRole ? plainToolTip(label) : label;
}

} // namespace aotscope::views
