#pragma once

#include "run/executor.h"
#include "run/float64_copy.h"
#include "run/frame.h"
#include "run/reference_frame.h"

#include "ir/graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::torch {

/// Nodes of a graph in exact arithmetic, that is float64, beside a run of them. Random numbers, unwritten
/// memory and what stand-ins make are taken over from the run.
///
/// With `roundings`, a seed, they are what another correct implementation may get: each result that its dtype
/// cannot hold is rounded to one of the numbers beside it, up or down by chance, and operators that add up
/// get operands that are as much off as the adding may be.
class ExactNodes {
public:
    ExactNodes(const ir::Graph& graph, RunContext& context, std::optional<std::uint64_t> roundings);

    /// Gives a node the run's value. Values that share memory share it here too.
    void take(ir::NodeId node, const c10::IValue& made);
    /// Computes a node, whose inputs must have values, beside the run's value. Throws as Executor::compute,
    /// and run.no_float64 when it can only be computed in the run's dtypes.
    void compute(ir::NodeId node, const c10::IValue& made);
    /// Whether a node only moves or selects values of its inputs.
    [[nodiscard]] bool movesOnly(ir::NodeId node) const { return m_reference.movesOnly(node); }

    [[nodiscard]] c10::IValue& value(ir::NodeId node) { return m_frame.values[node.index()]; }
    [[nodiscard]] const Frame& frame() const { return m_frame; }

private:
    [[nodiscard]] bool readsFloats(ir::NodeId node) const;
    [[nodiscard]] std::vector<c10::IValue> operandsOf(ir::NodeId node, const c10::IValue& made, bool moves);
    [[nodiscard]] at::Tensor moved(const at::Tensor& tensor, double fraction);
    void roundLike(const c10::IValue& made, ir::NodeId node);

    const ir::Graph& m_graph;
    RunContext& m_context;
    Executor m_executor;
    ReferenceFrame m_reference;
    Frame m_frame;
    Float64Copier m_copier;
    bool m_rounds;
    at::Generator m_generator;
};

} // namespace aotscope::torch
