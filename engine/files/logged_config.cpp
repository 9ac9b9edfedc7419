#include "files/logged_config.h"

#include "evidence/golden_unit.h"
#include "evidence/read_request.h"

#include <utility>

namespace aotscope::session {

std::optional<aot::GlobalState> loggedGlobalState(const LogSnapshot& log, const ArtifactReference& compile) {
    return log.traceLog() ? evidence::compileState(log.traceLog(), compile.compile, compile.rank)
                          : std::nullopt;
}

std::optional<evidence::LogEvidence> evidenceOf(const LogSnapshot& log, const ArtifactReference& program) {
    const auto compile = log.traceLog() ? log.tryFindCompile(program) : std::nullopt;
    const load::Artifact* graph = compile ? log.artifacts(*compile).tryFind(program.artifact) : nullptr;
    return graph == nullptr ? std::nullopt
                            : std::optional(evidence::LogEvidence(log.traceLog(), *compile, graph->record));
}

evidence::LoggedConfig loggedConfigOf(const LogSnapshot& log, const ArtifactReference& graph) {
    if (log.traceLog()) {
        const auto compile = log.tryFindCompile(graph);
        const load::Artifact* artifact = compile ? log.artifacts(*compile).tryFind(graph.artifact) : nullptr;
        return artifact == nullptr ? evidence::LoggedConfig()
                                   : evidence::loggedConfig(log.traceLog(), *compile, artifact->record);
    }
    const std::size_t end = graph.artifact.rfind('/');
    evidence::LoggedConfig found;
    if (graph.artifact.starts_with("units/") && end != std::string::npos) {
        if (auto unit = evidence::readGoldenUnit(log.path, graph.artifact.substr(0, end))) {
            found.options = std::move(unit->options);
        }
    }
    return found;
}

CompileOptions compileOptionsOf(const LogSnapshot& log, const ArtifactReference& graph) {
    CompileOptions options;
    options.logged = loggedConfigOf(log, graph);
    options.isLogged = options.logged.isLogged;
    options.state = loggedGlobalState(log, graph);
    if (log.traceLog()) {
        options.release = evidence::madeBy(*log.traceLog());
    }
    options.config = options.under(options.release);
    return options;
}

aot::FunctorchConfig CompileOptions::under(aot::TorchVersion rules) const {
    auto found = logged.under(release, rules);
    return found ? std::move(found).value() : aot::defaultConfig(rules);
}

} // namespace aotscope::session
