#pragma once

#include "graph/graph_scene.h"

#include <QObject>
#include <QRegularExpression>
#include <QString>

#include <memory>
#include <vector>

namespace aotscope::views {

/// Searches name, op, shape, module and source of a graph's nodes for a regular expression. Works a few
/// milliseconds at a time, so that the window stays responsive.
class GraphSearch : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Sets another graph and searches it for the same pattern.
    void setGraph(const session::GraphSnapshotPtr& graph);
    /// Restarts the search; an empty pattern finds nothing. Case-sensitive if the pattern has an upper-case
    /// letter.
    void setPattern(const QString& pattern);
    [[nodiscard]] const QString& pattern() const { return m_pattern; }

    /// In program order; grows while isRunning().
    [[nodiscard]] const std::vector<ir::NodeId>& found() const { return m_found; }
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// Why the pattern is invalid, with the column; empty if it is valid.
    [[nodiscard]] const QString& error() const { return m_error; }

Q_SIGNALS:
    /// More nodes were found, or the search is done.
    void changed();

private:
    void restart();
    void continueSearch(quint64 run);
    [[nodiscard]] const QString& textOf(ir::NodeId node);

    session::GraphSnapshotPtr m_graph;
    /// By node id index, created on first use; one line per field.
    std::vector<QString> m_texts;
    QString m_pattern;
    QRegularExpression m_expression;
    QString m_error;
    std::vector<ir::NodeId> m_found;
    std::size_t m_next = 0;
    bool m_running = false;
    /// Number of the current search, so that leftovers of an earlier one are ignored.
    quint64 m_run = 0;
};

} // namespace aotscope::views
