#include "session/explore/joint_input.h"

#include "session/log_store.h"
#include "session/logged_config.h"

#include "aot/partition_config.h"
#include "aot/versions/torch_version.h"
#include "evidence/golden_unit.h"
#include "evidence/log_evidence.h"
#include "evidence/logged_backend.h"
#include "evidence/read_request.h"
#include "ir/compare/first_difference.h"
#include "ir/text/parser.h"
#include "ir/text/sections.h"
#include "passes/static_inputs.h"

#include <algorithm>
#include <map>
#include <set>

namespace aotscope::session {
namespace {

/// The logged joint graph that belongs to this one: itself, or the one that it is a re-trace of.
std::optional<ArtifactReference> loggedJoint(const ArtifactReference& joint, const RetraceSnapshot* trace) {
    if (trace == nullptr) {
        return joint;
    }
    return trace->target.logged;
}

bool isSame(const ArtifactReference& a, const ArtifactReference& b) {
    return a.artifact == b.artifact && a.subgraph == b.subgraph;
}

/// Invalid for a graph file.
load::CompileIndex compileOf(const LogSnapshot& log, const ArtifactReference& graph) {
    return log.traceLog
               ? log.traceLog->tryFindCompile(graph.compile, graph.rank).value_or(load::CompileIndex())
               : load::CompileIndex();
}

/// The metadata logged with the halves.
std::optional<PartitionMetadata> loggedMetadata(const LogSnapshot& log, const LoggedPartition& logged) {
    if (logged.metadata) {
        return partitionMetadataFromRepr(log.traceLog->payload(*logged.metadata));
    }
    const std::size_t end = logged.joint.artifact.rfind('/');
    if (log.traceLog || logged.partitioner.empty() || end == std::string::npos) {
        return std::nullopt;
    }
    const auto unit = evidence::readGoldenUnit(log.path, logged.joint.artifact.substr(0, end));
    if (!unit || !unit->partitionMetadata.contains(logged.partitioner)) {
        return std::nullopt;
    }
    return partitionMetadataFromJson(unit->partitionMetadata.at(logged.partitioner));
}

/// The graphs of hooks in PyTorch's record, which follow each other as pack and unpack of one tensor.
std::vector<passes::InlinedHook> loggedHooks(const LogSnapshot& log, const LoggedPartition& logged) {
    constexpr std::string_view packName = "aot_saved_tensors_hooks_pack ";
    constexpr std::string_view unpackName = "aot_saved_tensors_hooks_unpack ";
    std::vector<passes::InlinedHook> found;
    if (!logged.hooks) {
        return found;
    }
    const std::string text = log.traceLog->payload(*logged.hooks);
    for (const ir::NamedGraphText& section : ir::splitGraphSections(text)) {
        const bool isPack = section.name.starts_with(packName);
        if (!isPack && !section.name.starts_with(unpackName)) {
            continue;
        }
        const std::string saved = section.name.substr((isPack ? packName : unpackName).size());
        auto graph = ir::parseGraphText(section.text);
        if (isPack) {
            found.push_back({saved, nullptr, nullptr});
        }
        if (graph && !found.empty() && found.back().saved == saved) {
            (isPack ? found.back().pack : found.back().unpack) = std::move(graph).value();
        }
    }
    return found;
}

/// Without the metadata.
base::Result<LoggedHalves> loggedHalves(const LoggedPartition& logged, const PartitionTools& tools) {
    LoggedHalves halves;
    halves.partitioner = logged.partitioner;
    const std::pair<const std::optional<ArtifactReference>*, GraphSnapshotPtr*> parts[] = {
        {&logged.forward, &halves.forward},
        {&logged.backward, &halves.backward},
        {&logged.hookedForward, &halves.hookedForward},
        {&logged.hookedBackward, &halves.hookedBackward}};
    for (const auto& [reference, graph] : parts) {
        if (*reference) {
            auto loaded = tools.graph(**reference);
            if (!loaded) {
                return std::move(loaded).error();
            }
            *graph = std::move(loaded).value();
        }
    }
    return halves;
}

base::Result<void> readLogged(JointInput& input, const ArtifactReference& joint,
                              const PartitionTools& tools) {
    const auto wanted = loggedJoint(joint, input.trace.get());
    if (!wanted) {
        return {};
    }
    const load::CompileIndex compile = compileOf(*input.log, *wanted);
    if (input.log->traceLog && !compile.valid()) {
        return {};
    }
    for (const LoggedPartition& logged : loggedPartitions(*input.log, compile, wanted->compile)) {
        if (!isSame(logged.joint, *wanted) || !logged.forward || !logged.backward) {
            continue;
        }
        auto halves = loggedHalves(logged, tools);
        if (!halves) {
            if (base::isCanceled(halves.error())) {
                return std::move(halves).error();
            }
            input.notes.push_back("The logged halves cannot be read: " + halves.error().message);
            continue;
        }
        halves->metadata = loggedMetadata(*input.log, logged);
        halves->hooks = loggedHooks(*input.log, logged);
        const GraphSnapshotPtr& backward = halves->hookedBackward ? halves->hookedBackward : halves->backward;
        std::ranges::move(compiledAutogradHooks(*input.log, tools.graph, backward->graph.get()),
                          std::back_inserter(input.runTimeHooks));
        input.logged.push_back(std::move(halves).value());
    }
    return {};
}

/// What the log shows of the backend that compiled the joint graph.
evidence::LoggedBackend backendOf(const JointInput& input, const ArtifactReference& joint) {
    const load::CompileIndex compile = compileOf(*input.log, joint);
    const auto targets = input.log->traceLog && compile.valid() ? retraceTargets(*input.log, compile)
                                                                : std::vector<RetraceTarget>();
    const auto target = std::ranges::find_if(targets, [&](const RetraceTarget& each) {
        return each.program && each.logged && isSame(*each.logged, joint);
    });
    if (target == targets.end()) {
        return {};
    }
    const auto program = input.log->traceLog->tryFindArtifact(compile, target->program->artifact);
    return program
               ? evidence::loggedBackend(evidence::LogEvidence(input.log->traceLog, compile, program->record))
               : evidence::LoggedBackend();
}

/// Inductor and `aot_eager` use the min-cut partitioner. A log does not name other backends, and those made
/// with aot_autograd() use the default partitioner unless they name one.
void readBackend(JointInput& input, const ArtifactReference& joint) {
    const auto wanted = loggedJoint(joint, input.trace.get());
    const evidence::LoggedBackend backend = wanted ? backendOf(input, *wanted) : evidence::LoggedBackend();
    input.isJointRewritten = backend.rewritesJointGraph;
    input.partitionerSource = backend.isInductor && !backend.isAssumed ? PartitionerSource::Backend
                                                                       : PartitionerSource::Assumed;
}

/// Output descriptors mark the tensors saved without a version check. The text of a joint graph does not show
/// them, so they are left out of the comparison.
ir::GraphPtr withoutOutputDescriptors(const ir::Graph& graph) {
    ir::Graph bare = graph.clone();
    if (const auto output = bare.output()) {
        bare.edit(*output).descriptors.clear();
    }
    return ir::Graph::freeze(std::move(bare));
}

/// The sources of the inputs that are parameters.
std::set<std::string, std::less<>> loggedParameters(const LogSnapshot& log, load::CompileIndex compile) {
    std::set<std::string, std::less<>> parameters;
    if (log.traceLog && compile.valid()) {
        for (load::InputTensor& input : log.traceLog->describedTensors(compile)) {
            if (input.isParameter) {
                parameters.insert(std::move(input.source));
            }
        }
    }
    return parameters;
}

/// The symbol that each input was created as, found by its source.
std::vector<std::string> inputSymbols(const load::TraceLog& log, load::CompileIndex compile,
                                      const std::vector<std::string>& sources) {
    std::map<std::string, std::string> symbols;
    for (load::TraceLog::LoggedSymbol& made : log.loggedSymbols(compile)) {
        symbols.try_emplace(std::move(made.source), std::move(made.symbol));
    }
    std::vector<std::string> names;
    for (const std::string& source : sources) {
        const auto found = symbols.find(source);
        names.push_back(found == symbols.end() ? std::string() : found->second);
    }
    return names;
}

/// AOTAutograd makes a fake tensor of a generator's state. With dynamic shapes its size becomes a symbol
/// whose source has a fixed prefix.
std::map<std::int64_t, std::string> generatorStateSymbols(const load::TraceLog& log,
                                                          load::CompileIndex compile) {
    std::map<std::int64_t, std::string> symbols;
    for (load::TraceLog::LoggedSymbol& made : log.loggedSymbols(compile)) {
        if (made.source.starts_with("__meta_utils_unknown_tensor") && made.source.ends_with(".size()[0]")) {
            symbols.emplace(made.value, std::move(made.symbol));
        }
    }
    return symbols;
}

} // namespace

std::optional<std::string> differingNode(const ir::Graph& made, const ir::Graph& logged) {
    const auto difference = ir::firstDifference(made, *withoutOutputDescriptors(logged));
    if (!difference) {
        return std::nullopt;
    }
    const auto side = [](const std::string& line) { return line.empty() ? std::string("(end)") : line; };
    return difference->what + " of node " + std::to_string(difference->position + 1) + ": made " +
           side(difference->left) + ", logged " + side(difference->right);
}

aot::RulesChoice givenRules(const GraphSnapshot& joint, const RetraceSnapshot* trace,
                            const LogSnapshot& log) {
    if (trace != nullptr && trace->rules) {
        return *trace->rules;
    }
    if (trace != nullptr && trace->result) {
        return {trace->result->configuration.torch};
    }
    if (log.traceLog) {
        return {evidence::madeBy(*log.traceLog)};
    }
    const std::string& artifact = joint.reference.artifact;
    const std::size_t end = artifact.rfind('/');
    const auto unit = artifact.starts_with("units/") && end != std::string::npos
                          ? evidence::readGoldenUnit(log.path, artifact.substr(0, end))
                          : base::Error{};
    return {unit ? unit->torch : aot::unnamedVersion()};
}

aot::FunctorchConfig givenConfig(const GraphSnapshot& joint, const RetraceSnapshot* trace,
                                 const LogSnapshot& log) {
    if (trace != nullptr && trace->result) {
        return trace->result->configuration.functorch;
    }
    const aot::RulesChoice rules = givenRules(joint, trace, log);
    auto config = loggedConfigOf(log, joint.reference).under(rules.made, rules.asked());
    // Only a person's choices can be wrong.
    return config ? std::move(config).value() : aot::defaultConfig(rules.asked());
}

passes::PartitionOptions givenOptions(const GraphSnapshot& joint, const RetraceSnapshot* trace,
                                      const LogSnapshot& log, load::CompileIndex compile) {
    passes::PartitionOptions given;
    if (trace != nullptr && trace->result) {
        given = aot::partitionOptionsOf(*trace->result);
    } else {
        aot::applyConfig(givenRules(joint, trace, log).asked(), givenConfig(joint, trace, log), given);
        given.staticInputs =
            passes::staticInputsOf(*joint.graph, joint.inputSources, loggedParameters(log, compile));
    }
    if (log.traceLog && compile.valid()) {
        given.generatorStateSymbols = generatorStateSymbols(*log.traceLog, compile);
        given.inputSymbols = inputSymbols(*log.traceLog, compile, joint.inputSources);
    }
    return given;
}

base::Result<JointInputPtr> readJointInput(const ArtifactReference& joint, const PartitionTools& tools) {
    auto graph = tools.graph(joint);
    if (!graph) {
        return std::move(graph).error();
    }
    auto input = std::make_shared<JointInput>();
    input->joint = std::move(graph).value();
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
    input->rules = givenRules(*input->joint, input->trace.get(), *input->log);
    input->config = givenConfig(*input->joint, input->trace.get(), *input->log);
    input->given =
        givenOptions(*input->joint, input->trace.get(), *input->log, compileOf(*input->log, joint));
    readBackend(*input, joint);
    // Only compared and shown: nothing that is made here depends on it.
    if (auto read = readLogged(*input, joint, tools); !read) {
        return std::move(read).error();
    }
    return JointInputPtr(std::move(input));
}

} // namespace aotscope::session
