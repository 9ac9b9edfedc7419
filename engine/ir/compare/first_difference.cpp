#include "ir/compare/first_difference.h"

#include "ir/text/argument_text.h"

#include <algorithm>
#include <map>

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
            if (const Arguments* items = node.args.empty() ? nullptr : itemsOf(node.args.front())) {
                printer.printItems(*items);
                return text;
            }
        }
        printer.printCallArguments(node);
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
            text += std::string(base::wordOf(shown.op)) + " ";
            ArgumentPrinter(m_graph, text).printCallArguments(shown);
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

/// The graph modules that both nodes fetch or call; null where one is none.
struct Bodies {
    GraphPtr left;
    GraphPtr right;
    [[nodiscard]] bool areBoth() const { return left && right; }
};

Bodies bodiesOf(const Side& left, const Node& a, const Side& right, const Node& b) {
    const bool mayBe = a.op == Opcode::GetAttr || a.op == Opcode::CallModule;
    return mayBe ? Bodies{left.graph().trySubgraph(a.target), right.graph().trySubgraph(b.target)} : Bodies();
}

/// The targets of inputs, outputs and graph modules are names, so they differ only where names count.
bool differInTarget(const Node& a, const Node& b, const Bodies& bodies, const DifferenceOptions& options) {
    const bool isName =
        a.op == Opcode::Placeholder || a.op == Opcode::Output || (options.ignoreNames && bodies.areBoth());
    return a.op != b.op || (!isName && a.target != b.target);
}

/// What differs between two nodes of one position; empty: nothing.
std::string difference(const Side& left, const Side& right, std::size_t position,
                       const DifferenceOptions& options) {
    const Node& a = left.node(position);
    const Node& b = right.node(position);
    if (differInTarget(a, b, bodiesOf(left, a, right, b), options)) {
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
    const bool isDescribed = a.op != Opcode::Output || !options.ignoreOutputDescriptors;
    return isDescribed && differ(a.descriptors, b.descriptors) ? "descriptor" : "";
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
        if (const Bodies bodies = bodiesOf(a, a.node(i), b, b.node(i)); bodies.areBoth()) {
            if (auto inside = firstDifference(*bodies.left, *bodies.right, options)) {
                inside->what += " in " + a.node(i).target;
                inside->position = i;
                return inside;
            }
        }
    }
    if (left.size() != right.size()) {
        return FirstDifference{common, "length", common < left.size() ? a.line(common) : "",
                               common < right.size() ? b.line(common) : ""};
    }
    return std::nullopt;
}

std::optional<FirstDifference> firstTagDifference(const Graph& left, const Graph& right,
                                                  const std::set<std::int64_t>& skipped) {
    std::map<std::int64_t, std::int64_t> rightOf;
    std::map<std::int64_t, std::int64_t> leftOf;
    const auto tagText = [](const Node& node) {
        const std::string region =
            node.origin->acGraphId ? " in region " + std::to_string(*node.origin->acGraphId) : std::string();
        return node.name + ": " + (node.origin->recompute.empty() ? "no tag" : node.origin->recompute) +
               region;
    };
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        const Node& a = left.node(left.order()[i]);
        const Node& b = right.node(right.order()[i]);
        const bool areTold = a.origin && b.origin && a.origin->source && b.origin->source;
        if (!areTold) {
            continue;
        }
        const auto& ours = a.origin->acGraphId;
        const auto& theirs = b.origin->acGraphId;
        const bool isSkipped = theirs && skipped.contains(*theirs);
        bool isSame = (isSkipped || a.origin->recompute == b.origin->recompute) &&
                      ours.has_value() == theirs.has_value();
        if (isSame && ours) {
            isSame = rightOf.try_emplace(*ours, *theirs).first->second == *theirs &&
                     leftOf.try_emplace(*theirs, *ours).first->second == *ours;
        }
        if (!isSame) {
            return FirstDifference{i, "recompute tag", tagText(a), tagText(b)};
        }
    }
    return std::nullopt;
}

std::size_t agreeingNodes(const Graph& left, const Graph& right, const DifferenceOptions& options) {
    const auto found = firstDifference(left, right, options);
    return found ? found->position : left.size();
}

} // namespace aotscope::ir
