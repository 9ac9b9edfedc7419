#pragma once

#include "contract/snapshots.h"
#include "evidence/log_evidence.h"
#include "evidence/logged_config.h"

#include "aot/global_state.h"
#include "aot/versions/versions.h"

#include <optional>

namespace aotscope::session {

/// What a re-trace of a Dynamo graph may use of its log; nothing for another kind of file, or a graph that
/// the log does not have.
[[nodiscard]] std::optional<evidence::LogEvidence> evidenceOf(const LogSnapshot& log,
                                                              const ArtifactReference& program);
/// The options that a file has for the compile that one of its graphs belongs to.
[[nodiscard]] evidence::LoggedConfig loggedConfigOf(const LogSnapshot& log, const ArtifactReference& graph);

/// The options of PyTorch during a compile.
struct CompileOptions {
    /// The release whose defaults hold where the file tells nothing.
    aot::TorchVersion release = aot::unnamedVersion();
    /// The file tells them; otherwise they are the release's defaults.
    bool isLogged = false;
    aot::FunctorchConfig config = {};
    /// What the log's guards say of the process; nothing: no guard depends on it.
    std::optional<aot::GlobalState> state = {};
    /// What the file tells by itself.
    evidence::LoggedConfig logged = {};

    /// The options of a compile by the rules of a release: those at the default of `release` take its
    /// default.
    [[nodiscard]] aot::FunctorchConfig under(aot::TorchVersion rules) const;
};
/// The options of the compile that a graph of a trace log, or of a graph file, belongs to.
[[nodiscard]] CompileOptions compileOptionsOf(const LogSnapshot& log, const ArtifactReference& graph);

/// The global state that a compile's guards tell (evidence::compileState). Nothing: none of its records does.
[[nodiscard]] std::optional<aot::GlobalState> loggedGlobalState(const LogSnapshot& log,
                                                                const ArtifactReference& compile);

} // namespace aotscope::session
