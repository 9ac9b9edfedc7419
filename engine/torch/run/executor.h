#pragma once

#include "run/frame.h"
#include "run/tensor_maker.h"

#include <cstdint>
#include <exception>
#include <map>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// Told of every node of the outermost graph, in program order.
class NodeObserver {
public:
    NodeObserver() = default;
    NodeObserver(const NodeObserver&) = delete;
    NodeObserver& operator=(const NodeObserver&) = delete;
    virtual ~NodeObserver() = default;

    virtual void started(ir::NodeId node) = 0;
    /// May put another value in place of the result.
    virtual void finished(ir::NodeId node, c10::IValue& result, std::int64_t nanoseconds) = 0;
    /// The value's last use is over.
    virtual void released(ir::NodeId node, const c10::IValue& value) = 0;
};

/// Runs the nodes of graphs in program order and lets go of each value after its last use.
class Executor {
public:
    explicit Executor(RunContext& context) : m_context(context) {}

    /// Runs a graph on values for its placeholders; returns what its output node lists. Failures are thrown:
    /// RunFailure, c10::Error, Canceled.
    [[nodiscard]] std::vector<c10::IValue> run(const ir::Graph& graph, std::vector<c10::IValue> inputs,
                                               NodeObserver* observer = nullptr);

    /// Calls what an FX target names with values at hand: an operator, a stand-in for one written in Python,
    /// or a Python function. `node` is the node that wants it.
    [[nodiscard]] c10::IValue call(std::string_view target, std::vector<c10::IValue> args,
                                   const NamedValues& kwargs, const Frame& frame, ir::NodeId node);

    [[nodiscard]] RunContext& context() { return m_context; }

private:
    [[nodiscard]] c10::IValue compute(const Frame& frame, ir::NodeId node);
    [[nodiscard]] c10::IValue attribute(const Frame& frame, ir::NodeId node);
    void release(Frame& frame, ir::NodeId node, NodeObserver* observer);

    RunContext& m_context;
    /// Of graphs that read constants.
    std::map<const ir::Graph*, std::vector<ValueNeeds>> m_needs;
};

} // namespace aotscope::torch
