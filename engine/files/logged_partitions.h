#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"

#include "passes/partition.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// A joint graph and PyTorch's forward and backward of it, before saved-tensors hooks were inlined. Follows
/// what torch 2.11 logs in torch/_functorch/_aot_autograd/graph_compile.py: _log_joint_graph,
/// _log_fw_bw_graphs and maybe_inline_graph_saved_tensors_hooks.
struct LoggedPartition {
    ArtifactReference joint;
    std::optional<ArtifactReference> forward = {};
    std::optional<ArtifactReference> backward = {};
    /// The halves with hooks inlined, which are those that ran; nothing if there were no hooks.
    std::optional<ArtifactReference> hookedForward = {};
    std::optional<ArtifactReference> hookedBackward = {};
    /// "default" or "min_cut" if the file names the partitioner (golden JSON); empty for a log.
    std::string partitioner = {};
    /// The metadata logged with the halves that ran; in a golden file it is found by name.
    std::optional<load::RecordId> metadata = {};
    /// The record of inlined hooks, which has each pack and unpack graph.
    std::optional<load::RecordId> hooks = {};

    /// With hooks, if PyTorch inlined any. Only where the halves are logged.
    [[nodiscard]] const ArtifactReference& forwardThatRan() const {
        return hookedForward ? *hookedForward : *forward;
    }
    [[nodiscard]] const ArtifactReference& backwardThatRan() const {
        return hookedBackward ? *hookedBackward : *backward;
    }
};

/// The joint graphs of a compile in file order, each with the halves that follow it. A graph file has no
/// compiles and ignores `compile`: there "…/joint" belongs to "…/partitions/NAME/fw" and "…/bw" (or those in
/// "pre_hooks"), once per NAME, and a joint graph without halves is listed alone.
[[nodiscard]] std::vector<LoggedPartition>
loggedPartitions(const LogSnapshot& log, load::CompileIndex compile, const load::CompileId& id);

/// How many outputs of a logged forward belong to the user: the forward returns these first, then the values
/// that the backward takes before its tangents.
[[nodiscard]] std::size_t forwardOutputsOf(const ir::Graph& forward, const ir::Graph& backward);

/// The symbols that a compile's log has for the sizes of generators' states.
[[nodiscard]] passes::StateSymbols
loggedStateSymbols(const std::vector<load::TraceLog::LoggedSymbol>& logged);

/// The joint graph that a graph of the same compile belongs to: itself, the one that a forward or backward is
/// a half of (from the log or from here), or the one that a Dynamo graph was compiled to. Nothing: there is
/// none.
[[nodiscard]] std::optional<ArtifactReference> jointGraphOf(const LogSnapshot& log,
                                                            const ArtifactReference& graph);

/// Whether the name belongs to a graph that was traced or partitioned here and is in no file.
[[nodiscard]] bool isMadeHere(const ArtifactReference& graph);

/// The partitioned graphs as the backend compiles them, with the strides of their real inputs, in file order
/// and before the compile's next joint graph. Follows torch 2.11, torch/_inductor/compile_fx.py: the artifact
/// before_post_grad_graph, one per half.
[[nodiscard]] std::vector<ArtifactReference> compiledGraphs(const LogSnapshot& log,
                                                            const ArtifactReference& joint);

} // namespace aotscope::session
