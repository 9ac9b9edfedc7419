#include "panels/text_breakpoints.h"

#include "base/numbers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::views {

namespace {

constexpr std::string_view sourceStart = "# File: ";

std::string_view withoutIndent(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
}

/// The source location in `# File: model.py:41 in forward, code: …`.
std::optional<ir::SourceLocation> sourceOf(std::string_view line) {
    if (!TextBreakpoints::namesSource(line)) {
        return std::nullopt;
    }
    line = withoutIndent(line).substr(sourceStart.size());
    line = line.substr(0, line.find(" in "));
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return std::nullopt;
    }
    ir::SourceLocation source;
    source.file = line.substr(0, colon);
    const auto number = base::wholeNumber<int>(line.substr(colon + 1));
    source.line = number.value_or(0);
    return number ? std::optional(std::move(source)) : std::nullopt;
}

} // namespace

std::optional<session::Breakpoint> TextBreakpoints::ofLine(std::string_view line, ir::NodeId node) const {
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

std::vector<ir::NodeId> TextBreakpoints::nodesOf(const session::Breakpoint& breakpoint) const {
    using Kind = session::Breakpoint::Kind;
    std::vector<ir::NodeId> nodes;
    const ir::Graph& graph = *m_graph.graph;
    if (breakpoint.kind == Kind::Node || breakpoint.kind == Kind::ProgramNode) {
        const auto named = graph.tryFind(breakpoint.text);
        if (named && ofLine({}, *named) == breakpoint) {
            nodes.push_back(*named);
        }
    } else if (breakpoint.kind != Kind::Line) {
        std::ranges::copy_if(graph.order(), std::back_inserter(nodes),
                             [&](ir::NodeId node) { return breakpoint.isOperator(graph.node(node).target); });
    }
    return nodes;
}

bool TextBreakpoints::namesSource(std::string_view line) {
    return withoutIndent(line).starts_with(sourceStart);
}

bool TextBreakpoints::isAt(const session::Breakpoint& breakpoint, std::string_view line) {
    const auto source = breakpoint.kind == session::Breakpoint::Kind::Line ? sourceOf(line) : std::nullopt;
    return source && breakpoint.isAt(*source);
}

} // namespace aotscope::views
