#pragma once

#include "ops/calls.h"

#include "ir/graph.h"

#include <functional>
#include <optional>
#include <span>

namespace aotscope::torch::ops {

/// A node that is being run, with the values of its arguments.
struct NodeCall {
    const ir::Graph& graph;
    ir::NodeId node;
    const Values& args;
    const Keywords& kwargs;

    [[nodiscard]] const ir::Node& info() const { return graph.node(node); }
};

/// Whether a call_function target is `call_aot_bwd_prologue`, the prologue of an AOTAutograd backward in a
/// graph of compiled autograd.
[[nodiscard]] bool isBackwardPrologue(std::string_view target);

/// `call_aot_bwd_prologue(saved tensors, symints, opaque objects, *gradients)`, since torch 2.15 with the
/// gradients in a tuple: the list of inputs of the compiled backward. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py: _backward_prologue_functional.
///
/// PyTorch reads from the forward's metadata which gradients to drop (outputs that are views or need no
/// gradient). The graph does not hold that metadata, so a gradient is kept when its dtype and sizes match the
/// `getitem` node at its position. A gradient in another memory format than the traced tangent is copied to
/// the traced format. Throws RunFailure (ops.arguments).
[[nodiscard]] Value backwardPrologue(const NodeCall& call);

/// Callbacks of the owner of a run. Each may throw to abort the run; unset ones are skipped.
struct InterpreterHooks {
    /// The value of a get_attr node that is not a nested graph (a parameter, a tensor constant).
    std::function<Value(const ir::Graph&, ir::NodeId)> attribute;
    /// The value of a symbol written into an argument (`s0 + 1`) rather than produced by a node.
    std::function<Value(const ir::SymExpr&)> symbol;
    /// Called first for every call node. A returned value becomes the result of the call. For higher-order
    /// operators, custom operators and breakpoints.
    std::function<std::optional<Value>(const NodeCall&)> intercept;
    /// Called before each node, placeholders included.
    std::function<void(const ir::Graph&, ir::NodeId)> before;
};

/// Runs graphs as Python runs the module that FX generates from them: Dynamo's graphs (functions of torch,
/// tensor methods, Python's operators) and ATen graphs. Follows torch 2.11, torch/fx/interpreter.py:
/// Interpreter. A value is released after its last use. Thread state that a graph changes (grad mode,
/// autocast) is restored when `run` of the outermost graph returns or throws.
///
/// Throws RunFailure with the node's name and source line: ops.unknown_function, ops.no_overload, ops.type,
/// ops.arguments, or ops.operator_failed for an error of LibTorch. Exceptions of hooks pass through.
class Interpreter {
public:
    explicit Interpreter(const aot::TraceRules& rules, InterpreterHooks hooks = {})
        : m_rules(rules), m_hooks(std::move(hooks)) {}

    /// Runs a graph on one value per placeholder; returns the value of its output node. A hook may
    /// call this again to run a nested graph.
    [[nodiscard]] Value run(const ir::Graph& graph, Values inputs);

private:
    struct Frame;
    [[nodiscard]] Value runNodes(const ir::Graph& graph, Values inputs);
    [[nodiscard]] Value compute(Frame& frame, ir::NodeId id);
    [[nodiscard]] Value call(const NodeCall& call);
    [[nodiscard]] Value value(const Frame& frame, const ir::Argument& argument) const;
    [[nodiscard]] Values values(const Frame& frame, std::span<const ir::Argument> arguments) const;
    [[nodiscard]] Value attribute(const ir::Graph& graph, ir::NodeId id) const;

    aot::TraceRules m_rules;
    InterpreterHooks m_hooks;
    Calls* m_calls = nullptr;
};

} // namespace aotscope::torch::ops
