#include "judge/doubted_difference.h"

#include "judge/decomposed_operators.h"

#include "aot/versions/versions.h"
#include "ir/descriptor.h"
#include "ir/fx_names.h"
#include "ir/graph.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include "base/joined.h"
#include "base/text_search.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::judge {
namespace {

using session::LogSnapshotPtr;
using session::RetraceOptions;
using session::RetraceSnapshot;

/// A log shows the decompositions of Inductor alone; another backend is assumed to be `aot_eager`, which has
/// none and keeps input mutations in the graph.
bool isBackendAssumed(const RetraceSnapshot& snapshot, const RetraceOptions& options,
                      const LogSnapshotPtr& source) {
    return !options.decompositions && !options.keepInputMutations && source && source->traceLog() &&
           snapshot.decompositions == aot::DecompositionTable::None;
}

bool isWhollyEqual(const RetraceSnapshot& snapshot) {
    return snapshot.verdict.isEqual() && snapshot.metadataDifferences.empty();
}

/// For a backend with these decompositions. Backends of aot_autograd() keep no input mutations by default;
/// `options` says at the end which was tried last.
RetraceSnapshot forDecompositions(RetraceOptions& options, const DoubtTools& tools) {
    options.keepInputMutations = false;
    RetraceSnapshot other = tools.compile(options);
    if (other.verdict.isEqual() && !other.metadataDifferences.empty()) {
        options.keepInputMutations = true;
        other = tools.compile(options);
    }
    return other;
}

std::set<std::string> operatorsOf(const ir::Graph& graph) {
    std::set<std::string> targets;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::CallFunction && node.target.starts_with("aten.")) {
            targets.insert(node.target);
        }
    }
    return targets;
}

/// The operator of another formula whose derivative compiled autograd calls by this name:
/// "torch__dynamo_compiled_autograd_ops_MaximumBackward0", with or without "_1" behind it.
std::optional<std::string> changedDerivative(std::string_view call) {
    constexpr std::string_view backward = "Backward";
    const std::size_t end = call.rfind(backward);
    if (end == std::string_view::npos || call.find("compiled_autograd") >= end) {
        return std::nullopt;
    }
    const std::size_t start = call.find_last_of("._", end) + 1;
    const std::string name = ir::snakeCase(call.substr(start, end - start));
    const std::string_view behind = call.substr(end + backward.size());
    const std::string_view number = behind.substr(0, behind.find('_'));
    // Names of classes have no underscore in front.
    for (const std::string& packet : {"aten." + name, "aten._" + name}) {
        const ir::OperatorFacts& facts = *ir::Operator(packet).operator->();
        std::string target = packet + "." + std::string(facts.overloads.substr(0, facts.overloads.find(' ')));
        if (ir::Operator(target).is(ir::Trait::LaterGradient | ir::Trait::FollowedGradient) &&
            base::hasWord(facts.backwardNumbers, number)) {
            return target;
        }
    }
    return std::nullopt;
}

/// What the trace called that another LibTorch computes otherwise, and what compiled autograd differentiates.
std::set<std::string> changedOperators(const RetraceSnapshot& snapshot) {
    std::set<std::string> operators = snapshot.result->changedOperators;
    for (const ir::NodeId id :
         snapshot.program ? snapshot.program->graph->order() : std::span<const ir::NodeId>()) {
        if (auto changed = changedDerivative(snapshot.program->graph->node(id).target)) {
            operators.insert(*std::move(changed));
        }
    }
    return operators;
}

/// Adds operators of the traced graph that the logged one has nowhere: a backend may decompose them.
void addOnlyMade(std::set<std::string>& operators, const RetraceSnapshot& made,
                 const std::set<std::string>& logged) {
    if (made.made) {
        std::ranges::set_difference(operatorsOf(*made.made->graph), logged,
                                    std::inserter(operators, operators.end()));
    }
}

/// The options of the first backend whose graph and metadata are the logged ones: with one of PyTorch's
/// tables, else with single operators decomposed, and what these leave. Nothing: there is none.
std::optional<RetraceOptions> equalBackend(const RetraceSnapshot& snapshot, const RetraceOptions& options,
                                           const DoubtTools& tools) {
    using aot::DecompositionTable;
    RetraceOptions tried = options;
    for (const DecompositionTable table :
         {DecompositionTable::None, DecompositionTable::Core, DecompositionTable::Inductor}) {
        tried.decompositions = table;
        if (isWhollyEqual(forDecompositions(tried, tools))) {
            return tried;
        }
        if (tools.stop.stop_requested()) {
            return std::nullopt;
        }
    }
    if (!snapshot.logged) {
        return std::nullopt;
    }
    tried.decompositions = DecompositionTable::Chosen;
    const std::set<std::string> logged = operatorsOf(*snapshot.logged->graph);
    std::set<std::string> operators;
    addOnlyMade(operators, snapshot, logged);
    while (operators.size() > tried.decomposedOperators.size() && !tools.stop.stop_requested()) {
        tried.decomposedOperators.assign(operators.begin(), operators.end());
        const RetraceSnapshot other = forDecompositions(tried, tools);
        if (isWhollyEqual(other)) {
            return tried;
        }
        addOnlyMade(operators, other, logged);
    }
    return std::nullopt;
}

