#include "ir/text/module_lines.h"

#include "base/joined.h"
#include "ir/notes.h"
#include "ir/text/argument_text.h"
#include "ir/text/descriptor_text.h"

namespace aotscope::ir {
ModuleLines::ModuleLines(const Graph& graph, std::size_t indent, bool canonical, bool top, PrintedGraph& out)
    : m_graph(graph),
      m_indent(indent),
      m_canonical(canonical),
      m_top(top),
      m_out(out),
      m_arguments(graph, out.text, canonical ? &m_names : nullptr) {
    if (canonical) {
        nameByPosition();
    } else if (note(notes::form) != nullptr) {
        m_level = 0;
    }
}

void ModuleLines::nameByPosition() {
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

void ModuleLines::annotation(const Node& node) {
    if (const std::string* given = node.tryExtra(notes::annotationKey)) {
        text().append(": \"").append(fromJsonString(*given)).append("\"");
        return;
    }
    if (const std::string* type = node.tryExtra(notes::typeKey)) {
        text().append(" : ").append(fromJsonString(*type));
        return;
    }
    const bool printable =
        asTensor(node.value) != nullptr || std::holds_alternative<SymbolicMeta>(node.value);
    if (!printable) {
        return; // As PyTorch: tuples and other values have no annotation.
    }
    const bool quoted = note(notes::unquotedAnnotations) == nullptr;
    text() += quoted ? ": \"" : ": ";
    text() += valueText(node.value);
    if (quoted) {
        text() += '"';
    }
}

bool ModuleLines::isAnnotated(const Node& node) {
    return asTensor(node.value) != nullptr || std::holds_alternative<SymbolicMeta>(node.value) ||
           node.tryExtra(notes::annotationKey) != nullptr || node.tryExtra(notes::typeKey) != nullptr;
}

void ModuleLines::parameter(NodeId id) {
    const Node& node = m_graph.node(id);
    text() += m_canonical ? std::string_view(m_names[id.index()]) : std::string_view(node.target);
    annotation(node);
    if (!node.args.empty()) {
        text() += " = ";
        m_arguments.print(node.args[0]);
    }
}

void ModuleLines::descriptor(const Node& node) {
    if (!node.descriptors.empty() && node.descriptors.front().isStated() && !m_canonical) {
        text().append("  # ").append(descriptorText(node.descriptors.front()));
    }
}

void ModuleLines::signature() {
    const std::string* name = note(notes::functionName);
    startLine(0);
    text().append("def ").append(name != nullptr ? *name : "forward").append("(");
    if (isExpanded()) {
        endLine();
        expandedParameters();
        startLine(0);
    } else {
        inlineParameters();
    }
    text() += ')';
    if (const std::string* type = note(notes::returnType); type != nullptr && !m_canonical) {
        text().append(" -> ").append(*type);
    }
    text() += ':';
    endLine();
    bindings();
}

void ModuleLines::expandedParameters() {
    const std::vector<NodeId> placeholders = m_graph.placeholders();
    const bool selfGiven =
        m_graph.style().pytree
            ? !m_graph.style().pytreeInputs.empty() && m_graph.style().pytreeInputs.front() == "self"
            : !placeholders.empty() && m_graph.node(placeholders.front()).target == "self";
    if (!selfGiven) {
        line(1, "self,");
    }
    if (m_graph.style().pytree) {
        for (const std::string& input : m_graph.style().pytreeInputs) {
            line(1, input + ",");
        }
        return;
    }
    for (const NodeId id : placeholders) {
        startLine(1);
        markLine(id);
        parameter(id);
        text() += ',';
        descriptor(m_graph.node(id));
        endLine(id);
    }
}

void ModuleLines::inlineParameters() {
    text() += "self";
    if (note(notes::boxed) != nullptr) {
        text() += ", args_list";
    } else if (m_graph.style().pytree && !m_canonical) {
        for (const std::string& input : m_graph.style().pytreeInputs) {
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
void ModuleLines::bindings() {
    if (m_canonical) {
        return;
    }
    if (note(notes::boxed) != nullptr) {
        boxedBindings();
    } else if (m_graph.style().pytree) {
        declarations();
        flattenSpec();
    }
}

void ModuleLines::boxedBindings() {
    line(1, "args_iter = iter(args_list)");
    for (const NodeId id : m_graph.placeholders()) {
        markLine(id);
        line(1, m_graph.node(id).target + " = next(args_iter)", id);
    }
    line(1, "args_list.clear()");
}

/// `name: "…"  # descriptor` for each input that has an annotation: one per line, or all in one.
void ModuleLines::declarations() {
    bool any = false;
    for (const NodeId id : m_graph.placeholders()) {
        const Node& node = m_graph.node(id);
        if (!isAnnotated(node)) {
            continue;
        }
        if (isExpanded() || !any) {
            startLine(1);
        }
        any = true;
        markLine(id);
        parameter(id);
        if (isExpanded()) {
            descriptor(node);
            endLine(id);
        } else {
            text() += "; ";
        }
    }
    if (any && !isExpanded()) {
        endLine();
        endLine();
    }
}

void ModuleLines::flattenSpec() {
    startLine(1);
    for (const NodeId id : m_graph.placeholders()) {
        if (m_top && m_out.lineOfNode[id.index()] < 0) {
            markLine(id);
        }
        text().append(m_graph.node(id).target).append(", ");
    }
    text() += "= fx_pytree.tree_flatten_spec(";
    if (const std::string* call = note(notes::flattenCall)) {
        text() += *call;
    } else {
        text().append("[").append(base::joined(m_graph.style().pytreeInputs)).append("]");
    }
    text() += ", self._in_spec)";
    endLine();
}

} // namespace aotscope::ir
