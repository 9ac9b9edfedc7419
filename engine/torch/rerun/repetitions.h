#pragma once

#include "rerun/prepared_call.h"
#include "rerun/region_values.h"

#include "contract/rerun_request.h"

#include <cstdint>
#include <vector>

namespace aotscope::torch {

/// The calls of a region's nodes on inputs of their own, ready to be repeated.
class Repetitions {
public:
    /// `graph` has the region's nodes, perhaps with other arguments than in the run; `values` has the inputs.
    /// Runs the nodes once. All references must outlive it. Throws as Executor::compute, with the node's
    /// name.
    Repetitions(const ir::Graph& graph, const session::RerunRegion& region, const RegionValues& values,
                RunContext& context);

    /// The nodes' values after the last repetition, in the order of RerunRegion::outputs.
    [[nodiscard]] std::vector<c10::IValue> outputs() const;
    /// Whether the tensors of an input are put back before each repetition, by position in
    /// RerunRegion::inputs.
    [[nodiscard]] bool isRestored(std::size_t input) const;

    /// Times of the repetitions that count, in nanoseconds. Throws also Canceled.
    [[nodiscard]] std::vector<std::int64_t> measure(const session::RerunSettings& settings);
    /// The median time of the same loop without the operators.
    [[nodiscard]] double overhead() const { return m_overhead; }

    /// Whether a call converts its arguments anew at each repetition.
    [[nodiscard]] bool hasGeneralCalls() const;

private:
    struct Restored {
        at::Tensor working;
        at::Tensor original;
    };
    void takeInputs();
    void measureOverhead();
    void runFirst();
    void restore();
    void callAll();
    void layOutAgain(ir::NodeId node);

    const ir::Graph& m_graph;
    const session::RerunRegion& m_region;
    const RegionValues& m_values;
    RunContext& m_context;
    Executor m_executor;
    Frame m_frame;
    std::vector<PreparedCall> m_calls;
    /// By position in the region, the values that are not needed after that node.
    std::vector<std::vector<ir::NodeId>> m_lastUses;
    std::vector<Restored> m_restored;
    ir::NodeId m_current;
    double m_overhead = 0;
};

} // namespace aotscope::torch
