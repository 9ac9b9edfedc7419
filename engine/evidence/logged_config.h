#pragma once

#include "evidence/log_evidence.h"

#include "aot/functorch_config.h"
#include "aot/retrace.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace aotscope::evidence {

/// The options that a file tells of a compile.
struct LoggedConfig {
    /// The file tells them; otherwise they are assumed to be the release's defaults.
    bool isLogged = false;
    /// By name, with text for aot::setOption: those of `torch._functorch.config` that the log has, and
    /// others' that differ from their defaults.
    std::map<std::string, std::string> options = {};
    /// Those of them that the backend set for its own call.
    std::set<std::string> ofBackend = {};
    /// Those of them that either the process or its backend set, which the log does not tell.
    std::set<std::string> untold = {};

    /// The configuration of a compile by the rules of `rules`: what the log has, except that options at the
    /// default of the logged release take the default of `rules`; then what a person chose. Errors: those of
    /// aot::withSettings.
    [[nodiscard]] base::Result<aot::FunctorchConfig>
    under(aot::TorchVersion release, aot::TorchVersion rules,
          std::span<const aot::ConfigSetting> chosen = {}) const;
};

/// The configuration of the compile of a Dynamo graph: AOTAutograd's record, which lacks what cannot be
/// serialized, and what the compile's metrics and Inductor's records add to it.
[[nodiscard]] LoggedConfig loggedConfig(const LogEvidence& evidence);
/// Whether the process, and not only the backend for its own call, sets `unlift_effect_tokens`: then the
/// option tells nothing of the backend. Known since torch 2.15, whose metrics hold the process's options.
[[nodiscard]] bool isUnliftingOfProcess(const LogEvidence& evidence);
/// Whether only Inductor leaves such a record.
[[nodiscard]] bool isInductorsRecord(std::string_view kind, std::string_view artifact);

/// The same for the compile of any logged graph: AOTAutograd can be called without Dynamo.
[[nodiscard]] LoggedConfig loggedConfig(const load::TraceLogPtr& log, load::CompileIndex compile,
                                        load::RecordId graph);

/// What a log shows of a compile's backend.
struct LoggedBackend {
    /// It is Inductor or imitates it, as its records or its configuration show. A log does not name any other
    /// backend.
    bool isInductor = false;
    /// Only an option that the process may have set shows it (LoggedConfig::untold).
    bool isAssumed = false;
    aot::DecompositionTable table = aot::DecompositionTable::None;
    /// It is Inductor itself, which rewrites the joint graph before it is partitioned.
    bool rewritesJointGraph = false;
    /// AOTAutograd keeps input mutations in the graph for this backend.
    bool keepsInputMutations = true;
};

/// Inductor leaves artifacts with each compile and changes a setting of AOTAutograd;
/// `aot_eager_decomp_partition` changes the same setting. For every other backend no decompositions are
/// assumed, because a log does not show them.
[[nodiscard]] LoggedBackend loggedBackend(const LogEvidence& evidence);

} // namespace aotscope::evidence
