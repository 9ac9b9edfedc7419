#include "ir/text/printer.h"

#include "ir/last_uses.h"
#include "ir/notes.h"
#include "ir/text/argument_text.h"
#include "ir/text/comment.h"
#include "ir/text/descriptor_text.h"
#include "ir/text/percent.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

const std::string* note(const TextStyle& style, const char* name) {
    const auto found = style.notes.find(name);
    return found == style.notes.end() ? nullptr : &found->second;
}

const std::string* extra(const Node& node, std::string_view name) {
    const auto found = std::find_if(node.extra.begin(), node.extra.end(),
                                    [name](const auto& entry) { return entry.first == name; });
    return found == node.extra.end() ? nullptr : &found->second;
}

/// Prints one module and, below it, its nested ones, as print_readable does.
class ModulePrinter {
public:
    ModulePrinter(const Graph& graph, std::string_view className, std::size_t indent, bool canonical,
                  PrintedGraph& out)
        : m_graph(graph),
          m_style(graph.style()),
          m_className(className),
          m_indent(indent),
          m_canonical(canonical),
          m_out(out),
          m_argumentPrinter(graph, out.text, canonical ? &m_names : nullptr) {
        if (canonical) {
            nameByPosition();
        } else if (note(m_style, notes::form) != nullptr) {
            m_level = 0;
        }
    }
    ModulePrinter(const ModulePrinter&) = delete;
    ModulePrinter& operator=(const ModulePrinter&) = delete;

    /// `top`: the graph whose lines are recorded.
    void print(bool top) {
        m_top = top;
        if (m_level == 1) {
            classLine();
        }
        signature();
        bindings();
        body();
        for (const auto& [name, subgraph] : m_graph.subgraphs()) {
            endLine();
            ModulePrinter(*subgraph, name, m_indent + 4, m_canonical, m_out).print(false);
        }
    }

private:
    [[nodiscard]] std::string& text() { return m_out.text; }

    void classLine() {
        const std::string* base = note(m_style, notes::baseClass);
        text().append(m_indent, ' ').append("class ").append(m_className).append("(");
        text().append(base != nullptr ? *base : "torch.nn.Module").append("):");
        endLine();
        if (const std::string* wrapped = note(m_style, notes::wrapStatements)) {
            startLine(0);
            text() += *wrapped;
            endLine();
            endLine();
        }
    }

    /// `level`: of the function's own line 0.
    void startLine(std::size_t level) { text().append(m_indent + (m_level + level) * 4, ' '); }
    void endLine(NodeId node = NodeId()) {
        text() += '\n';
        m_out.nodeOfLine.push_back(node);
    }
    void markLine(NodeId node) {
        if (m_top) {
            m_out.lineOfNode[node.index()] = static_cast<int>(m_out.nodeOfLine.size());
        }
    }
    [[nodiscard]] NodeId lineOwner(NodeId node) const { return m_top ? node : NodeId(); }

