#pragma once

#include "session/earlier_checkpoints.h"
#include "session/retrace.h"
#include "session/retrace_target.h"

#include <optional>
#include <stop_token>

namespace aotscope::session {

struct RetraceOptions {
    /// Nothing: the one that the file's compiler used.
    std::optional<DecompositionTable> decompositions;
    /// Compare source comments, descriptors and the printed text too.
    bool exact = false;
    /// Make the graphs of the stages too.
    bool stages = false;
    /// Run the traced graph beside the program, as eager runs it, on made inputs.
    bool numbers = false;
    /// Export instead of compiling for a call: no logged graph to compare with.
    std::optional<ExportOptions> exported = {};
};

/// "none", "core", "inductor"
[[nodiscard]] std::string_view decompositionTableName(DecompositionTable table);
[[nodiscard]] std::optional<DecompositionTable> decompositionTableFromName(std::string_view name);

/// What AOTAutograd was asked when `program` was compiled, from what came before it: Dynamo's graph, its
/// describe_… records and symbols. No `aot_*` record is looked at. Inputs follow
/// `_try_get_metadata_from_dynamo`: static are parameters and what belongs to a module, in the order of the
/// graph's inputs.
///
/// `log` is the file that holds `program`. Of a golden file its `example_inputs` and `aot_config` serve; of
/// a file of graphs alone the placeholders' own metadata. `checkpoints` remembers what it read of the log,
/// for whoever asks for many of its programs. Errors: retrace.inputs (the file tells of other inputs than the
/// graph has), session.open.
[[nodiscard]] base::Result<RetraceRequest>
makeRetraceRequest(const LogSnapshot& log, const ArtifactReference& program, ir::GraphPtr graph,
                   const RetraceOptions& options, EarlierCheckpoints& checkpoints,
                   const std::stop_token& stop = {});

} // namespace aotscope::session
