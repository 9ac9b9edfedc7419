#pragma once

#include "aot/retrace.h"
#include "evidence/read_request.h"
#include "session/snapshots.h"

#include "base/result.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace aotscope::session {

struct RetraceOptions {
    /// Whose rules apply; nothing: those of the release that wrote the file.
    std::optional<aot::TorchVersion> torch = {};
    /// Nothing: the table that the file's compile used.
    std::optional<aot::DecompositionTable> decompositions;
    /// Whether the backend keeps input mutations in the graph (aot_autograd's keep_inference_input_mutations);
    /// nothing: as the file's compile did, as far as it shows.
    std::optional<bool> keepInputMutations = {};
    /// Options of PyTorch in place of the file's.
    std::vector<aot::ConfigSetting> config = {};
    /// Also compare source comments, descriptors and the printed text.
    bool exact = false;
    /// Also make the graphs of the stages.
    bool stages = false;
    /// Also run the traced graph and, as eager would, its program, both on generated inputs.
    bool numbers = false;
    /// Take the compile from the cache of compiled functions if it is there, and put it there otherwise. The
    /// partition of its joint graph is then cached too (session/cached_retrace.h).
    bool cache = false;
    /// Export instead of compiling. There is no logged graph to compare with then.
    std::optional<aot::ExportOptions> exported = {};
};

/// The release that wrote a log. Nothing for a file of graphs, each of which may be of another release.
[[nodiscard]] std::optional<aot::TorchVersion> madeBy(const LogSnapshot& log);

/// The request of `evidence::readRequest` with a person's options applied. `log` is the file that holds
/// `program`. `config` replaces the configuration of the program's file. Errors: those of readRequest and
/// LoggedConfig::under.
[[nodiscard]] base::Result<evidence::FoundRequest>
makeRetraceRequest(const LogSnapshot& log, const ArtifactReference& program, ir::GraphPtr graph,
                   const RetraceOptions& options, evidence::EarlierCheckpoints& checkpoints,
                   const std::stop_token& stop = {}, std::optional<evidence::LoggedConfig> config = {});

/// The global state that a compile's guards tell (evidence::compileState). Nothing: none of its records does.
[[nodiscard]] std::optional<aot::GlobalState> loggedGlobalState(const LogSnapshot& log,
                                                                const ArtifactReference& compile);

} // namespace aotscope::session
