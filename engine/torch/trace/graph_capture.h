#pragma once

#include "trace/collect_metadata.h"
#include "trace/graph_recorder.h"

namespace aotscope::torch {

/// Where the nodes of the traced program come from. The program notes each of its own nodes as it enters it;
/// backward nodes find theirs by the autograd sequence numbers given out meanwhile.
class ProgramPosition {
public:
    /// The recorder whose nodes get the origin from now on; null: nobody.
    void attach(RecordingState* state) { m_state = state; }
    void enter(std::shared_ptr<const ir::NodeOrigin> origin);
    void leave();
    [[nodiscard]] std::shared_ptr<const ir::NodeOrigin> originOf(std::uint64_t sequenceNumber) const;

private:
    RecordingState* m_state = nullptr;
    /// First sequence number given out under each origin, ascending.
    std::vector<std::pair<std::uint64_t, std::shared_ptr<const ir::NodeOrigin>>> m_spans;
};

/// Traces forward and backward as one functional graph (`aot_dispatch_autograd_graph`).
[[nodiscard]] ir::Graph captureJointGraph(const TracedProgram& program,
                                          const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
                                          ProgramPosition& position);

/// Traces the forward alone (`aot_dispatch_base_graph`).
[[nodiscard]] ir::Graph captureInferenceGraph(const TracedProgram& program,
                                              const std::vector<TracedInput>& inputs,
                                              CollectedMetadata& metadata, ProgramPosition& position);

} // namespace aotscope::torch
