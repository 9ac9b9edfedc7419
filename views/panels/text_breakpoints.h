#pragma once

#include "contract/snapshots.h"

#include "contract/breakpoint.h"

#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::views {

class CodeView;

/// Maps lines of a graph's text to breakpoints for traces.
class TextBreakpoints {
public:
    /// `isProgram`: the graph is a program that can be traced, so its nodes are program nodes.
    TextBreakpoints(const session::GraphSnapshot& graph, bool isProgram)
        : m_graph(graph), m_isProgram(isProgram) {}

    /// The breakpoint for a line: on its node, or on the source line that it names; nothing for other lines.
    [[nodiscard]] std::optional<session::Breakpoint> ofLine(std::string_view line, ir::NodeId node) const;
    /// The nodes at which a node or operator breakpoint pauses.
    [[nodiscard]] std::vector<ir::NodeId> nodesOf(const session::Breakpoint& breakpoint) const;
    /// Whether a line of the text names a source line.
    [[nodiscard]] static bool namesSource(std::string_view line);
    /// Whether a source-line breakpoint belongs to this line of the text.
    [[nodiscard]] static bool isAt(const session::Breakpoint& breakpoint, std::string_view line);

private:
    const session::GraphSnapshot& m_graph;
    bool m_isProgram;
};

} // namespace aotscope::views
