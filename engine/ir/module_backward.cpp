#include "ir/module_backward.h"

#include "ir/backward_lines.h"
#include "ir/module_source.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace aotscope::ir::detail {
namespace {

/// "softmax" of "_softmax_backward_data" and of "_softmax", "layer_norm" of "native_layer_norm"
std::string_view stemOf(std::string_view name) {
    for (const std::string_view prefix : {"_", "native_"}) {
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
        }
    }
    for (const std::string_view end : {"_backward", "_dense_backward", "_forward", "_legit"}) {
        name = name.substr(0, name.find(end));
    }
    return name;
}

/// Whether a backward operator can be part of the derivative of a forward operator: a product of matrices of
/// one, `tanh_backward` of `tanh`, `mul` of `mul`.
bool isDerivativeOf(const Node& backward, const Node& forward) {
    const std::string_view of = splitTarget(forward.target).name;
    const std::string_view by = splitTarget(backward.target).name;
    const OperatorRow& known = operatorNamed(by);
    if (known.is(Trait::MultipliesMatrices)) {
        return operatorNamed(of).is(Trait::MultipliesMatrices);
    }
    if (known.is(Trait::IsOfThreshold)) {
        return of.starts_with("relu") || of.starts_with("threshold");
    }
    return stemOf(of) == stemOf(by);
}

class BackwardPaths {
public:
    BackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths)
        : m_graph(graph),
          m_phases(phases),
          m_paths(paths),
          m_lines(graph),
          m_owned(graph.idBound()),
          m_seen(graph.idBound()) {}

    void derive() {
        std::vector<NodeId> backward;
        for (const NodeId id : m_graph.order()) {
            followViews(id);
            if (!isCall(id)) {
                continue;
            }
            if (m_phases[id.index()] == Phase::Forward) {
                rememberForward(id);
            } else {
                backward.push_back(id);
                fromSequence(id);
            }
        }
        fromReturnedGradients();
        m_lines.pair(backward, [this](NodeId id, BackwardLines::Run line) { settle(id, line); });
        fromBothSides(backward);
        for (const NodeId id : backward) {
            fromSummands(id);
        }
        fillBetween(backward, m_paths);
    }

