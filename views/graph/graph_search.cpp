#include "graph/graph_search.h"

#include "common/format.h"
#include "contract/category_facts.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include <algorithm>

namespace aotscope::views {
namespace {

constexpr qint64 sliceMilliseconds = 8;

} // namespace

void GraphSearch::setGraph(const session::GraphSnapshotPtr& graph) {
    if (graph == m_graph) {
        return;
    }
    m_graph = graph;
    m_texts.assign(graph && graph->graph ? graph->graph->idBound() : 0, QString());
    restart();
}

void GraphSearch::setPattern(const QString& pattern) {
    if (pattern != m_pattern) {
        m_pattern = pattern;
        restart();
    }
}

void GraphSearch::restart() {
    ++m_run;
    m_found.clear();
    m_error.clear();
    m_next = 0;
    m_running = false;
    if (!m_pattern.isEmpty()) {
        const bool heedsCase = std::ranges::any_of(m_pattern, [](QChar c) { return c.isUpper(); });
        QRegularExpression::PatternOptions options = QRegularExpression::MultilineOption;
        if (!heedsCase) {
            options |= QRegularExpression::CaseInsensitiveOption;
        }
        const QRegularExpression plain(m_pattern, options);
        if (!plain.isValid()) {
            m_error = tr("%1 (column %2)").arg(plain.errorString()).arg(plain.patternErrorOffset() + 1);
        } else if (m_graph && m_graph->graph) {
            // A pattern with excessive backtracking gives up on a node instead of blocking the window.
            m_expression =
                QRegularExpression(QStringLiteral("(*LIMIT_MATCH=20000)(*NO_JIT)") + m_pattern, options);
            if (!m_expression.isValid()) {
                m_expression = plain;
            }
            m_running = true;
            continueSearch(m_run);
            return;
        }
    }
    Q_EMIT changed();
}

void GraphSearch::continueSearch(quint64 run) {
    if (run != m_run || !m_running) {
        return;
    }
    QElapsedTimer timer;
    timer.start();
    const auto order = m_graph->graph->order();
    while (m_next < order.size()) {
        const ir::NodeId node = order[m_next++];
        if (m_expression.match(textOf(node)).hasMatch()) {
            m_found.push_back(node);
        }
        if (m_next % 16 == 0 && timer.elapsed() >= sliceMilliseconds) {
            break;
        }
    }
    m_running = m_next < order.size();
    if (m_running) {
        QMetaObject::invokeMethod(
            this, [this, run] { continueSearch(run); }, Qt::QueuedConnection);
    }
    Q_EMIT changed();
}

const QString& GraphSearch::textOf(ir::NodeId id) {
    QString& made = m_texts[id.index()];
    if (made.isEmpty()) {
        const ir::Node& node = m_graph->graph->node(id);
        std::string fields = node.name;
        fields += '\n';
        fields += node.target.empty() ? base::wordOf(node.op) : std::string_view(node.target);
        fields += '\n';
        fields += ir::valueText(node.value);
        fields += '\n';
        if (id.index() < m_graph->modules.ofNode.size()) {
            fields += m_graph->modules.ofNode[id.index()].path;
        }
        fields += '\n';
        if (node.op == ir::Opcode::Placeholder) {
            fields += layout::inputSource(session::categoryFacts(*m_graph), id);
        }
        if (node.origin && node.origin->source) {
            const ir::SourceLocation& source = *node.origin->source;
            fields += '\n' + source.file + ':' + std::to_string(source.line) + '\n' + source.function + '\n' +
                      source.code;
        }
        made = text(fields);
    }
    return made;
}

} // namespace aotscope::views
