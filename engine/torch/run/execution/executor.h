#pragma once

#include "run/inputs/tensor_maker.h"
#include "run/replacements/replacements.h"
#include "run/state/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// Receives events for every node of the outermost graph, in program order. This one looks at none of them.
class NodeObserver {
public:
    NodeObserver() = default;
    NodeObserver(const NodeObserver&) = delete;
    NodeObserver& operator=(const NodeObserver&) = delete;
    virtual ~NodeObserver() = default;

    /// Called before the first node, with the values that the graph is called with. Returns the position in
    /// the graph's order to begin at. If that is not 0, the frame must have what the nodes before it have
    /// left, and the inputs are not read.
    [[nodiscard]] virtual std::size_t begun(Frame& /*frame*/, std::vector<c10::IValue>& /*inputs*/) {
        return 0;
    }
    virtual void started(ir::NodeId /*node*/) {}
    /// Called when the node's operands are gathered and checked: what follows is the node's own work.
    virtual void computing(ir::NodeId /*node*/) {}
    /// May replace the result.
    virtual void finished(ir::NodeId /*node*/, c10::IValue& /*result*/, std::int64_t /*nanoseconds*/) {}
    /// Called after the last use of a value.
    virtual void released(ir::NodeId /*node*/, const c10::IValue& /*value*/) {}
    /// Called after the last node, before the frame goes.
    virtual void ended() {}
};

/// Refuses an operator that has no kernel for the device.
[[noreturn]] void failWithoutKernel(std::string_view target, const RunPlace& place);

/// Runs the nodes of graphs in program order and releases each value after its last use. `context` must
/// outlive it.
class Executor {
public:
    explicit Executor(RunContext& context) : m_context(context) {}

    /// Runs a graph on one value per placeholder; returns the values of its output node. `observer` may be
    /// null. Throws RunFailure, c10::Error, Canceled.
    [[nodiscard]] std::vector<c10::IValue> run(const ir::Graph& graph, std::vector<c10::IValue> inputs,
                                               NodeObserver* observer = nullptr);

    /// Calls an FX target on values: an operator, a replacement for a Python operator, a Python function, or
    /// a stand-in for an unknown custom operator. `node` is the calling node.
    [[nodiscard]] c10::IValue call(std::string_view target, std::vector<c10::IValue> args,
                                   const NamedValues& kwargs, const Frame& frame, ir::NodeId node,
                                   bool areChecked = false);

    /// The value of a node that is neither placeholder nor output, from the frame's values of its inputs.
    /// `checked`: its positional arguments, if `checkedOperands` has collected them.
    [[nodiscard]] c10::IValue compute(const Frame& frame, ir::NodeId node,
                                      std::optional<std::vector<c10::IValue>> checked = std::nullopt);

    [[nodiscard]] RunContext& context() { return m_context; }

private:
    /// What an FX target is.
    struct Callee {
        bool isPython = false;
        std::optional<c10::OperatorHandle> op;
        /// Null: the operator is called.
        const Replacement* replacement = nullptr;
    };
    /// Looked up once per target.
    [[nodiscard]] const Callee& calleeOf(std::string_view target);
    /// The positional arguments of an operator's call; nothing for other nodes. Refuses what would take for
    /// ever or read beyond a tensor's end. Throws RunFailure.
    [[nodiscard]] std::optional<std::vector<c10::IValue>> checkedOperands(const Frame& frame,
                                                                          const ir::Node& node);
    [[nodiscard]] c10::IValue attribute(const Frame& frame, ir::NodeId node);
    [[nodiscard]] c10::IValue loggedConstant(const Frame& frame, ir::NodeId node);

    RunContext& m_context;
    std::map<std::string, Callee, std::less<>> m_callees;
    /// The needs of graphs that read constants, computed once per graph.
    std::map<const ir::Graph*, std::vector<ValueNeeds>> m_needs;
};

} // namespace aotscope::torch
