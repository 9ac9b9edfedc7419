#pragma once

#include "evidence/earlier_checkpoints.h"
#include "evidence/logged_config.h"

#include "aot/retrace.h"
#include "aot/versions/torch_version.h"
#include "load/trace_log.h"

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace aotscope::evidence {

/// Where a program's graph was read: the file, and the graph's name in it.
struct ProgramPlace {
    /// Null if the file holds graphs alone (text or JSON) and is not a log.
    load::TraceLogPtr log;
    std::filesystem::path path;
    load::CompileId compile = {};
    std::optional<std::int32_t> rank = {};
    std::string artifact;
};

/// A request, and what had to be assumed for it.
struct FoundRequest {
    aot::RetraceRequest request;
    /// The release that wrote the program; the request may follow another one's rules.
    aot::TorchVersion release = aot::unnamedVersion();
    /// Nothing shows whether grad mode was on, so the request has the default.
    bool isGradModeAssumed = false;
    /// What the file says of the options; the request has the values that they had in that release.
    LoggedConfig config = {};
};

/// The release that wrote a log, as far as it was read.
[[nodiscard]] aot::TorchVersion madeBy(const load::TraceLog& log);

/// The request that AOTAutograd got for `program`, rebuilt from the records that LogEvidence allows.
/// Parameters and tensors that belong to a module are static, in the order of the graph's inputs; follows
/// torch 2.11, torch/_functorch/_aot_autograd/frontend_utils.py: _try_get_metadata_from_dynamo.
///
/// For a golden file `example_inputs` and `aot_config` are used, for a file of graphs alone the placeholders'
/// metadata. `checkpoints` keeps what it read of the log; pass the same one for all programs of a log.
/// Errors: retrace.inputs (the file describes other inputs than the graph has), session.open.
[[nodiscard]] base::Result<FoundRequest> readRequest(const ProgramPlace& place, ir::GraphPtr program,
                                                     EarlierCheckpoints& checkpoints,
                                                     const std::stop_token& stop = {});

} // namespace aotscope::evidence
