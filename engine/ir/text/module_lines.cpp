#include "ir/text/module_lines.h"

#include "ir/notes.h"
#include "ir/text/argument_text.h"
#include "ir/text/comment.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

const std::string* extra(const Node& node, std::string_view name) {
    const auto found = std::find_if(node.extra.begin(), node.extra.end(),
                                    [name](const auto& entry) { return entry.first == name; });
    return found == node.extra.end() ? nullptr : &found->second;
}

} // namespace

const std::string* styleNote(const TextStyle& style, const char* name) {
    const auto found = style.notes.find(name);
    return found == style.notes.end() ? nullptr : &found->second;
}

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
    const bool quoted = note(notes::unquotedAnnotations) == nullptr;
    text() += quoted ? ": \"" : ": ";
    text() += valueText(node.value);
    if (quoted) {
        text() += '"';
    }
}

bool ModuleLines::isAnnotated(const Node& node) {
    return asTensor(node.value) != nullptr || std::holds_alternative<SymbolicMeta>(node.value) ||
           extra(node, notes::annotationKey) != nullptr || extra(node, notes::typeKey) != nullptr;
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

} // namespace aotscope::ir
