#pragma once

#include "session/reference.h"
#include "session/snapshots.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// A joint graph and the halves that PyTorch made of it, before saved-tensors hooks were put in.
struct LoggedPartition {
    ArtifactReference joint;
    std::optional<ArtifactReference> forward;
    std::optional<ArtifactReference> backward;
    /// "default" or "min_cut" where the file says which partitioner made the halves (golden JSON); empty: a
    /// log, where it is the compiler's (min-cut).
    std::string partitioner;
    /// The metadata that AOTAutograd logged with the halves; a golden file's is found by name. Nothing where
    /// hooks were put in: it is logged of the halves with them.
    std::optional<load::RecordId> metadata = {};
};

/// The joint graphs of a log's compile, in file order, each with the halves that follow it. `compile` is not
/// looked at for a file of graphs: there a graph "…/joint" goes with "…/partitions/NAME/fw" and "…/bw" (or
/// those under "pre_hooks"), once per NAME, and a joint graph alone stands for itself.
[[nodiscard]] std::vector<LoggedPartition>
loggedPartitions(const LogSnapshot& log, load::CompileIndex compile, const load::CompileId& id);

/// How many of a logged forward's outputs are the user's: it returns those first, then what the backward
/// takes before its tangents.
[[nodiscard]] std::size_t forwardOutputsOf(const ir::Graph& forward, const ir::Graph& backward);

/// The joint graph that a graph of the same compile belongs to: itself, the one that a forward or backward
/// graph was split from (logged or here), the one that a Dynamo graph led to. Nothing: there is none.
[[nodiscard]] std::optional<ArtifactReference> jointGraphOf(const LogSnapshot& log,
                                                            const ArtifactReference& graph);

/// Whether the name is one that graphs get which are in no file: traced or split here.
[[nodiscard]] bool isMadeHere(const ArtifactReference& graph);

} // namespace aotscope::session