    void nameByPosition() {
        m_storedNames.resize(m_graph.idBound());
        m_names.resize(m_graph.idBound());
        std::size_t position = 0;
        for (const NodeId id : m_graph.order()) {
            m_storedNames[id.index()] = "v" + std::to_string(position++);
        }
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            m_names[i] = m_storedNames[i];
        }
    }

    [[nodiscard]] bool expanded() const { return m_style.expandedDefinition && !m_canonical; }

    /// `: "f32[8][1]cpu"`, ` : torch.Tensor` or nothing.
    void annotation(const Node& node) {
        if (const std::string* given = extra(node, notes::annotationKey)) {
            text().append(": \"").append(fromJsonString(*given)).append("\"");
            return;
        }
        if (const std::string* type = extra(node, notes::typeKey)) {
            text().append(" : ").append(fromJsonString(*type));
            return;
        }
        const bool printable =
            asTensor(node.value) != nullptr || std::holds_alternative<SymbolicMeta>(node.value);
        if (!printable) {
            return; // As PyTorch: tuples and other values have no annotation.
        }
        const bool quoted = note(m_style, notes::unquotedAnnotations) == nullptr;
        text() += quoted ? ": \"" : ": ";
        text() += valueText(node.value);
        if (quoted) {
            text() += '"';
        }
    }

    [[nodiscard]] bool annotated(const Node& node) const {
        return asTensor(node.value) != nullptr || std::holds_alternative<SymbolicMeta>(node.value) ||
               extra(node, notes::annotationKey) != nullptr || extra(node, notes::typeKey) != nullptr;
    }

    void parameter(NodeId id) {
        const Node& node = m_graph.node(id);
        text() += m_canonical ? std::string_view(m_names[id.index()]) : std::string_view(node.target);
        annotation(node);
        if (!node.args.empty()) {
            text() += " = ";
            m_argumentPrinter.print(node.args[0]);
        }
    }

    void signature() {
        const std::string* name = note(m_style, notes::functionName);
        startLine(0);
        text().append("def ").append(name != nullptr ? *name : "forward").append("(");
        if (expanded()) {
            endLine();
            expandedParameters();
            startLine(0);
        } else {
            inlineParameters();
        }
        text() += ')';
        if (const std::string* type = note(m_style, notes::returnType); type != nullptr && !m_canonical) {
            text().append(" -> ").append(*type);
        }
        text() += ':';
        endLine();
    }

    void expandedParameters() {
        const std::vector<NodeId> placeholders = m_graph.placeholders();
        const bool selfGiven =
            m_style.pytree ? !m_style.pytreeInputs.empty() && m_style.pytreeInputs.front() == "self"
                           : !placeholders.empty() && m_graph.node(placeholders.front()).target == "self";
        if (!selfGiven) {
            startLine(1);
            text() += "self,";
            endLine();
        }
        if (m_style.pytree) {
            for (const std::string& input : m_style.pytreeInputs) {
                startLine(1);
                text().append(input).append(",");
                endLine();
            }
            return;
        }
        for (const NodeId id : placeholders) {
            startLine(1);
            markLine(id);
            parameter(id);
            text() += ',';
            descriptor(m_graph.node(id));
            endLine(lineOwner(id));
        }
    }

    void descriptor(const Node& node) {
        if (!node.descriptors.empty() && node.descriptors.front().isStated() && !m_canonical) {
            text().append("  # ").append(descriptorText(node.descriptors.front()));
        }
    }

    void inlineParameters() {
        text() += "self";
        if (note(m_style, notes::boxed) != nullptr) {
            text() += ", args_list";
        } else if (m_style.pytree && !m_canonical) {
            for (const std::string& input : m_style.pytreeInputs) {
                text().append(input == "self" ? "" : ", ").append(input == "self" ? "" : input);
            }
        } else {
            for (const NodeId id : m_graph.placeholders()) {
                markLine(id);
                text() += ", ";
                parameter(id);
            }
        }
    }

    /// The lines before the body that give the inputs their names.
    void bindings() {
        if (m_canonical) {
            return;
        }
        if (note(m_style, notes::boxed) != nullptr) {
            boxedBindings();
        } else if (m_style.pytree) {
            declarations();
            flattenSpec();
        }
    }

    void boxedBindings() {
        startLine(1);
        text() += "args_iter = iter(args_list)";
        endLine();
        for (const NodeId id : m_graph.placeholders()) {
            startLine(1);
            markLine(id);
            text().append(m_graph.node(id).target).append(" = next(args_iter)");
            endLine(lineOwner(id));
        }
        startLine(1);
        text() += "args_list.clear()";
        endLine();
    }

    /// `name: "…"  # descriptor` for each input that has an annotation: one per line, or all in one.
    void declarations() {
        bool any = false;
        for (const NodeId id : m_graph.placeholders()) {
            const Node& node = m_graph.node(id);
            if (!annotated(node)) {
                continue;
            }
            if (expanded() || !any) {
                startLine(1);
            }
            any = true;
            markLine(id);
            parameter(id);
            if (expanded()) {
                descriptor(node);
                endLine(lineOwner(id));
            } else {
                text() += "; ";
            }
        }
        if (any && !expanded()) {
            endLine();
            endLine();
        }
    }

    void flattenSpec() {
        startLine(1);
        for (const NodeId id : m_graph.placeholders()) {
            if (m_top && m_out.lineOfNode[id.index()] < 0) {
                markLine(id);
            }
            text().append(m_graph.node(id).target).append(", ");
        }
        text() += "= fx_pytree.tree_flatten_spec(";
        if (const std::string* call = note(m_style, notes::flattenCall)) {
            text() += *call;
        } else {
            text() += '[';
            for (std::size_t i = 0; i < m_style.pytreeInputs.size(); ++i) {
                text().append(i > 0 ? ", " : "").append(m_style.pytreeInputs[i]);
            }
            text() += ']';
        }
        text() += ", self._in_spec)";
        endLine();
    }

    void body() {
        const LastUses lastUses(m_graph);
        bool empty = true;
        for (const NodeId id : m_graph.order()) {
            const Node& node = m_graph.node(id);
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
                endLine(lineOwner(id));
            }
            empty = false;
        }
        if (m_graph.size() == 0) {
            startLine(1);
            text() += "pass";
            endLine();
        }
    }

    bool renamedParameter(NodeId id, const Node& node) {
        std::string_view target = node.target;
        target.remove_prefix(std::min(target.find_first_not_of('*'), target.size()));
        if (target == node.name || m_canonical) {
            return false;
        }
        startLine(1);
        text().append(node.name).append(" = ").append(target);
        endLine(lineOwner(id));
        return true;
    }

    void origin(const Node& node, bool firstLine) {
        if (!node.origin || m_canonical || node.origin == m_lastOrigin) {
            return;
        }
        m_lastOrigin = node.origin;
        std::string comment = originText(*node.origin);
        if (comment == m_lastComment) {
            return;
        }
        m_lastComment = std::move(comment);
        if (!firstLine) {
            startLine(1);
            endLine();
        }
        startLine(1);
        if (node.origin->source && note(m_style, notes::indentedComments) != nullptr) {
            text() += ' ';
        }
        text().append("# ").append(m_lastComment);
        endLine();
    }

    void statement(NodeId id, const Node& node) {
        startLine(1);
        markLine(id);
        (void)m_argumentPrinter.printInPlace(node);
        m_argumentPrinter.printName(id);
        annotation(node);
        text() += " = ";
        m_argumentPrinter.printCall(node);
    }

    void deletions(std::span<const NodeId> dead) {
        if (dead.empty() || m_canonical) {
            return;
        }
        text() += ";  ";
        for (const NodeId id : dead) {
            m_argumentPrinter.printName(id);
            text() += " = ";
        }
        text() += "None";
    }

    void output(NodeId id, const Node& node) {
        startLine(1);
        markLine(id);
        text() += "return ";
        const bool unflattened = note(m_style, notes::unflattened) != nullptr && !m_canonical;
        if (unflattened) {
            text() += "pytree.tree_unflatten(";
        }
        const bool described =
            std::ranges::any_of(node.descriptors, [](const Descriptor& each) { return !each.derived; });
        const bool perLine = !m_canonical && (described || note(m_style, notes::emptyReturnList) != nullptr);
        if (node.args.size() == 1 && perLine) {
            returnedLines(id, node);
        } else {
            m_argumentPrinter.printItems(node.args);
        }
        text() += unflattened ? ", self._out_spec)" : "";
        endLine(lineOwner(id));
    }

    void returnedLines(NodeId id, const Node& node) {
        const auto* list = node.args[0].as<ListArgument>();
        const auto* tuple = node.args[0].as<TupleArgument>();
        if (list == nullptr && tuple == nullptr) {
            m_argumentPrinter.print(node.args[0]);
            return;
        }
        const Arguments& items = list != nullptr ? list->items : tuple->items;
        text() += list != nullptr ? '[' : '(';
        endLine(lineOwner(id));
        // PyTorch pairs values with descriptors and drops what has no partner.
        for (std::size_t i = 0; i < std::min(items.size(), node.descriptors.size()); ++i) {
            startLine(2);
            m_argumentPrinter.print(items[i]);
            text() += ',';
            if (node.descriptors[i].isStated()) {
                text().append("  # ").append(descriptorText(node.descriptors[i]));
            }
            endLine(lineOwner(id));
        }
        startLine(1);
        text() += list != nullptr ? ']' : ')';
    }

    const Graph& m_graph;
    const TextStyle& m_style;
    std::string_view m_className;
    std::size_t m_indent;
    /// Of the function, below its class.
    std::size_t m_level = 1;
    bool m_canonical;
    bool m_top = false;
    PrintedGraph& m_out;
    std::vector<std::string> m_storedNames;
    NodeNames m_names;
    ArgumentPrinter m_argumentPrinter;
    std::shared_ptr<const NodeOrigin> m_lastOrigin;
    std::string m_lastComment;
};

} // namespace