private:
    [[nodiscard]] bool isCall(NodeId id) const {
        const Opcode op = m_graph.node(id).op;
        return op != Opcode::Placeholder && op != Opcode::Output;
    }
    [[nodiscard]] bool isBackwardCall(NodeId id) const {
        return isCall(id) && m_phases[id.index()] == Phase::Backward;
    }
    [[nodiscard]] bool isOpen(NodeId id) const { return !m_paths[id.index()]; }

    /// Parameters and forward values, also through views that the backward makes of them.
    void followViews(NodeId id) {
        const Node& node = m_graph.node(id);
        const auto inputs = m_graph.inputs(id);
        const bool isView = inputs.size() == 1 && onlyReshapes(node);
        if (m_phases[id.index()] == Phase::Forward) {
            m_seen[id.index()] = id;
        } else if (isView) {
            m_seen[id.index()] = m_seen[inputs[0].index()];
        }
        if (node.op == Opcode::Placeholder) {
            m_owned[id.index()] = m_paths[id.index()];
        } else if (isView) {
            m_owned[id.index()] = m_owned[inputs[0].index()];
        }
    }

    void rememberForward(NodeId id) {
        const Node& node = m_graph.node(id);
        if (node.sequenceNumber && m_paths[id.index()]) {
            // Only the first node with a number is recorded by autograd as a grad_fn.
            m_bySequence.emplace(*node.sequenceNumber, *m_paths[id.index()]);
        }
        m_lines.addForward(id);
    }

    /// Autograd adds the gradients of a value that is used several times, between two of its nodes: the sum
    /// carries the number of neither.
    [[nodiscard]] bool isSumOfGradients(NodeId id) const {
        const auto inputs = m_graph.inputs(id);
        return splitTarget(m_graph.node(id).target).name == "add" && inputs.size() == 2 &&
               std::ranges::all_of(inputs, [this](NodeId input) { return isBackwardCall(input); });
    }

    void fromSequence(NodeId id) {
        const Node& node = m_graph.node(id);
        if (!isOpen(id) || !node.sequenceNumber || isSumOfGradients(id)) {
            return;
        }
        const auto found = m_bySequence.find(*node.sequenceNumber);
        if (found != m_bySequence.end()) {
            m_paths[id.index()] = found->second;
        }
    }

    void fromReturnedGradients() {
        const auto output = m_graph.output();
        if (!output) {
            return;
        }
        const Node& node = m_graph.node(*output);
        const std::vector<NodeId> returned = returnedNodes(m_graph);
        for (std::size_t i = 0; i < returned.size(); ++i) {
            const AOTOutput* descriptor = outputDescriptor(node, i);
            const GradAOTOutput* gradient = descriptor == nullptr ? nullptr : descriptor->as<GradAOTOutput>();
            if (!returned[i].valid() || gradient == nullptr || !isBackwardCall(returned[i])) {
                continue;
            }
            for (const NodeId input : m_graph.placeholders()) {
                const AOTInput* of = inputDescriptor(m_graph.node(input));
                if (of != nullptr && *of == *gradient->gradOf && m_paths[input.index()]) {
                    fromReturned(returned[i], *m_paths[input.index()]);
                }
            }
        }
    }

    /// The nodes that lead to a parameter's gradient only: views and sums of the one node that computes it,
    /// and the views of that node's operand.
    void fromReturned(NodeId gradient, const std::string& path) {
        bool isComputed = false;
        std::optional<NodeId> at = gradient;
        while (at) {
            const Node& node = m_graph.node(*at);
            const bool isView = onlyReshapes(node) || splitTarget(node.target).name == "sum";
            const bool fits = isView || *at == gradient || (!isComputed && canBeOf(*at, path));
            if (!fits) {
                return;
            }
            isComputed = isComputed || !isView;
            if (isOpen(*at)) {
                m_paths[at->index()] = path;
            }
            at = isSumOfGradients(*at) ? std::nullopt : onlyGradientOf(*at);
        }
    }

    /// The one backward value that a node uses, if nobody else does.
    [[nodiscard]] std::optional<NodeId> onlyGradientOf(NodeId id) const {
        std::optional<NodeId> found;
        for (const NodeId input : m_graph.inputs(id)) {
            if (!isBackwardCall(input) || m_owned[input.index()]) {
                continue;
            }
            if (found) {
                return std::nullopt;
            }
            found = input;
        }
        return found && m_graph.users(*found).size() == 1 ? found : std::nullopt;
    }

    /// The forward nodes whose derivative a backward node can be part of: those that compute, or use, a
    /// forward value that it uses. First those of a fitting operator, else all.
    [[nodiscard]] std::vector<NodeId> candidatesOf(NodeId id) const {
        std::vector<NodeId> near;
        for (const NodeId given : m_graph.inputs(id)) {
            const NodeId input = m_seen[given.index()];
            if (!input.valid()) {
                continue;
            }
            addForwardCall(near, input);
            if (splitTarget(m_graph.node(input).target).name == "getitem" && !m_graph.inputs(input).empty()) {
                addForwardCall(near, m_graph.inputs(input)[0]);
            }
            for (const NodeId user : m_graph.users(input)) {
                addForwardCall(near, user);
            }
        }
        std::vector<NodeId> fitting;
        std::ranges::copy_if(near, std::back_inserter(fitting), [&](NodeId forward) {
            return isDerivativeOf(m_graph.node(id), m_graph.node(forward));
        });
        return fitting.empty() ? near : fitting;
    }

    void addForwardCall(std::vector<NodeId>& found, NodeId id) const {
        if (isCall(id) && m_phases[id.index()] == Phase::Forward && m_paths[id.index()]) {
            found.push_back(id);
        }
    }

    [[nodiscard]] bool canBeOf(NodeId id, const std::string& path) const {
        return std::ranges::any_of(candidatesOf(id),
                                   [&](NodeId forward) { return *m_paths[forward.index()] == path; });
    }

    /// The path of all nodes, if they are of one module by this table.
    template<typename Nodes>
    [[nodiscard]] static std::optional<std::string> onlyPathOf(const Nodes& nodes, const PathTable& paths) {
        std::optional<std::string> path;
        for (const NodeId node : nodes) {
            const std::optional<std::string>& each = paths[node.index()];
            if (!each || (path && *path != *each)) {
                return std::nullopt;
            }
            path = each;
        }
        return path;
    }

    void settle(NodeId id, BackwardLines::Run line) {
        if (!isOpen(id) || isSumOfGradients(id)) {
            return;
        }
        std::optional<std::string> path = fromParameters(id);
        if (!path && line != BackwardLines::none) {
            path = onlyPathOfLine(line);
        }
        if (!path) {
            std::vector<NodeId> candidates = candidatesOf(id);
            // Not the range's form, whose result clang 14 cannot build with the library of g++ 12.
            const auto elsewhere = std::partition(candidates.begin(), candidates.end(),
                                                  [&](NodeId each) { return m_lines.isIn(each, line); });
            if (elsewhere != candidates.begin()) {
                candidates.erase(elsewhere, candidates.end());
            }
            path = onlyPathOf(candidates, m_paths);
        }
        m_paths[id.index()] = path;
    }

    [[nodiscard]] const std::optional<std::string>& onlyPathOfLine(BackwardLines::Run line) {
        const auto [known, fresh] = m_ofLine.try_emplace(line);
        if (fresh) {
            known->second = onlyPathOf(m_lines.nodesOf(line), m_paths);
        }
        return known->second;
    }

    [[nodiscard]] std::optional<std::string> fromParameters(NodeId id) const {
        std::optional<std::string> path;
        for (const NodeId input : m_graph.inputs(id)) {
            if (const auto& owner = m_owned[input.index()]) {
                path = path ? commonPath(*path, *owner) : *owner;
            }
        }
        return path;
    }

    /// Views of gradients lie between what makes them and what uses them; a transpose for a product of
    /// matrices belongs to the product, an element to the call that returns it.
    void fromBothSides(const std::vector<NodeId>& backward) {
        PathTable below(m_graph.idBound());
        for (auto id = backward.rbegin(); id != backward.rend(); ++id) {
            below[id->index()] = isOpenView(*id) ? pathBelow(*id, below) : m_paths[id->index()];
        }
        for (const NodeId id : backward) {
            if (!isOpenView(id)) {
                continue;
            }
            const NodeId made = m_graph.inputs(id)[0];
            const std::optional<std::string>& above = m_paths[made.index()];
            const std::optional<std::string>& under = below[id.index()];
            const std::string_view name = splitTarget(m_graph.node(id).target).name;
            if (name == "getitem" || !under) {
                m_paths[id.index()] = name == "getitem" ? above : std::nullopt;
            } else {
                const bool isAlone = name == "t" || !isBackwardCall(made) || !above;
                m_paths[id.index()] = isAlone ? *under : commonPath(*above, *under);
            }
        }
    }

    [[nodiscard]] bool isOpenView(NodeId id) const {
        const Node& node = m_graph.node(id);
        return isOpen(id) && m_graph.inputs(id).size() == 1 &&
               (onlyReshapes(node) || splitTarget(node.target).name == "getitem");
    }

    /// Of all users, if they are of one module.
    [[nodiscard]] std::optional<std::string> pathBelow(NodeId id, const PathTable& below) const {
        const auto users = m_graph.users(id);
        const bool isAllBackward =
            std::ranges::all_of(users, [this](NodeId user) { return isBackwardCall(user); });
        return isAllBackward ? onlyPathOf(users, below) : std::nullopt;
    }

    void fromSummands(NodeId id) {
        if (!isOpen(id) || !isSumOfGradients(id)) {
            return;
        }
        const auto inputs = m_graph.inputs(id);
        const std::optional<std::string>& left = m_paths[inputs[0].index()];
        const std::optional<std::string>& right = m_paths[inputs[1].index()];
        if (left && right) {
            m_paths[id.index()] = commonPath(*left, *right);
        }
    }

    const Graph& m_graph;
    const std::vector<Phase>& m_phases;
    PathTable& m_paths;
    BackwardLines m_lines;
    std::unordered_map<BackwardLines::Run, std::optional<std::string>> m_ofLine;
    /// Paths of parameters and of views of them.
    PathTable m_owned;
    /// By node id index: the forward value that a node is, or is a view of; invalid: of none.
    std::vector<NodeId> m_seen;
    std::unordered_map<std::int64_t, std::string> m_bySequence;
};

} // namespace

bool onlyReshapes(const Node& node) {
    return Operator(node.target).is(Trait::Reshapes);
}

void deriveBackwardPaths(const Graph& graph, const std::vector<Phase>& phases, PathTable& paths) {
    BackwardPaths(graph, phases, paths).derive();
}

} // namespace aotscope::ir::detail
