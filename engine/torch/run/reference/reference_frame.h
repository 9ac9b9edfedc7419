#pragma once

#include "run/execution/executor.h"
#include "run/state/float64_copy.h"

#include "passes/op_facts.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// The result of a node in float64.
struct ExactValue {
    c10::IValue value;
    /// Why it was computed in the run's dtypes instead, or taken over from the run; empty: it was not.
    std::string instead;
    /// Whether it is the run's own value, so that comparing says nothing.
    bool isTakenOver = false;
};

/// Computes single nodes of the reference graph in float64. What has no float64 kernel is computed in the
/// run's dtypes and copied to float64; random numbers and uninitialized memory are taken over from the run.
/// The graph and the executor must outlive it.
class ReferenceFrame {
public:
    ReferenceFrame(const ir::Graph& graph, Executor& executor);

    /// The node's value from these values of its inputs, by node index. `own` holds the run's values of the
    /// same inputs, or nothing where the run has none; `computed` is the run's result, if there is one.
    [[nodiscard]] ExactValue compute(ir::NodeId node, const std::vector<c10::IValue>& inputs,
                                     const std::vector<c10::IValue>& own, const c10::IValue* computed);
    /// Whether the node only moves or selects values of its inputs.
    [[nodiscard]] bool movesOnly(ir::NodeId node) const;
    /// Whether the node's result can't be computed a second time.
    [[nodiscard]] std::string whyTakenOver(ir::NodeId node) const;
    /// The node's value in the dtypes that its inputs have.
    [[nodiscard]] c10::IValue computeAsIs(ir::NodeId node, const std::vector<c10::IValue>& inputs);

private:
    const ir::Graph& m_graph;
    Executor& m_executor;
    passes::NodeFlags m_flags;
};

} // namespace aotscope::torch