/// A graph that differs is not comparable, for this reason.
void withdrawGraph(RetraceSnapshot& snapshot, const std::string& reason) {
    if (snapshot.verdict.word == base::VerdictWord::Differs) {
        snapshot.verdict.word = base::VerdictWord::NotComparable;
        snapshot.verdict.notCompared.push_back("from the first difference on: " +
                                               std::exchange(snapshot.verdict.reason, reason));
    }
}

void withdrawDifference(RetraceSnapshot& snapshot, const std::string& reason) {
    withdrawGraph(snapshot, reason);
    if (!snapshot.metadataDifferences.empty()) {
        snapshot.notes.push_back("The metadata is not compared: " + reason + ".");
        leaveMetadataOut(snapshot);
    }
}

bool hasDifference(const RetraceSnapshot& snapshot) {
    return snapshot.verdict.word == base::VerdictWord::Differs || !snapshot.metadataDifferences.empty();
}

/// A backend may decompose operators in a way that is in none of PyTorch's tables: then all other calls are
/// the logged ones. Returns whether that may be so here.
bool doubtUnknownDecompositions(RetraceSnapshot& snapshot, RetraceOptions options, const DoubtTools& tools) {
    const auto decomposed = [&](const RetraceSnapshot& made) {
        return made.made && made.logged ? operatorsThatMayBeDecomposed(*made.made->graph, *made.logged->graph)
                                        : std::vector<std::string>();
    };
    std::vector<std::string> operators = decomposed(snapshot);
    bool takesMetadata = false;
    if (operators.empty() || !snapshot.metadataDifferences.empty()) {
        options.decompositions = aot::DecompositionTable::None;
        options.keepInputMutations = false;
        const RetraceSnapshot other = tools.compile(options);
        if (auto others = decomposed(other); !others.empty()) {
            operators = std::move(others);
            takesMetadata = other.metadataDifferences.empty();
        }
    }
    if (operators.empty()) {
        return false;
    }
    const auto withdraw = takesMetadata ? withdrawDifference : withdrawGraph;
    withdraw(snapshot,
             "the log does not say which operators its backend decomposes, and the logged graph has "
             "all calls but those of " +
                 base::joined(operators, ", "));
    return true;
}

void doubtBackend(RetraceSnapshot& snapshot, const RetraceOptions& options, const DoubtTools& tools) {
    if (!hasDifference(snapshot) || !isBackendAssumed(snapshot, options, tools.source)) {
        return;
    }
    if (const auto other = equalBackend(snapshot, options, tools)) {
        withdrawDifference(snapshot,
                           "the log does not say which operators its backend decomposes and whether it keeps "
                           "input mutations, and it is equal with --decompositions " +
                               decompositionsText(*other->decompositions, other->decomposedOperators) +
                               (*other->keepInputMutations ? "" : " --no-keep-input-mutations"));
    } else if (snapshot.verdict.word == base::VerdictWord::Differs &&
               !doubtUnknownDecompositions(snapshot, options, tools)) {
        snapshot.notes.emplace_back("The log does not say which operators its backend decomposes, so none "
                                    "were decomposed. With those of core or of inductor it differs, too, "
                                    "and no decomposition of single operators leaves the other calls of the "
                                    "logged graph.");
    }
}

/// A function of NumPy that Dynamo's graph writes by the name of another one, for which its wrapper is named
/// in torch/_numpy/_ufuncs.py; and the name that it would have, which no graph of Dynamo's has. Other shared
/// names are of functions that do the same, or of a method that gives nothing.
struct SharedName {
    std::string_view target;
    std::string_view other;
    std::string_view functions;
};
constexpr SharedName sharedNames[] = {
    {"torch__dynamo_utils_wrapped_round", "torch__dynamo_utils_wrapped_rint", "numpy.round and numpy.rint"}};

