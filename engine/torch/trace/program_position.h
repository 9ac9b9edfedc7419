#pragma once

#include "trace/graph_recorder.h"

#include <memory>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Where the nodes of the traced program come from. The program notes each of its own nodes as it enters it;
/// backward nodes find theirs by the autograd sequence numbers given out meanwhile.
class ProgramPosition {
public:
    /// The recorder whose nodes get the origin from now on; null: nobody.
    void attach(GraphRecorder* recorder) { m_recorder = recorder; }
    [[nodiscard]] GraphRecorder* recorder() const { return m_recorder; }
    /// The program begins a node of its own. `origin` is what recorded nodes get; `source` the same without
    /// the tags of activation checkpointing, for the backward.
    void enter(const ir::Node& node, std::shared_ptr<const ir::NodeOrigin> origin,
               std::shared_ptr<const ir::NodeOrigin> source);
    void leave();
    [[nodiscard]] std::shared_ptr<const ir::NodeOrigin> originOf(std::uint64_t sequenceNumber) const;
    /// The origin now, to be put back after a nested graph.
    [[nodiscard]] std::shared_ptr<const ir::NodeOrigin> recordedOrigin() const;
    void restore(std::shared_ptr<const ir::NodeOrigin> origin);
    /// Sets which half recorded nodes belong to, and gives what it was: the body of a custom backward is of
    /// neither.
    ir::PartitionerTag exchangeTag(ir::PartitionerTag tag);
    /// A value that a custom function kept as an attribute of its context, where autograd does not notice
    /// when it is changed (`saved_tensor_with_no_vc_check`).
    void noteUncheckedSave(const at::Tensor& outer);

    /// The program's node that runs; null: none, as in the backward.
    [[nodiscard]] const ir::Node* node() const { return m_node; }
    /// How many nodes the program entered so far, in all its runs.
    [[nodiscard]] std::uint64_t entered() const { return m_entered; }
    /// The source line of what is recorded now, where nothing is recorded of what runs now; null: unknown.
    [[nodiscard]] const ir::SourceLocation* source() const;

private:
    void enterSpan(std::shared_ptr<const ir::NodeOrigin> origin,
                   std::shared_ptr<const ir::NodeOrigin> source);

    GraphRecorder* m_recorder = nullptr;
    const ir::Node* m_node = nullptr;
    std::uint64_t m_entered = 0;
    /// First sequence number given out under each origin, ascending.
    std::vector<std::pair<std::uint64_t, std::shared_ptr<const ir::NodeOrigin>>> m_spans;
};

} // namespace aotscope::torch
