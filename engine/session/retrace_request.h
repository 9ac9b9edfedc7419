#pragma once

#include "aot/retrace.h"
#include "evidence/read_request.h"
#include "session/snapshots.h"

#include "base/result.h"

#include <optional>
#include <stop_token>

namespace aotscope::session {

struct RetraceOptions {
    /// Nothing: the one that the file's compiler used.
    std::optional<aot::DecompositionTable> decompositions;
    /// Compare source comments, descriptors and the printed text too.
    bool exact = false;
    /// Make the graphs of the stages too.
    bool stages = false;
    /// Run the traced graph beside the program, as eager runs it, on made inputs.
    bool numbers = false;
    /// Export instead of compiling for a call: no logged graph to compare with.
    std::optional<aot::ExportOptions> exported = {};
};

/// The request that `evidence::readRequest` reads, with a person's options. `log` is the file that holds
/// `program`. Errors: as there.
[[nodiscard]] base::Result<evidence::FoundRequest>
makeRetraceRequest(const LogSnapshot& log, const ArtifactReference& program, ir::GraphPtr graph,
                   const RetraceOptions& options, evidence::EarlierCheckpoints& checkpoints,
                   const std::stop_token& stop = {});

} // namespace aotscope::session
