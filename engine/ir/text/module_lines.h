#pragma once

#include "ir/graph.h"
#include "ir/text/argument_text.h"
#include "ir/text/printer.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// The lines of one module as print_readable writes them, and what its signature and its body share.
class ModuleLines {
public:
    /// `graph` and `out` must outlive it. `top`: the graph whose lines are recorded.
    ModuleLines(const Graph& graph, std::size_t indent, bool canonical, bool top, PrintedGraph& out);
    ModuleLines(const ModuleLines&) = delete;
    ModuleLines& operator=(const ModuleLines&) = delete;

    [[nodiscard]] const Graph& graph() const { return m_graph; }
    [[nodiscard]] const std::string* note(const char* name) const { return m_graph.style().note(name); }
    [[nodiscard]] std::string& text() { return m_out.text; }
    [[nodiscard]] ArgumentPrinter& arguments() { return m_arguments; }
    [[nodiscard]] std::size_t indent() const { return m_indent; }
    [[nodiscard]] bool isCanonical() const { return m_canonical; }
    /// Whether the function stands in a class.
    [[nodiscard]] bool hasClass() const { return m_level == 1; }
    [[nodiscard]] bool isExpanded() const { return m_graph.style().expandedDefinition && !m_canonical; }

    /// `level`: of the function's own line 0.
    void startLine(std::size_t level) { text().append(m_indent + (m_level + level) * 4, ' '); }
    void endLine(NodeId node = NodeId()) {
        text() += '\n';
        m_out.nodeOfLine.push_back(m_top ? node : NodeId());
    }
    void markLine(NodeId node) {
        if (m_top) {
            m_out.lineOfNode[node.index()] = static_cast<int>(m_out.nodeOfLine.size());
        }
    }
    void line(std::size_t level, std::string_view written, NodeId node = NodeId()) {
        startLine(level);
        text() += written;
        endLine(node);
    }

    /// `: "f32[8][1]cpu"`, ` : torch.Tensor` or nothing.
    void annotation(const Node& node);
    /// `def forward(…):` and the lines below it that give the inputs their names.
    void signature();

private:
    void nameByPosition();
    [[nodiscard]] static bool isAnnotated(const Node& node);
    void parameter(NodeId id);
    /// `  # PlainAOTInput(idx=0)` or nothing.
    void descriptor(const Node& node);
    void expandedParameters();
    void inlineParameters();
    void bindings();
    void boxedBindings();
    void declarations();
    void flattenSpec();

    const Graph& m_graph;
    std::size_t m_indent;
    /// Indentation level of the function, below its class.
    std::size_t m_level = 1;
    bool m_canonical;
    bool m_top;
    PrintedGraph& m_out;
    std::vector<std::string> m_storedNames;
    NodeNames m_names;
    ArgumentPrinter m_arguments;
};

} // namespace aotscope::ir