/// Whether a call has this name, with or without a number behind it, and arguments that both functions take.
bool hasName(const ir::Node& node, const SharedName& name) {
    const std::string_view target = node.target;
    if (node.op != ir::Opcode::CallFunction || !target.starts_with(name.target) || node.args.size() != 1) {
        return false;
    }
    const std::string_view number = target.substr(name.target.size());
    return number.empty() ||
           (number.starts_with('_') && number.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

/// Reads one function after another as the other of its name, and keeps what agrees with more of the logged
/// graph. One target is one function.
void doubtNames(RetraceSnapshot& snapshot, RetraceOptions options, const DoubtTools& tools) {
    if (!hasDifference(snapshot) || !snapshot.logged || !snapshot.program) {
        return;
    }
    const ir::Graph& program = *snapshot.program->graph;
    std::size_t agreeing = snapshot.agreeingNodes;
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        const auto* name =
            std::ranges::find_if(sharedNames, [&](const SharedName& each) { return hasName(node, each); });
        if (name == std::end(sharedNames) || options.readAs.contains(node.target)) {
            continue;
        }
        RetraceOptions tried = options;
        tried.readAs.emplace(node.target, name->other);
        const RetraceSnapshot other = tools.compile(tried);
        if (tools.stop.stop_requested()) {
            return;
        }
        if (isWhollyEqual(other)) {
            withdrawDifference(snapshot, "Dynamo's graph has one name for " + std::string(name->functions) +
                                             ", and PyTorch's graph is that of the other");
            return;
        }
        if (other.agreeingNodes > agreeing) {
            agreeing = other.agreeingNodes;
            options = std::move(tried);
        }
    }
}

/// Whether AOTAutograd put a base in place of inputs that share memory.
bool hasBases(const ir::Graph& graph) {
    return std::ranges::any_of(graph.placeholders(), [&](ir::NodeId id) {
        const ir::AOTInput* input = ir::inputDescriptor(graph.node(id));
        return input != nullptr && (input->as<ir::ViewBaseAOTInput>() != nullptr ||
                                    input->as<ir::SyntheticBaseAOTInput>() != nullptr);
    });
}

/// A graph file does not say which inputs share memory, so that none do here.
void doubtSharedMemory(RetraceSnapshot& snapshot, const LogSnapshotPtr& source) {
    if (hasDifference(snapshot) && snapshot.logged && snapshot.made && source && !source->traceLog() &&
        hasBases(*snapshot.logged->graph) && !hasBases(*snapshot.made->graph)) {
        withdrawDifference(snapshot,
                           "inputs of the logged graph share memory, and the file does not say which");
    }
}

} // namespace

std::string decompositionsText(aot::DecompositionTable table, const std::vector<std::string>& operators) {
    return table == aot::DecompositionTable::Chosen ? base::joined(operators, ",")
                                                    : std::string(base::wordOf(table));
}

void leaveMetadataOut(RetraceSnapshot& snapshot) {
    snapshot.untracedMetadata = std::exchange(snapshot.loggedMetadata, std::nullopt);
    snapshot.metadataDifferences.clear();
    snapshot.metadataNotCompared.clear();
}

void doubtLibTorch(RetraceSnapshot& snapshot) {
    if (!hasDifference(snapshot) || !snapshot.result) {
        return;
    }
    const std::optional<aot::TorchVersion> libTorch = snapshot.result->libTorch;
    const aot::TorchVersion rules = aot::rulesVersion(snapshot.result->function.configuration.torch);
    if (!libTorch || *libTorch == rules) {
        return;
    }
    const std::string release = aot::torchVersionText(rules);
    const std::string used = "LibTorch " + aot::torchVersionText(*libTorch);
    const std::string remedy =
        rules < *libTorch ? "`./dev module " + release + "` builds the engine with that release's own"
                          : "a build for torch " + release + " has that release's own";
    const std::string note = used + " traced this by the rules of torch " + release +
                             ". A formula that changed in C++ can be the reason: " + remedy + ".";
    if (std::ranges::find(snapshot.notes, note) == snapshot.notes.end()) {
        snapshot.notes.push_back(note);
    }
    std::vector<std::string> changed;
    bool changesResults = false;
    for (const std::string& target : changedOperators(snapshot)) {
        const ir::OperatorRow& known = ir::operatorNamed(ir::splitTarget(target).name);
        if (rules < *libTorch && !known.is(ir::Trait::LaterGradient | ir::Trait::LaterResult)) {
            continue;
        }
        const bool isResult = known.is(ir::Trait::LaterResult);
        changed.push_back((isResult ? "" : "the gradient of ") + target);
        changesResults = changesResults || isResult;
    }
    if (!changed.empty()) {
        const auto withdraw = changesResults ? withdrawDifference : withdrawGraph;
        withdraw(snapshot, used + " computes " + base::joined(changed, ", ") + " otherwise than torch " +
                               release + "; " + remedy);
    }
}

void doubtDifference(RetraceSnapshot& snapshot, const RetraceOptions& options, const DoubtTools& tools) {
    doubtNames(snapshot, options, tools);
    doubtBackend(snapshot, options, tools);
    doubtSharedMemory(snapshot, tools.source);
}

} // namespace aotscope::judge
