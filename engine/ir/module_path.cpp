#include "ir/module_path.h"

#include "ir/bodies.h"
#include "ir/module_backward.h"
#include "ir/module_source.h"

#include <algorithm>
#include <map>

namespace aotscope::ir {
namespace {

using detail::OwnedValue;
using detail::PathTable;

/// Derives paths of the nodes of one phase, in program order.
class ForwardPaths {
public:
    ForwardPaths(const Graph& graph, std::vector<std::optional<OwnedValue>> owners, PathTable& paths)
        : m_graph(graph), m_values(std::move(owners)), m_paths(paths) {
        for (const NodeId id : graph.order()) {
            const std::optional<OwnedValue>& value = m_values[id.index()];
            if (value && !m_paths[id.index()]) {
                m_paths[id.index()] = value->path;
            }
        }
    }

    void derive(const std::vector<NodeId>& nodes, bool linesAscend) {
        for (const NodeId id : nodes) {
            fromParameters(id);
        }
        takeReshapesAlong(nodes);
        if (linesAscend) {
            fromCallsOfFunctions(nodes);
        }
        detail::fillBetween(nodes, m_paths);
    }

private:
    /// A node that uses a module's values belongs to the module; if it uses nothing else, its result does,
    /// too.
    void fromParameters(NodeId id) {
        const Node& node = m_graph.node(id);
        if (m_paths[id.index()]) {
            return;
        }
        if (node.op == Opcode::CallModule) {
            m_paths[id.index()] = node.target;
            return;
        }
        if (node.op == Opcode::GetAttr && !bodyOf(m_graph, node)) {
            const std::string_view path = detail::parentPath(node.target);
            if (!path.empty()) {
                m_values[id.index()] = OwnedValue{std::string(path), node.target.substr(path.size() + 1)};
                m_paths[id.index()] = path;
            }
            return;
        }
        std::optional<OwnedValue> shared;
        bool onlyOwned = true;
        for (const NodeId input : m_graph.inputs(id)) {
            const std::optional<OwnedValue>& value = m_values[input.index()];
            if (!value) {
                onlyOwned = false;
            } else if (!shared) {
                shared = value;
            } else if (shared->path != value->path) {
                shared->path = detail::commonPath(shared->path, value->path);
                onlyOwned = false;
            }
        }
        if (!shared) {
            return;
        }
        m_paths[id.index()] = shared->path;
        if (onlyOwned) {
            m_values[id.index()] = shared;
        } else {
            m_users.emplace_back(id, std::move(*shared));
        }
    }

    /// `view` before and after `addmm` on one line are part of the same linear layer.
    void takeReshapesAlong(const std::vector<NodeId>& nodes) {
        for (const auto& [id, value] : m_users) {
            for (const NodeId input : m_graph.inputs(id)) {
                takeAlong(input, id);
            }
        }
        for (const NodeId id : nodes) {
            const auto inputs = m_graph.inputs(id);
            if (inputs.size() == 1 && isUser(inputs[0])) {
                takeAlong(id, inputs[0]);
            }
        }
    }

    [[nodiscard]] bool isUser(NodeId id) const {
        const auto positionOf = [this](const User& user) { return m_graph.position(user.first); };
        return std::ranges::binary_search(m_users, m_graph.position(id), {}, positionOf);
    }

    void takeAlong(NodeId id, NodeId with) {
        const Node& node = m_graph.node(id);
        const bool along = !m_paths[id.index()] && node.op == Opcode::CallFunction &&
                           detail::onlyReshapes(node) && detail::sourceOf(node) != nullptr &&
                           detail::isSameLine(detail::sourceOf(node), detail::sourceOf(m_graph.node(with)));
        if (along) {
            m_paths[id.index()] = m_paths[with.index()];
        }
    }

    /// One call of a Python function: its lines ascend, and a module's parameter in one of them identifies
    /// the module of all of them.
    struct Call {
        int firstLine = 0;
        int lastLine = 0;
        std::optional<std::string> owner;
        std::vector<NodeId> waiting;
    };

