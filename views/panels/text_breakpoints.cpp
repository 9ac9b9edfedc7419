#include "panels/text_breakpoints.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace aotscope::views {

namespace {

/// The place in `# File: model.py:41 in forward, code: …`.
std::optional<ir::SourceLocation> sourceOf(std::string_view line) {
    constexpr std::string_view start = "# File: ";
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.starts_with(start)) {
        return std::nullopt;
    }
    line = line.substr(start.size());
    line = line.substr(0, line.find(" in "));
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return std::nullopt;
    }
    ir::SourceLocation source;
    source.file = line.substr(0, colon);
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + colon + 1, end, source.line);
    return error == std::errc() && stop == end ? std::optional(std::move(source)) : std::nullopt;
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

bool TextBreakpoints::isAt(const session::Breakpoint& breakpoint, std::string_view line,
                           ir::NodeId node) const {
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
