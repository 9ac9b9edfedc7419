#include "ir/first_difference.h"

#include "ir/text/argument_text.h"

#include <algorithm>

namespace aotscope::ir {

namespace {

/// Names by position ("%12"), so that texts of equal programs are equal.
std::vector<std::string> positionNames(const Graph& graph) {
    std::vector<std::string> names(graph.idBound());
    std::size_t position = 0;
    for (const NodeId id : graph.order()) {
        names[id.index()] = "%" + std::to_string(position++);
    }
    return names;
}

class Side {
public:
    explicit Side(const Graph& graph)
        : m_graph(graph),
          m_positions(positionNames(graph)),
          m_names(m_positions.begin(), m_positions.end()) {}

    [[nodiscard]] const Graph& graph() const { return m_graph; }
    [[nodiscard]] const Node& node(std::size_t position) const {
        return m_graph.node(m_graph.order()[position]);
    }
    [[nodiscard]] std::string arguments(const Node& node) const {
        std::string text;
        ArgumentPrinter printer(m_graph, text, &m_names);
        if (node.op == Opcode::Output) {
            // A list or a tuple, as the code generator likes.
            const Argument* items = node.args.empty() ? nullptr : &node.args.front();
            if (const auto* list = items == nullptr ? nullptr : items->as<ListArgument>()) {
                printer.printItems(list->items);
                return text;
            }
            if (const auto* tuple = items == nullptr ? nullptr : items->as<TupleArgument>()) {
                printer.printItems(tuple->items);
                return text;
            }
        }
        printer.printCallArguments(node.args, 0, node.kwargs);
        return text;
    }
    [[nodiscard]] std::string line(std::size_t position) const {
        const Node& shown = node(position);
        std::string text = shown.name;
        if (const std::string meta = valueText(shown.value); !meta.empty()) {
            text += ": \"" + meta + "\"";
        }
        text += " = ";
        if (shown.op == Opcode::CallFunction) {
            ArgumentPrinter(m_graph, text).printCall(shown);
        } else {
            text += std::string(opcodeName(shown.op)) + " ";
            ArgumentPrinter(m_graph, text).printCallArguments(shown.args, 0, shown.kwargs);
        }
        return text;
    }

private:
    const Graph& m_graph;
    std::vector<std::string> m_positions;
    NodeNames m_names;
};

bool differ(const std::vector<Descriptor>& left, const std::vector<Descriptor>& right) {
    const auto isLogged = [](const std::vector<Descriptor>& descriptors) {
        return !descriptors.empty() && std::ranges::none_of(descriptors, &Descriptor::derived);
    };
    return isLogged(left) && isLogged(right) && left != right;
}

/// What differs between two nodes of one position; empty: nothing.
std::string difference(const Side& left, const Side& right, std::size_t position,
                       const DifferenceOptions& options) {
    const Node& a = left.node(position);
    const Node& b = right.node(position);
    if (a.op != b.op || (a.op == Opcode::CallFunction && a.target != b.target)) {
        return "target";
    }
    if (left.arguments(a) != right.arguments(b)) {
        return "arguments";
    }
    const std::string leftMeta = valueText(a.value);
    const std::string rightMeta = valueText(b.value);
    if (!leftMeta.empty() && !rightMeta.empty() && leftMeta != rightMeta) {
        return "metadata";
    }
    if (!options.ignoreNames && a.op != Opcode::Output && a.name != b.name) {
        return "name";
    }
    return differ(a.descriptors, b.descriptors) ? "descriptor" : "";
}

} // namespace

std::optional<FirstDifference> firstDifference(const Graph& left, const Graph& right,
                                               const DifferenceOptions& options) {
    const Side a(left);
    const Side b(right);
    const std::size_t common = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (std::string what = difference(a, b, i, options); !what.empty()) {
            return FirstDifference{i, std::move(what), a.line(i), b.line(i)};
        }
    }
    if (left.size() != right.size()) {
        return FirstDifference{common, "length", common < left.size() ? a.line(common) : "",
                               common < right.size() ? b.line(common) : ""};
    }
    return std::nullopt;
}

std::size_t agreeingNodes(const Graph& left, const Graph& right, const DifferenceOptions& options) {
    const auto found = firstDifference(left, right, options);
    return found ? found->position : left.size();
}

} // namespace aotscope::ir
