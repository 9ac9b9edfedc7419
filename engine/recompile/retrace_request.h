#pragma once

#include "contract/retrace_options.h"
#include "contract/snapshots.h"

#include "evidence/read_request.h"

#include "base/result.h"

#include <optional>
#include <stop_token>

namespace aotscope::session {

/// The release that wrote a log. Nothing for a file of graphs, each of which may be of another release.
[[nodiscard]] std::optional<aot::TorchVersion> madeBy(const LogSnapshot& log);

/// The request of `evidence::readRequest` with a person's options applied. `log` is the file that holds
/// `program`. `config` replaces the configuration of the program's file. Errors: those of readRequest and
/// LoggedConfig::under.
[[nodiscard]] base::Result<evidence::FoundRequest>
makeRetraceRequest(const LogSnapshot& log, const ArtifactReference& program, ir::GraphPtr graph,
                   const RetraceOptions& options, evidence::EarlierCheckpoints& checkpoints,
                   const std::stop_token& stop = {}, std::optional<evidence::LoggedConfig> config = {});

} // namespace aotscope::session
