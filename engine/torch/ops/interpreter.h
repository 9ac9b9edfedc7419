#pragma once

#include "ops/calls.h"

#include "ir/graph.h"

#include <functional>
#include <optional>
#include <span>

namespace aotscope::torch::ops {

/// A node being run, with its arguments as values.
struct NodeCall {
    const ir::Graph& graph;
    ir::NodeId node;
    const Values& args;
    const Keywords& kwargs;

    [[nodiscard]] const ir::Node& info() const { return graph.node(node); }
};

/// What the owner of a run adds. Every function may throw to abort the run; unset ones are not called.
struct InterpreterHooks {
    /// The value of a get_attr that is no nested graph (a parameter, a tensor constant).
    std::function<Value(const ir::Graph&, ir::NodeId)> attribute;
    /// The value of a symbol written into an argument (`s0 + 1`) rather than produced by a node.
    std::function<Value(const ir::SymExpr&)> symbol;
    /// Asked before anything else about every call; a value ends the call: higher-order operators, custom
    /// operators, breakpoints.
    std::function<std::optional<Value>(const NodeCall&)> intercept;
    /// Asked about calls that nothing here knows, before they fail.
    std::function<std::optional<Value>(const NodeCall&)> unknown;
    /// Before a node is run, placeholders included.
    std::function<void(const ir::Graph&, ir::NodeId)> before;
    /// After it; may put another value in its place.
    std::function<void(const ir::Graph&, ir::NodeId, Value&)> after;
};

/// Runs graphs as Python would run the module that FX generates from them: Dynamo's graphs (functions of
/// torch, tensor methods, Python's operators) and ATen graphs. Values are let go after their last use. Thread
/// state that a graph changes (grad mode, autocast) is put back when `run` of the outermost graph ends,
/// however it ends.
///
/// Throws RunFailure with the node's name and source line: ops.unknown_function, ops.no_overload, ops.type,
/// ops.arguments, ops.operator_failed for what LibTorch refuses; and what hooks throw.
class Interpreter {
public:
    explicit Interpreter(InterpreterHooks hooks = {}) : m_hooks(std::move(hooks)) {}

    /// Runs a frozen graph on one value per placeholder; returns what its output node returns. A nested graph
    /// is run through the same interpreter by calling this again from a hook.
    [[nodiscard]] Value run(const ir::Graph& graph, Values inputs);

    /// The calls of the graph being run; only while `run` runs.
    [[nodiscard]] Calls& calls() { return *m_calls; }

private:
    struct Frame;
    [[nodiscard]] Value runNodes(const ir::Graph& graph, Values inputs);
    [[nodiscard]] Value compute(Frame& frame, ir::NodeId id);
    [[nodiscard]] Value call(const NodeCall& call);
    [[nodiscard]] Value value(const Frame& frame, const ir::Argument& argument) const;
    [[nodiscard]] Values values(const Frame& frame, std::span<const ir::Argument> arguments) const;
    [[nodiscard]] Value attribute(const ir::Graph& graph, ir::NodeId id) const;

    InterpreterHooks m_hooks;
    Calls* m_calls = nullptr;
};

} // namespace aotscope::torch::ops
