#pragma once

#include "session/snapshots.h"

#include "session/breakpoint.h"

#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::views {

class CodeView;

/// Which places of traces the lines of a graph's text stand for.
class TextBreakpoints {
public:
    /// `isProgram`: the graph is what a trace starts from, so that its nodes are the program's.
    TextBreakpoints(const session::GraphSnapshot& graph, bool isProgram)
        : m_graph(graph), m_isProgram(isProgram) {}

    /// Of a node's line the node, of a line that names a source line that line; nothing of others.
    [[nodiscard]] std::optional<session::Breakpoint> ofLine(std::string_view line, ir::NodeId node) const;
    /// The nodes at which a trace pauses by a breakpoint of a node or an operator.
    [[nodiscard]] std::vector<ir::NodeId> nodesOf(const session::Breakpoint& breakpoint) const;
    /// Whether a line of the text names a line of the source.
    [[nodiscard]] static bool namesSource(std::string_view line);
    /// Whether a breakpoint of a source line belongs to this line of the text.
    [[nodiscard]] static bool isAt(const session::Breakpoint& breakpoint, std::string_view line);

private:
    const session::GraphSnapshot& m_graph;
    bool m_isProgram;
};

} // namespace aotscope::views
