#pragma once

#include "graph/graph_scene.h"

#include <QObject>
#include <QRegularExpression>
#include <QString>

#include <memory>
#include <vector>

namespace aotscope::views {

/// Looks for a regular expression in the name, op, shape, module and source of every node of a graph, a few
/// milliseconds at a time, so that the window answers meanwhile.
class GraphSearch : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Another graph: what was found is forgotten, the pattern is looked for again.
    void setGraph(const session::GraphSnapshotPtr& graph);
    /// Starts anew; an empty pattern finds nothing. Upper-case letters make it heed case.
    void setPattern(const QString& pattern);
    [[nodiscard]] const QString& pattern() const { return m_pattern; }

    /// In program order; grows while `isRunning`.
    [[nodiscard]] const std::vector<ir::NodeId>& found() const { return m_found; }
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// What is wrong with the pattern, with the column; empty: nothing.
    [[nodiscard]] const QString& error() const { return m_error; }

Q_SIGNALS:
    /// More was found, or nothing is left to look at.
    void changed();

private:
    void restart();
    void continueSearch(quint64 run);
    [[nodiscard]] const QString& textOf(ir::NodeId node);

    session::GraphSnapshotPtr m_graph;
    /// By node id index, made when first looked at: one line per field.
    std::vector<QString> m_texts;
    QString m_pattern;
    QRegularExpression m_expression;
    QString m_error;
    std::vector<ir::NodeId> m_found;
    std::size_t m_next = 0;
    bool m_running = false;
    /// Tells a continuation of an abandoned search from the present one.
    quint64 m_run = 0;
};

} // namespace aotscope::views
