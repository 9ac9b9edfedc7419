#include "panels/text_breakpoints.h"

namespace aotscope::views {

namespace {

/// The place in `# File: model.py:41 in forward, code: …`.
std::optional<ir::SourceLocation> sourceOf(QStringView line) {
    constexpr QStringView start = u"# File: ";
    line = line.trimmed();
    if (!line.startsWith(start)) {
        return std::nullopt;
    }
    line = line.sliced(start.size());
    qsizetype end = line.indexOf(u" in ");
    if (end < 0) {
        end = line.size();
    }
    const qsizetype colon = line.first(end).lastIndexOf(u':');
    bool isNumber = false;
    const int number = line.first(end).sliced(colon + 1).toInt(&isNumber);
    if (colon <= 0 || !isNumber) {
        return std::nullopt;
    }
    ir::SourceLocation source;
    source.file = line.first(colon).toString().toStdString();
    source.line = number;
    return source;
}

} // namespace

std::optional<session::Breakpoint> TextBreakpoints::ofLine(QStringView line, ir::NodeId node) const {
    using Kind = session::Breakpoint::Kind;
    if (const auto source = sourceOf(line)) {
        return session::Breakpoint{Kind::Line, source->file, source->line};
    }
    if (!node.valid()) {
        return std::nullopt;
    }
    const ir::Node& info = m_graph.graph->node(node);
    const bool runs = info.op != ir::Opcode::Placeholder && (info.op != ir::Opcode::Output || !m_isProgram);
    return runs ? std::optional(
                      session::Breakpoint{m_isProgram ? Kind::ProgramNode : Kind::Node, info.name, 0})
                : std::nullopt;
}

bool TextBreakpoints::isAt(const session::Breakpoint& breakpoint, QStringView line, ir::NodeId node) const {
    if (breakpoint.kind == session::Breakpoint::Kind::Line) {
        const auto source = sourceOf(line);
        return source && breakpoint.isAt(*source);
    }
    if (node.valid() && breakpoint.isOperator(m_graph.graph->node(node).target)) {
        return true;
    }
    const auto own = ofLine(line, node);
    return own && *own == breakpoint;
}

} // namespace aotscope::views