    /// Calls of functions with the same name in one file ("forward" of several modules), outermost first.
    using OpenCalls = std::vector<Call>;

    void fromCallsOfFunctions(const std::vector<NodeId>& nodes) {
        std::map<std::pair<std::string_view, std::string_view>, OpenCalls> calls;
        auto user = m_users.begin();
        for (const NodeId id : nodes) {
            const Node& node = m_graph.node(id);
            std::optional<std::string> owner;
            const SourceLocation* source = detail::sourceOf(node);
            if (user != m_users.end() && user->first == id) {
                owner = source == nullptr ? std::nullopt : detail::lineOwner(user->second, source->code);
                ++user;
            }
            if (source == nullptr) {
                continue;
            }
            Call& call = callOf(calls[{source->file, source->function}], source->line, owner);
            call.lastLine = source->line;
            call.owner = owner ? owner : call.owner;
            call.waiting.push_back(id);
        }
        for (auto& [function, open] : calls) {
            leave(open, 0);
        }
    }

    /// The open call that a line belongs to, or a new one. A line before the innermost call's last line
    /// starts a nested call, or repeats the innermost call if it is its first line. A line after the last
    /// line of an outer call returns to that call.
    Call& callOf(OpenCalls& open, int line, const std::optional<std::string>& owner) {
        constexpr std::size_t deepest = 32;
        const auto isOthers = [&](const Call& call) { return owner && call.owner && *owner != *call.owner; };
        for (std::size_t depth = open.size(); depth-- > 1;) {
            if (open[depth - 1].lastLine < line && !isOthers(open[depth - 1])) {
                leave(open, depth);
            }
        }
        if (!open.empty() && !isOthers(open.back()) && open.back().lastLine <= line) {
            return open.back();
        }
        if (!open.empty() && (isOthers(open.back()) || open.back().firstLine == line)) {
            leave(open, open.size() - 1);
        }
        if (open.size() == deepest) {
            leave(open, 0);
        }
        open.emplace_back().firstLine = line;
        return open.back();
    }

    /// Closes all but the outermost `kept` calls.
    void leave(OpenCalls& open, std::size_t kept) {
        for (std::size_t depth = kept; depth < open.size(); ++depth) {
            finish(open[depth]);
        }
        open.resize(kept);
    }

    void finish(const Call& call) {
        for (const NodeId id : call.waiting) {
            if (call.owner && !m_paths[id.index()]) {
                m_paths[id.index()] = call.owner;
            }
        }
    }

    using User = std::pair<NodeId, OwnedValue>;

    const Graph& m_graph;
    std::vector<std::optional<OwnedValue>> m_values;
    PathTable& m_paths;
    std::vector<User> m_users;
};

} // namespace

ModulePaths deriveModulePaths(const Graph& graph, const std::vector<std::string>& placeholderSources) {
    PathTable paths(graph.idBound());
    for (const NodeId id : graph.order()) {
        if (!graph.node(id).modulePath.empty()) {
            paths[id.index()] = graph.node(id).modulePath;
        }
    }
    const std::vector<Phase> phases = nodePhases(graph);
    const bool joint = isJointGraph(graph);
    std::vector<NodeId> nodes;
    for (const NodeId id : graph.order()) {
        const Opcode op = graph.node(id).op;
        const bool call = op != Opcode::Placeholder && op != Opcode::Output;
        if (call && (!joint || phases[id.index()] == Phase::Forward)) {
            nodes.push_back(id);
        }
    }
    ForwardPaths(graph, detail::placeholderOwners(graph, placeholderSources), paths)
        .derive(nodes, joint || !isBackwardGraph(graph));
    if (joint) {
        detail::deriveBackwardPaths(graph, phases, paths);
    }

    ModulePaths result;
    result.ofNode.resize(graph.idBound());
    for (const NodeId id : graph.order()) {
        ModulePaths::Entry& entry = result.ofNode[id.index()];
        entry.path = paths[id.index()].value_or("");
        entry.derived = graph.node(id).modulePath.empty();
    }
    return result;
}

} // namespace aotscope::ir