PrintedGraph printGraph(const Graph& graph, PrintMode mode) {
    PrintedGraph out;
    out.lineOfNode.assign(graph.idBound(), -1);
    const TextStyle& style = graph.style();
    const bool canonical = mode == PrintMode::Canonical;
    const std::string* form = note(style, notes::form);
    if (form != nullptr && *form == notes::percentForm && !canonical) {
        printPercentForm(graph, out);
        return out;
    }
    std::size_t indent = 0;
    if (!canonical) {
        if (const std::string* wrapper = note(style, notes::wrapper)) {
            out.text.append(*wrapper).append("\n");
            out.nodeOfLine.emplace_back();
            indent = 4;
        } else if (const std::string* leading = note(style, notes::leadingText)) {
            out.text = *leading;
            out.nodeOfLine.resize(
                static_cast<std::size_t>(std::count(leading->begin(), leading->end(), '\n')));
        }
    }
    ModulePrinter(graph, canonical ? std::string_view("GraphModule") : std::string_view(style.className),
                  indent, canonical, out)
        .print(true);
    if (canonical) {
        return out;
    }
    if (const std::string* trailing = note(style, notes::trailingText)) {
        out.text += *trailing;
        const auto lines =
            std::count(out.text.begin(), out.text.end(), '\n') + (out.text.ends_with('\n') ? 0 : 1);
        out.nodeOfLine.resize(static_cast<std::size_t>(lines));
    }
    if (note(style, notes::noFinalNewline) != nullptr && out.text.ends_with('\n')) {
        out.text.pop_back();
    }
    return out;
}

} // namespace aotscope::ir
