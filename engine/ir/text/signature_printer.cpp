#include "ir/text/module_lines.h"

#include "ir/notes.h"

namespace aotscope::ir {
namespace {

class SignaturePrinter {
public:
    explicit SignaturePrinter(ModuleLines& lines) : m_lines(lines), m_style(lines.graph().style()) {}

    void print() {
        signature();
        bindings();
    }

private:
    void signature() {
        const std::string* name = m_lines.note(notes::functionName);
        m_lines.startLine(0);
        m_lines.text().append("def ").append(name != nullptr ? *name : "forward").append("(");
        if (m_lines.isExpanded()) {
            m_lines.endLine();
            expandedParameters();
            m_lines.startLine(0);
        } else {
            inlineParameters();
        }
        m_lines.text() += ')';
        if (const std::string* type = m_lines.note(notes::returnType);
            type != nullptr && !m_lines.isCanonical()) {
            m_lines.text().append(" -> ").append(*type);
        }
        m_lines.text() += ':';
        m_lines.endLine();
    }

    void expandedParameters() {
        const std::vector<NodeId> placeholders = m_lines.graph().placeholders();
        const bool selfGiven =
            m_style.pytree
                ? !m_style.pytreeInputs.empty() && m_style.pytreeInputs.front() == "self"
                : !placeholders.empty() && m_lines.graph().node(placeholders.front()).target == "self";
        if (!selfGiven) {
            m_lines.startLine(1);
            m_lines.text() += "self,";
            m_lines.endLine();
        }
        if (m_style.pytree) {
            for (const std::string& input : m_style.pytreeInputs) {
                m_lines.startLine(1);
                m_lines.text().append(input).append(",");
                m_lines.endLine();
            }
            return;
        }
        for (const NodeId id : placeholders) {
            m_lines.startLine(1);
            m_lines.markLine(id);
            m_lines.parameter(id);
            m_lines.text() += ',';
            m_lines.descriptor(m_lines.graph().node(id));
            m_lines.endLine(id);
        }
    }

    void inlineParameters() {
        m_lines.text() += "self";
        if (m_lines.note(notes::boxed) != nullptr) {
            m_lines.text() += ", args_list";
        } else if (m_style.pytree && !m_lines.isCanonical()) {
            for (const std::string& input : m_style.pytreeInputs) {
                m_lines.text().append(input == "self" ? "" : ", ").append(input == "self" ? "" : input);
            }
        } else {
            for (const NodeId id : m_lines.graph().placeholders()) {
                m_lines.markLine(id);
                m_lines.text() += ", ";
                m_lines.parameter(id);
            }
        }
    }

    /// The lines before the body that give the inputs their names.
    void bindings() {
        if (m_lines.isCanonical()) {
            return;
        }
        if (m_lines.note(notes::boxed) != nullptr) {
            boxedBindings();
        } else if (m_style.pytree) {
            declarations();
            flattenSpec();
        }
    }

    void boxedBindings() {
        m_lines.startLine(1);
        m_lines.text() += "args_iter = iter(args_list)";
        m_lines.endLine();
        for (const NodeId id : m_lines.graph().placeholders()) {
            m_lines.startLine(1);
            m_lines.markLine(id);
            m_lines.text().append(m_lines.graph().node(id).target).append(" = next(args_iter)");
            m_lines.endLine(id);
        }
        m_lines.startLine(1);
        m_lines.text() += "args_list.clear()";
        m_lines.endLine();
    }

    /// `name: "…"  # descriptor` for each input that has an annotation: one per line, or all in one.
    void declarations() {
        bool any = false;
        for (const NodeId id : m_lines.graph().placeholders()) {
            const Node& node = m_lines.graph().node(id);
            if (!ModuleLines::isAnnotated(node)) {
                continue;
            }
            if (m_lines.isExpanded() || !any) {
                m_lines.startLine(1);
            }
            any = true;
            m_lines.markLine(id);
            m_lines.parameter(id);
            if (m_lines.isExpanded()) {
                m_lines.descriptor(node);
                m_lines.endLine(id);
            } else {
                m_lines.text() += "; ";
            }
        }
        if (any && !m_lines.isExpanded()) {
            m_lines.endLine();
            m_lines.endLine();
        }
    }

    void flattenSpec() {
        m_lines.startLine(1);
        for (const NodeId id : m_lines.graph().placeholders()) {
            m_lines.markFirstLine(id);
            m_lines.text().append(m_lines.graph().node(id).target).append(", ");
        }
        m_lines.text() += "= fx_pytree.tree_flatten_spec(";
        if (const std::string* call = m_lines.note(notes::flattenCall)) {
            m_lines.text() += *call;
        } else {
            m_lines.text() += '[';
            for (std::size_t i = 0; i < m_style.pytreeInputs.size(); ++i) {
                m_lines.text().append(i > 0 ? ", " : "").append(m_style.pytreeInputs[i]);
            }
            m_lines.text() += ']';
        }
        m_lines.text() += ", self._in_spec)";
        m_lines.endLine();
    }

    ModuleLines& m_lines;
    const TextStyle& m_style;
};

} // namespace

void printSignature(ModuleLines& lines) {
    SignaturePrinter(lines).print();
}

} // namespace aotscope::ir
