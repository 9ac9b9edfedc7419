#pragma once

#include "evidence/earlier_checkpoints.h"

#include "aot/retrace.h"
#include "load/trace_log.h"

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace aotscope::evidence {

/// Where the graph of a program was read: the file, and the graph's name in it.
struct ProgramPlace {
    /// Null where the file is no log, but one of graphs: text or JSON.
    load::TraceLogPtr log;
    std::filesystem::path path;
    load::CompileId compile = {};
    std::optional<std::int32_t> rank = {};
    std::string artifact;
};

/// A request, with what had to be assumed for it.
struct FoundRequest {
    aot::RetraceRequest request;
    /// Nothing tells whether gradient mode was on: it is as it is by default.
    bool isGradModeAssumed = false;
};

/// What AOTAutograd was asked when `program` was compiled, from what a LogEvidence shows of its log. Inputs
/// follow
/// `_try_get_metadata_from_dynamo` (torch/_functorch/aot_autograd.py, 2.11): static are parameters and what
/// belongs to a module, in the order of the graph's inputs.
///
/// Of a golden file its `example_inputs` and `aot_config` serve; of a file of graphs alone the placeholders'
/// own metadata. `checkpoints` remembers what it read of the log, for whoever asks for many of its programs.
/// Errors: retrace.inputs (the file tells of other inputs than the graph has), session.open.
[[nodiscard]] base::Result<FoundRequest> readRequest(const ProgramPlace& place, ir::GraphPtr program,
                                                     EarlierCheckpoints& checkpoints,
                                                     const std::stop_token& stop = {});

} // namespace aotscope::evidence
