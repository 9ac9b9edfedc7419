#pragma once

#include "trace/graph_recorder.h"

#include <memory>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// The current position in the traced program, as origin for recorded nodes. The program reports each node
/// that it enters. Backward nodes find their origin by the autograd sequence numbers assigned while the
/// forward node ran. Follows torch 2.11, torch/_functorch/_aot_autograd/utils.py:
/// copy_fwd_metadata_to_bw_nodes.
class ProgramPosition {
public:
    /// Sets the recorder whose nodes get the origin; null: none.
    void attach(GraphRecorder* recorder) { m_recorder = recorder; }
    [[nodiscard]] GraphRecorder* recorder() const { return m_recorder; }
    /// Enters a node of the program. `origin` is for nodes recorded in the forward; `source`, without the
    /// tags of activation checkpointing, for backward nodes.
    void enter(const ir::Node& node, std::shared_ptr<const ir::NodeOrigin> origin,
               std::shared_ptr<const ir::NodeOrigin> source);
    void leave();
    [[nodiscard]] std::shared_ptr<const ir::NodeOrigin> originOf(std::uint64_t sequenceNumber) const;
    /// The current origin, to be restored after a nested graph.
    [[nodiscard]] std::shared_ptr<const ir::NodeOrigin> recordedOrigin() const;
    void restore(std::shared_ptr<const ir::NodeOrigin> origin);
    /// Sets the partitioner tag of recorded nodes and returns the previous one. The body of a custom backward
    /// has none.
    ir::PartitionerTag exchangeTag(ir::PartitionerTag tag);
    /// Marks a tensor that a custom function saved as an attribute of its context, without a version counter
    /// check (`saved_tensor_with_no_vc_check`).
    void noteUncheckedSave(const at::Tensor& outer);

    /// The running node of the program; null outside one, as in the backward.
    [[nodiscard]] const ir::Node* node() const { return m_node; }
    /// The number of nodes entered so far, in all runs of the program.
    [[nodiscard]] std::uint64_t entered() const { return m_entered; }
    /// The source line of the nodes being recorded, without a recorder that of the running node; null:
    /// unknown.
    [[nodiscard]] const ir::SourceLocation* source() const;

private:
    void enterSpan(std::shared_ptr<const ir::NodeOrigin> origin,
                   std::shared_ptr<const ir::NodeOrigin> source);

    GraphRecorder* m_recorder = nullptr;
    const ir::Node* m_node = nullptr;
    std::uint64_t m_entered = 0;
    /// The first sequence number assigned under each origin, ascending.
    std::vector<std::pair<std::uint64_t, std::shared_ptr<const ir::NodeOrigin>>> m_spans;
};

} // namespace aotscope::torch
