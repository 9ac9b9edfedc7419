#include "ir/notes.h"
#include "ir/text/argument_text.h"
#include "ir/text/percent.h"
#include "ir/text/printer.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

class PercentPrinter {
public:
    PercentPrinter(const Graph& graph, PrintedGraph& out)
        : m_graph(graph),
          m_out(out),
          m_arguments(graph, out.text, nullptr, true),
          m_returned(graph, out.text) {}

    void print() {
        const TextStyle& style = m_graph.style();
        beginWithLeadingText(style, m_out);
        const std::string* parameters = style.note(notes::returnType);
        m_out.text.append("graph(").append(parameters != nullptr ? *parameters : "):");
        m_out.nodeOfLine.emplace_back();
        for (const NodeId id : m_graph.order()) {
            m_out.text += "\n    ";
            m_out.lineOfNode[id.index()] = static_cast<int>(m_out.nodeOfLine.size());
            m_out.nodeOfLine.push_back(id);
            node(id, m_graph.node(id));
        }
        if (style.note(notes::noFinalNewline) == nullptr) {
            m_out.text += '\n';
        }
    }

private:
    void node(NodeId id, const Node& node) {
        std::string& text = m_out.text;
        if (node.op == Opcode::Output) {
            text += "return ";
            m_returned.printItems(node.args);
            return;
        }
        text.append("%").append(node.name).append(" : ");
        if (const std::string* type = node.tryExtra(notes::typeKey)) {
            text.append(fromJsonString(*type)).append(" ");
        } else if (asTensor(node.value) != nullptr) {
            text.append("Tensor \"").append(valueText(node.value)).append("\"");
        }
        text.append("[num_users=").append(std::to_string(m_graph.users(id).size())).append("] = ");
        text.append(base::wordOf(node.op)).append("[target=");
        target(node);
        text += ']';
        if (node.op == Opcode::Placeholder) {
            if (!node.args.empty()) {
                text += "(default=";
                m_arguments.print(node.args[0]);
                text += ')';
            }
        } else if (node.op != Opcode::GetAttr) {
            text += "(args = ";
            m_arguments.print(TupleArgument{node.args});
            text += ", kwargs = {";
            for (std::size_t i = 0; i < node.kwargs.size(); ++i) {
                text.append(i > 0 ? ", " : "").append(node.kwargs[i].name).append(": ");
                m_arguments.print(node.kwargs[i].value);
            }
            text += "})";
        }
    }

    /// As Node._pretty_print_target: `operator.add`, `builtins.getattr`, `torch.ops.aten.mm.default`.
    void target(const Node& node) {
        std::string_view name = node.target;
        if (node.op == Opcode::CallFunction) {
            if (name == "getattr") {
                m_out.text += "builtins.";
            } else if (name.starts_with("_operator.")) {
                name.remove_prefix(1);
            } else if (name.find('.') != std::string_view::npos && !name.starts_with("torch.") &&
                       !name.starts_with("math.") && !name.starts_with("builtins.")) {
                m_out.text += "torch.ops.";
            }
        }
        m_out.text += name;
    }

    const Graph& m_graph;
    PrintedGraph& m_out;
    ArgumentPrinter m_arguments;
    ArgumentPrinter m_returned;
};

} // namespace

void beginWithLeadingText(const TextStyle& style, PrintedGraph& out) {
    if (const std::string* leading = style.note(notes::leadingText)) {
        out.text = *leading;
        out.nodeOfLine.resize(static_cast<std::size_t>(std::ranges::count(*leading, '\n')));
    }
}

void printPercentForm(const Graph& graph, PrintedGraph& out) {
    PercentPrinter(graph, out).print();
}

} // namespace aotscope::ir
