#pragma once

#include "contract/retrace_options.h"
#include "contract/retrace_snapshot.h"
#include "contract/snapshots.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

/// Differences that may come from what a file does not say: they are not comparable instead.
namespace aotscope::judge {

/// What looking for the reason of a difference needs.
struct DoubtTools {
    /// The file with the program; null if it is unknown.
    session::LogSnapshotPtr source;
    /// Compiles the same function once more, with other options.
    std::function<session::RetraceSnapshot(const session::RetraceOptions&)> compile;
    std::stop_token stop = {};
};

/// The operators or the table that a trace decomposed, as `--decompositions` takes them.
[[nodiscard]] std::string decompositionsText(aot::DecompositionTable table,
                                             const std::vector<std::string>& operators);

/// Drops the differences of the metadata, which becomes one that is not compared.
void leaveMetadataOut(session::RetraceSnapshot& snapshot);

/// Where LibTorch of another release than the rules' traced what differs: a note says so, and the difference
/// is not comparable if LibTorch computes an operator that was called, or its gradient, otherwise. Called for
/// the graphs, and once more when the metadata is compared.
void doubtLibTorch(session::RetraceSnapshot& snapshot);

/// Takes back a difference if another backend than the assumed one makes the logged graph and metadata, or
/// another function of a name that Dynamo's graph has for several, or if inputs of a graph file share memory.
void doubtDifference(session::RetraceSnapshot& snapshot, const session::RetraceOptions& options,
                     const DoubtTools& tools);

} // namespace aotscope::judge
