#include "ir/text/printer.h"

#include "ir/last_uses.h"
#include "ir/notes.h"
#include "ir/text/annotation.h"
#include "ir/text/descriptor_text.h"
#include "ir/text/module_lines.h"
#include "ir/text/percent.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

/// Prints one module and, below it, its nested ones, as print_readable does.
class ModulePrinter {
public:
    ModulePrinter(const Graph& graph, std::string_view className, std::size_t indent, PrintMode mode,
                  bool top, PrintedGraph& out)
        : m_className(className),
          m_mode(mode),
          m_out(out),
          m_lines(graph, indent, mode == PrintMode::Canonical, top, out) {}

    void print() {
        if (m_lines.hasClass()) {
            classLine();
        }
        m_lines.signature();
        body();
        for (const auto& [name, subgraph] : m_lines.graph().subgraphs()) {
            m_lines.endLine();
            ModulePrinter(*subgraph, name, m_lines.indent() + 4, m_mode, false, m_out).print();
        }
    }

private:
    void classLine() {
        const std::string* base = m_lines.note(notes::baseClass);
        m_lines.text().append(m_lines.indent(), ' ').append("class ").append(m_className).append("(");
        m_lines.text().append(base != nullptr ? *base : "torch.nn.Module").append("):");
        m_lines.endLine();
        if (const std::string* wrapped = m_lines.note(notes::wrapStatements)) {
            m_lines.line(0, *wrapped);
            m_lines.endLine();
        }
    }

    void body() {
        const LastUses lastUses(m_lines.graph());
        bool empty = true;
        for (const NodeId id : m_lines.graph().order()) {
            const Node& node = m_lines.graph().node(id);
            if (node.op == Opcode::Placeholder) {
                empty = !renamedParameter(id, node) && empty;
                continue;
            }
            if (node.op == Opcode::Output) {
                output(id, node);
            } else {
                origin(node, empty);
                statement(id, node);
                deletions(lastUses.endingAt(id));
                m_lines.endLine(id);
            }
            empty = false;
        }
        if (m_lines.graph().size() == 0) {
            m_lines.line(1, "pass");
        }
    }

    bool renamedParameter(NodeId id, const Node& node) {
        std::string_view target = node.target;
        target.remove_prefix(std::min(target.find_first_not_of('*'), target.size()));
        if (target == node.name || m_lines.isCanonical()) {
            return false;
        }
        m_lines.line(1, node.name + " = " + std::string(target), id);
        return true;
    }

    void origin(const Node& node, bool firstLine) {
        if (!node.origin || m_mode != PrintMode::PyTorch || node.origin == m_lastOrigin) {
            return;
        }
        m_lastOrigin = node.origin;
        std::string comment = originText(*node.origin);
        if (comment == m_lastComment) {
            return;
        }
        m_lastComment = std::move(comment);
        if (!firstLine) {
            m_lines.line(1, "");
        }
        const bool isIndented = node.origin->source && m_lines.note(notes::indentedComments) != nullptr;
        m_lines.line(1, (isIndented ? " # " : "# ") + m_lastComment);
    }

    void statement(NodeId id, const Node& node) {
        m_lines.startLine(1);
        m_lines.markLine(id);
        (void)m_lines.arguments().printInPlace(node);
        m_lines.arguments().printName(id);
        m_lines.annotation(node);
        m_lines.text() += " = ";
        m_lines.arguments().printCall(node);
    }

    void deletions(std::span<const NodeId> dead) {
        if (dead.empty() || m_lines.isCanonical()) {
            return;
        }
        m_lines.text() += ";  ";
        for (const NodeId id : dead) {
            m_lines.arguments().printName(id);
            m_lines.text() += " = ";
        }
        m_lines.text() += "None";
    }

    void output(NodeId id, const Node& node) {
        m_lines.startLine(1);
        m_lines.markLine(id);
        m_lines.text() += "return ";
        const bool unflattened = m_lines.note(notes::unflattened) != nullptr && !m_lines.isCanonical();
        if (unflattened) {
            m_lines.text() += "pytree.tree_unflatten(";
        }
        const bool described =
            std::ranges::any_of(node.descriptors, [](const Descriptor& each) { return !each.derived; });
        const bool perLine =
            !m_lines.isCanonical() && (described || m_lines.note(notes::emptyReturnList) != nullptr);
        if (node.args.size() == 1 && perLine) {
            returnedLines(id, node);
        } else {
            m_lines.arguments().printItems(node.args);
        }
        m_lines.text() += unflattened ? ", self._out_spec)" : "";
        m_lines.endLine(id);
    }

    void returnedLines(NodeId id, const Node& node) {
        const Arguments* found = itemsOf(node.args[0]);
        if (found == nullptr) {
            m_lines.arguments().print(node.args[0]);
            return;
        }
        const Arguments& items = *found;
        const bool isList = node.args[0].as<ListArgument>() != nullptr;
        m_lines.text() += isList ? '[' : '(';
        m_lines.endLine(id);
        // PyTorch pairs values with descriptors and drops what has no partner.
        for (std::size_t i = 0; i < std::min(items.size(), node.descriptors.size()); ++i) {
            m_lines.startLine(2);
            m_lines.arguments().print(items[i]);
            m_lines.text() += ',';
            if (node.descriptors[i].isStated()) {
                m_lines.text().append("  # ").append(descriptorText(node.descriptors[i]));
            }
            m_lines.endLine(id);
        }
        m_lines.startLine(1);
        m_lines.text() += isList ? ']' : ')';
    }

    std::string_view m_className;
    PrintMode m_mode;
    PrintedGraph& m_out;
    ModuleLines m_lines;
    std::shared_ptr<const NodeOrigin> m_lastOrigin;
    std::string m_lastComment;
};

} // namespace

PrintedGraph printGraph(const Graph& graph, PrintMode mode) {
    PrintedGraph out;
    out.lineOfNode.assign(graph.idBound(), -1);
    const TextStyle& style = graph.style();
    const bool canonical = mode == PrintMode::Canonical;
    const std::string* form = style.note(notes::form);
    if (form != nullptr && *form == notes::percentForm && !canonical) {
        printPercentForm(graph, out);
        return out;
    }
    std::size_t indent = 0;
    if (!canonical) {
        if (const std::string* wrapper = style.note(notes::wrapper)) {
            out.text.append(*wrapper).append("\n");
            out.nodeOfLine.emplace_back();
            indent = 4;
        } else {
            beginWithLeadingText(style, out);
        }
    }
    ModulePrinter(graph, canonical ? std::string_view("GraphModule") : std::string_view(style.className),
                  indent, mode, true, out)
        .print();
    if (canonical) {
        return out;
    }
    if (const std::string* trailing = style.note(notes::trailingText)) {
        out.text += *trailing;
        const auto lines = std::ranges::count(out.text, '\n') + (out.text.ends_with('\n') ? 0 : 1);
        out.nodeOfLine.resize(static_cast<std::size_t>(lines));
    }
    if (style.note(notes::noFinalNewline) != nullptr && out.text.ends_with('\n')) {
        out.text.pop_back();
    }
    return out;
}

} // namespace aotscope::ir
