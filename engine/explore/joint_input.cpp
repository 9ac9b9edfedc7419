#include "explore/joint_input.h"

#include "contract/errors.h"
#include "explore/compiled_autograd_hooks.h"
#include "files/logged_config.h"
#include "files/logged_partitions.h"
#include "files/retrace_targets.h"

#include "aot/partition_config.h"
#include "aot/versions/torch_version.h"
#include "evidence/golden_unit.h"
#include "evidence/log_evidence.h"
#include "evidence/logged_config.h"
#include "evidence/read_request.h"
#include "passes/static_inputs.h"

#include <algorithm>
#include <map>
#include <set>

namespace aotscope::session {
namespace {

using LoggedSymbols = std::vector<load::TraceLog::LoggedSymbol>;

/// The logged joint graph that belongs to this one: itself, or the one that it is a re-trace of.
std::optional<ArtifactReference> loggedJoint(const ArtifactReference& joint, const RetraceSnapshot* trace) {
    return trace == nullptr ? std::optional(joint) : trace->target.logged;
}

bool isSame(const ArtifactReference& a, const ArtifactReference& b) {
    return a.artifact == b.artifact && a.subgraph == b.subgraph;
}

/// What a trace of the target's program may read of the log. Nothing: the program is in no log, or in
/// another.
std::optional<evidence::LogEvidence> evidenceOf(const RetraceTarget& target, const LogSnapshot& log) {
    return target.program && target.program->log == log.log ? evidenceOf(log, *target.program) : std::nullopt;
}

/// The same for the program that the joint graph was traced from, here or by PyTorch.
std::optional<evidence::LogEvidence> evidenceOf(const JointInput& input, const ArtifactReference& joint) {
    if (input.trace) {
        if (auto own = evidenceOf(input.trace->target, *input.log)) {
            return own;
        }
    }
    const auto wanted = loggedJoint(joint, input.trace.get());
    const auto targets = wanted ? retraceTargets(*input.log, *wanted) : std::vector<RetraceTarget>();
    const auto target = std::ranges::find_if(
        targets, [&](const RetraceTarget& each) { return each.logged && isSame(*each.logged, *wanted); });
    return target == targets.end() ? std::nullopt : evidenceOf(*target, *input.log);
}

/// Inductor and `aot_eager` use the min-cut partitioner. A log does not name other backends; those of
/// aot_autograd() use the default partitioner unless they name one.
void readBackend(JointInput& input, const ArtifactReference& joint) {
    const auto shown = evidenceOf(input, joint);
    const evidence::LoggedBackend backend =
        shown ? evidence::loggedBackend(*shown) : evidence::LoggedBackend();
    input.isJointRewritten = backend.rewritesJointGraph;
    input.partitionerSource =
        backend.isInductor && !backend.isAssumed ? PartitionerSource::Backend : PartitionerSource::Assumed;
}

/// What PyTorch logged of the joint graph.
base::Result<void> readLogged(JointInput& input, const ArtifactReference& joint,
                              const PartitionTools& tools) {
    const auto wanted = loggedJoint(joint, input.trace.get());
    if (!wanted) {
        return {};
    }
    AOTSCOPE_TRY(answers, judge::readAnswers(*input.log, *wanted, tools.graph));
    input.answers = std::move(answers);
    for (const judge::LoggedAnswerPtr& halves : input.answers.halves) {
        std::ranges::move(compiledAutogradHooks(*input.log, tools.graph, &judge::backwardThatRan(*halves)),
                          std::back_inserter(input.runTimeHooks));
    }
    return {};
}

/// The sources of the inputs that are parameters.
std::set<std::string, std::less<>> loggedParameters(const load::TraceLog& log, load::CompileIndex compile) {
    std::set<std::string, std::less<>> parameters;
    for (load::InputTensor& input : log.describedTensors(compile)) {
        if (input.isParameter) {
            parameters.insert(std::move(input.source));
        }
    }
    return parameters;
}

/// The symbol that each input was created as, found by its source.
std::vector<std::string> inputSymbols(const LoggedSymbols& logged, const std::vector<std::string>& sources) {
    std::map<std::string, std::string> symbols;
    for (const load::TraceLog::LoggedSymbol& made : logged) {
        symbols.try_emplace(made.source, made.symbol);
    }
    std::vector<std::string> names;
    for (const std::string& source : sources) {
        const auto found = symbols.find(source);
        names.push_back(found == symbols.end() ? std::string() : found->second);
    }
    return names;
}

/// Under Dynamo the size of a generator's state is a symbol too. PyTorch's name for it depends on how many
/// tensors there were until then, which no earlier record shows. So it has a name that no other symbol of the
/// graph has; PyTorch's own have numbers below 100, unless many are taken.
passes::StateSymbols newStateSymbols(const ir::Graph& joint) {
    const std::vector<std::string> taken = joint.symbols();
    passes::StateSymbols symbols;
    std::size_t number = 100;
    for (const std::int64_t bytes : {passes::cpuStateBytes, passes::cudaStateBytes}) {
        std::string symbol;
        do {
            symbol = "s" + std::to_string(number++);
        } while (std::ranges::find(taken, symbol) != taken.end());
        symbols.emplace(bytes, std::move(symbol));
    }
    return symbols;
}

/// What a golden file says of the unit that a logged joint graph belongs to.
std::optional<evidence::GoldenUnit> goldenUnitOf(const GraphSnapshot& joint, const LogSnapshot& log) {
    const std::string& artifact = joint.reference.artifact;
    const std::size_t end = artifact.rfind('/');
    if (log.traceLog() || !artifact.starts_with("units/") || end == std::string::npos) {
        return std::nullopt;
    }
    auto unit = evidence::readGoldenUnit(log.path, artifact.substr(0, end));
    return unit ? std::optional(std::move(unit).value()) : std::nullopt;
}

} // namespace

GivenSplit givenSplit(const GraphSnapshot& joint, const RetraceSnapshot* trace, const LogSnapshot& log) {
    const bool isMadeHere = trace != nullptr && trace->result;
    const auto unit = isMadeHere ? std::nullopt : goldenUnitOf(joint, log);
    GivenSplit given;
    given.rules = trace != nullptr && trace->rules ? *trace->rules
                  : isMadeHere     ? aot::RulesChoice{trace->result->function.configuration.torch}
                  : log.traceLog() ? aot::RulesChoice{evidence::madeBy(*log.traceLog())}
                                   : aot::RulesChoice{unit ? unit->torch : aot::unnamedVersion()};
    const aot::TorchVersion release = given.rules.release();
    if (isMadeHere) {
        given.config = trace->result->function.configuration.functorch;
        given.options = aot::partitionOptionsOf(trace->result->function);
    } else {
        auto config = loggedConfigOf(log, joint.reference).under(given.rules.logged, release);
        // Only a person's choices can be wrong.
        given.config = config ? std::move(config).value() : aot::defaultConfig(release);
        aot::applyConfig(release, given.config, given.options);
    }
    std::set<std::string, std::less<>> parameters;
    const auto compile =
        trace == nullptr && log.traceLog() ? log.tryFindCompile(joint.reference) : std::nullopt;
    if (const auto shown = trace != nullptr ? evidenceOf(trace->target, log) : std::nullopt) {
        given.options.inputSymbols = inputSymbols(shown->loggedSymbols(), joint.inputSources);
        given.options.generatorStateSymbols = newStateSymbols(*joint.graph);
    } else if (compile) {
        const LoggedSymbols symbols = log.traceLog()->loggedSymbols(*compile);
        given.options.inputSymbols = inputSymbols(symbols, joint.inputSources);
        given.options.generatorStateSymbols = loggedStateSymbols(symbols);
        parameters = loggedParameters(*log.traceLog(), *compile);
    }
    if (!isMadeHere) {
        given.options.staticInputs =
            unit && unit->staticInputs ? *unit->staticInputs
                                       : passes::staticInputsOf(*joint.graph, joint.inputSources, parameters);
    }
    return given;
}

base::Result<JointInputPtr> readJointInput(const ArtifactReference& joint, const PartitionTools& tools) {
    AOTSCOPE_TRY(graph, tools.graph(joint));
    auto input = std::make_shared<JointInput>();
    input->joint = std::move(graph);
    // A graph that no tangent reaches is recognized as a joint graph only by its name.
    if (!input->joint->joint && joint.artifact.find("joint") == std::string::npos) {
        return base::Error{.code = "session.not_joint",
                           .message = "\"" + joint.artifact + "\" of compile " + idText(joint) +
                                      " is not a joint graph; only joint graphs can be split.",
                           .hint = "A compile has one when an input needs a gradient."};
    }
    input->log = tools.log(joint.log);
    if (!input->log) {
        return noSuchLog(joint.log);
    }
    input->trace = tools.trace(joint);
    GivenSplit given = givenSplit(*input->joint, input->trace.get(), *input->log);
    input->rules = given.rules;
    input->config = std::move(given.config);
    input->given = std::move(given.options);
    readBackend(*input, joint);
    // Only compared and shown: how the graph is split does not depend on it.
    AOTSCOPE_CHECK(readLogged(*input, joint, tools));
    return JointInputPtr(std::move(input));
}

} // namespace aotscope::session
