#include "session/retracer.h"

#include "evidence/golden_unit.h"
#include "evidence/list_inputs.h"
#include "session/graph_snapshot.h"
#include "session/program_kind.h"
#include "session/split_retraced.h"

#include "aot/stage_history.h"
#include "aot/versions/versions.h"
#include "passes/op_facts.h"

#include "ir/compare/aot_metadata_compare.h"
#include "ir/compare/graph_diff.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/notes.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>
#include <functional>

namespace aotscope::session {
namespace {

base::Error notTraceable(const std::string& kind, std::string why = {}) {
    base::Error error{
        .code = "retrace.not_supported", .message = kind, .hint = "The logged graphs can still be viewed."};
    if (!why.empty()) {
        error.notes.push_back(std::move(why));
    }
    return error;
}

base::Error noProgram() {
    return {.code = "retrace.no_program",
            .message = "there is no Dynamo graph to start from: AOTAutograd was called without Dynamo; give "
                       "a file with the program's graph (retrace --program FILE)",
            .hint = "The logged graphs can still be viewed."};
}

/// "units/0" of "units/0/joint".
std::string folderOf(const std::string& artifact) {
    return artifact.substr(0, artifact.rfind('/'));
}

/// PyTorch's sequence numbers count per process. They are counted from the graph's smallest, so that graphs
/// can be compared.
void makeNumbersRelative(ir::Graph& graph) {
    std::optional<std::int64_t> smallest;
    for (const ir::NodeId id : graph.order()) {
        const auto number = graph.node(id).sequenceNumber;
        if (number && *number >= 0 && (!smallest || *number < *smallest)) {
            smallest = number;
        }
    }
    if (smallest.value_or(0) == 0) {
        return;
    }
    for (const ir::NodeId id : graph.order()) {
        if (auto& number = graph.edit(id).sequenceNumber; number && *number >= 0) {
            *number -= *smallest;
        }
    }
}

/// Adds example values of symbols, which are needed to compute sizes.
void addHints(ir::Graph& graph, const ir::SymbolBindings& hints) {
    for (const auto& [symbol, value] : hints) {
        graph.editSymbolHints().try_emplace(symbol, value);
    }
}

/// AOTAutograd traces a joint graph from `inner_f(primals, tangents)` and an inference graph from a lambda,
/// and prints both with one input per line.
void setPrintedStyle(ir::Graph& graph, bool joint, const aot::TraceRules& rules) {
    ir::TextStyle& style = graph.editStyle();
    if (rules.complexNumbersAreCalls) {
        style.notes[ir::notes::complexCalls] = "1";
    }
    style.expandedDefinition = true;
    style.className = joint ? "inner_f" : "<lambda>";
    const auto output = graph.output();
    if (!joint && output && graph.node(*output).args.size() == 1) {
        const auto* returned = graph.node(*output).args[0].as<ir::TupleArgument>();
        if (returned != nullptr && returned->items.empty()) {
            style.notes["empty_return_list"] = "1";
        }
    }
    if (joint) {
        style.pytree = true;
        style.pytreeInputs = {"primals", "tangents"};
        style.notes["unflattened"] = "1";
        // The joint function returns a list, which the pytree unflattens.
        if (output) {
            ir::Arguments& arguments = graph.edit(*output).args;
            if (const auto* tuple = arguments.empty() ? nullptr : arguments[0].as<ir::TupleArgument>()) {
                ir::Arguments items = tuple->items;
                arguments[0] = ir::ListArgument{std::move(items)};
            }
        }
    }
}

/// Sources of the inputs that AOTAutograd gets.
std::vector<std::string> flatSources(const ir::Graph& program) {
    std::vector<std::string> sources;
    for (const ir::NodeId id : program.placeholders()) {
        sources.push_back(program.node(id).inputSource);
    }
    return sources;
}

/// A program with list inputs is wrapped, and nodes traced through the wrapper have no source lines.
void dropSources(ir::Graph& graph) {
    const auto none = std::make_shared<const ir::NodeOrigin>();
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).origin) {
            graph.edit(id).origin = none;
        }
    }
}

/// The name of a graph that belongs to a target: that of its logged graph, else of its program, with a
/// prefix.
ArtifactReference besideTarget(std::uint32_t log, const RetraceTarget& target, const std::string& prefix) {
    ArtifactReference reference = target.logged ? *target.logged : *target.program;
    reference.log = log;
    reference.artifact = prefix + reference.artifact;
    reference.subgraph.clear();
    return reference;
}

/// Whether a graph has random operators.
bool drawsNumbers(const ir::Graph& graph) {
    const auto order = graph.order();
    return std::any_of(order.begin(), order.end(), [&](ir::NodeId id) {
        return (passes::opFlags(graph.node(id).target) & passes::OpSeeded) != 0;
    });
}

class Retracer {
public:
    Retracer(const RetraceOptions& options, const RetraceTools& tools, RetraceSnapshot& snapshot)
        : m_options(options), m_tools(tools), m_snapshot(snapshot) {}

    base::Result<void> run() {
        RetraceTarget& target = m_snapshot.target;
        if (m_options.exported) {
            // An export has no logged counterpart.
            target.logged.reset();
            target.metadata.reset();
            target.wrapperSources.reset();
        }
        if (target.logged) {
            auto logged = m_tools.graph(*target.logged);
            if (!logged) {
                return std::move(logged).error();
            }
            m_snapshot.logged = std::move(logged).value();
        }
        if (!target.program) {
            keepUntraced();
            return noProgram();
        }
        auto program = m_tools.graph(*target.program);
        if (!program) {
            return std::move(program).error();
        }
        m_snapshot.program = std::move(program).value();
        if (auto traced = trace(); !traced) {
            keepUntraced();
            return traced;
        }
        // Each of these visits all nodes and may take long, so stop requests are checked in between.
        const std::function<void()> steps[] = {
            [this] { finishGraph(); },     [this] { describeMade(); },     [this] { traceHooks(); },
            [this] { describeStages(); },  [this] { compareWithEager(); }, [this] { compareGraphs(); },
            [this] { compareMetadata(); },
        };
        for (const std::function<void()>& step : steps) {
            step();
            if (m_tools.stop.stop_requested()) {
                return base::canceledError();
            }
        }
        return {};
    }

private:
    base::Result<void> trace() {
        const ir::Graph& program = *m_snapshot.program->graph;
        if (const std::string kind = untraceableKind(program); !kind.empty()) {
            return notTraceable(kind);
        }
        const LogSnapshotPtr log = m_tools.log(m_snapshot.target.program->log);
        auto found = makeRetraceRequest(*log, *m_snapshot.target.program, m_snapshot.program->graph,
                                        m_options, m_tools.checkpoints, m_tools.stop);
        if (!found) {
            return std::move(found).error();
        }
        aot::RetraceRequest& request = found->request;
        m_snapshot.rules = aot::RulesChoice{found->made, m_options.torch};
        m_snapshot.decompositions = request.decompositions;
        m_snapshot.isGradModeAssumed = found->isGradModeAssumed;
        m_symbolHints = request.program->symbolHints();
        request.stages = m_options.stages;
        request.numbers = m_options.numbers && !m_options.exported;
        m_inputSources = evidence::hasListInputs(program) ? flatSources(*request.program)
                                                          : m_snapshot.program->inputSources;
        auto traced = traceOrFind(request);
        if (traced) {
            m_snapshot.result = std::move(traced).value();
            m_snapshot.sharedInputs =
                sharedInputs(*request.program, request.inputs, *m_snapshot.result->graph);
            return {};
        }
        const base::Error& error = traced.error();
        const bool isOfProgram = !error.code.starts_with("session.") && error.code != "run.no_torch_module";
        if (isOfProgram) {
            if (const std::string kind = suspectedKind(program, m_tools.knownOperators()); !kind.empty()) {
                return notTraceable(kind, error.message);
            }
        }
        return error;
    }

    base::Result<aot::RetraceResult> traceOrFind(const aot::RetraceRequest& request) {
        const auto trace = [&] { return m_tools.trace(request, m_snapshot.target.name); };
        if (!m_options.cache) {
            return trace();
        }
        CachedResult cached = m_tools.cached(request, trace);
        m_snapshot.cache = std::move(cached.outcome);
        return std::move(cached.result);
    }

    /// Makes the traced graph look as AOTAutograd returns it.
    void finishGraph() {
        ir::GraphPtr& made = m_snapshot.result->graph;
        const ir::Graph& program = *m_snapshot.program->graph;
        ir::Graph finished = made->clone();
        makeNumbersRelative(finished);
        if (!made->symbols().empty()) {
            addHints(finished, m_symbolHints);
        }
        const aot::TorchVersion torch = m_snapshot.result->configuration.torch;
        setPrintedStyle(finished, m_snapshot.result->joint, aot::torchRules(torch).trace);
        if (evidence::hasListInputs(program)) {
            dropSources(finished);
        }
        made = ir::Graph::freeze(std::move(finished));
    }

    void describeMade() {
        const ir::GraphPtr& made = m_snapshot.result->graph;
        m_snapshot.made = describeGraph(madeReference(), made, {},
                                        placeholderSources(*made, m_inputSources, false), m_tools.stop);
    }

    /// Describes the stages' graphs, and names those between the program and the traced graph.
    void describeStages() {
        for (aot::TraceStage& stage : m_snapshot.result->stages) {
            constexpr std::string_view names[] = {"dynamo", "resolved", "functional", "decomposed", "joint"};
            RetraceStage described{std::string(names[static_cast<std::size_t>(stage.kind)]), nullptr,
                                   std::move(stage.note)};
            if (stage.kind == aot::TraceStageKind::Program) {
                described.graph = m_snapshot.program;
            } else if (stage.kind == aot::TraceStageKind::Joint) {
                described.graph = m_snapshot.made;
            } else if (stage.graph) {
                described.graph = stageGraph(described.name, stage.graph);
            }
            m_snapshot.stages.push_back(std::move(described));
        }
        if (!m_snapshot.stages.empty()) {
            describeForwards();
        }
        countChanges();
    }

    GraphSnapshotPtr stageGraph(const std::string& name, const ir::GraphPtr& graph) {
        return describeGraph(besideTarget(m_snapshot.log, m_snapshot.target, name + " "), graph, {},
                             placeholderSources(*graph, m_inputSources, false), m_tools.stop);
    }

    /// The forward as the partition leaves it, and with hooks inlined.
    void describeForwards() {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (!log) {
            return;
        }
        aot::StageHistory history;
        const auto split =
            splitRetraced(m_snapshot, *log, base::Progress({}, m_tools.stop), history.observer());
        const auto add = [&](aot::StageKind kind, const char* name) {
            const aot::ObservedStage* stage = history.tryFind(kind);
            if (stage == nullptr || (stage->after && stage->after->partition == stage->before->partition)) {
                return;
            }
            RetraceStage described{name, nullptr, stage->after || split ? "" : split.error().message};
            if (stage->after) {
                described.graph = stageGraph(name, stage->after->forward());
            }
            m_snapshot.stages.push_back(std::move(described));
        };
        add(aot::StageKind::Partition, "forward");
        add(aot::StageKind::SavedTensorsHooks, "hooks");
    }

    void compareGraphs() {
        compareRetraced(m_snapshot, m_options.exact);
        const LogSnapshotPtr source = m_tools.log(m_snapshot.target.program->log);
        const bool isTableKnown = m_options.decompositions || !source || !source->traceLog ||
                                  m_snapshot.decompositions != aot::DecompositionTable::None;
        if (m_snapshot.verdict == RetraceVerdict::Different) {
            noteOtherLibTorch();
        }
        if (m_snapshot.verdict == RetraceVerdict::Different && !isTableKnown) {
            m_snapshot.notes.emplace_back("The log does not say which operators its backend decomposes, so "
                                          "none were decomposed. Try --decompositions core or inductor.");
        }
    }

    /// What changed in LibTorch's C++ code without a rule of ours can be the reason of a difference.
    void noteOtherLibTorch() {
        const std::optional<aot::TorchVersion> libTorch = m_snapshot.result->libTorch;
        const aot::TorchVersion rules = aot::rulesVersion(m_snapshot.result->configuration.torch);
        if (libTorch && *libTorch != rules) {
            const std::string release = aot::torchVersionText(rules);
            m_snapshot.notes.push_back("LibTorch " + aot::torchVersionText(*libTorch) +
                                       " traced this by the rules of torch " + release +
                                       ". A formula that changed in C++ can be the reason: `./dev module " +
                                       release + "` builds the engine with that release's own.");
        }
    }

    /// Only the comparison is kept: the numbers may be as many as the model's weights.
    void compareWithEager() {
        std::optional<aot::EagerNumbers>& numbers = m_snapshot.result->numbers;
        if (!numbers) {
            return;
        }
        EagerComparison& comparison = m_snapshot.eager.emplace();
        const ir::Graph& made = *m_snapshot.made->graph;
        comparison.numbers = compareNumbers(made, numbers->traced, numbers->eager);
        comparison.skipped = std::move(numbers->skipped);
        if (m_snapshot.decompositions != aot::DecompositionTable::None && drawsNumbers(made)) {
            comparison.caution = "the decomposed graph draws random numbers with other operators than eager";
        }
        if (comparison.skipped.empty() && comparison.numbers.tensors.empty()) {
            comparison.skipped =
                "none of the graph's output tensors is returned or written to by the program";
        }
        for (const ir::Descriptor& descriptor : numbers->descriptors) {
            comparison.names.push_back(ir::descriptorText(descriptor));
        }
        numbers.reset();
    }

    void countChanges() {
        const GraphSnapshot* before = nullptr;
        for (RetraceStage& stage : m_snapshot.stages) {
            if (!stage.graph) {
                continue;
            }
            if (before != nullptr) {
                stage.diff = std::make_shared<const ir::GraphDiff>(
                    ir::diffGraphs(*before->graph, *stage.graph->graph));
                for (const ir::NodeDifference& difference : stage.diff->differences) {
                    using Kind = ir::NodeDifference::Kind;
                    stage.added += difference.kind == Kind::Added ? 1 : 0;
                    stage.changed += difference.kind == Kind::Changed ? 1 : 0;
                    stage.removed += difference.kind == Kind::Removed ? 1 : 0;
                }
            }
            before = stage.graph.get();
        }
    }

    /// The name of the traced graph: "retraced joint" for the logged "joint".
    [[nodiscard]] ArtifactReference madeReference() const {
        return besideTarget(m_snapshot.log, m_snapshot.target,
                            m_options.exported ? "exported " : "retraced ");
    }

    /// Nothing if no metadata is logged.
    [[nodiscard]] std::optional<base::Result<ir::ViewAndMutationMeta>> loggedMetadata() const {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (log && log->traceLog) {
            if (!m_snapshot.target.metadata) {
                return std::nullopt;
            }
            return ir::metadataFromRepr(log->traceLog->payload(*m_snapshot.target.metadata));
        }
        if (!log || !m_snapshot.target.logged || !m_snapshot.target.logged->artifact.starts_with("units/")) {
            return std::nullopt;
        }
        auto unit = evidence::readGoldenUnit(log->path, folderOf(m_snapshot.target.logged->artifact));
        if (!unit) {
            return base::Result<ir::ViewAndMutationMeta>(std::move(unit).error());
        }
        if (unit->metadata.empty()) {
            return std::nullopt;
        }
        return ir::metadataFromJson(unit->metadata);
    }

    /// Inlined hooks change forward and backward, so they are traced with the program.
    void traceHooks() {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (!log || m_options.exported) {
            return;
        }
        auto hooks = session::traceHooks(m_snapshot, *log, m_tools.traceHook);
        if (hooks) {
            m_snapshot.hooks = std::move(hooks).value();
        } else if (!base::isCanceled(hooks.error())) {
            m_snapshot.notes.push_back("The program's saved-tensors hooks were not inlined, so forward and "
                                       "backward are those before the hooks: " +
                                       hooks.error().message);
        }
    }

    void readWrapperSources() {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (log && log->traceLog && m_snapshot.target.wrapperSources) {
            m_snapshot.wrapperSources =
                load::wrapperSources(log->traceLog->payload(*m_snapshot.target.wrapperSources));
        }
    }

    /// What the file says of a compile that was not traced.
    void keepUntraced() {
        readWrapperSources();
        if (auto logged = loggedMetadata(); logged && *logged) {
            m_snapshot.untracedMetadata = std::move(*logged).value();
        }
    }

    void compareMetadata() {
        readWrapperSources();
        auto logged = loggedMetadata();
        if (!logged) {
            return;
        }
        if (!*logged) {
            m_snapshot.notes.push_back("The logged metadata cannot be read: " + logged->error().message);
            return;
        }
        const LogSnapshotPtr source = m_tools.log(m_snapshot.target.program->log);
        const bool leavesKnown = source && source->traceLog;
        m_snapshot.loggedMetadata = std::move(*logged).value();
        m_snapshot.metadataDifferences =
            ir::metadataDifferences(m_snapshot.result->metadata, *m_snapshot.loggedMetadata, leavesKnown);
        m_snapshot.metadataNotCompared =
            ir::metadataNotCompared(m_snapshot.result->metadata, *m_snapshot.loggedMetadata);
    }

    const RetraceOptions& m_options;
    const RetraceTools& m_tools;
    RetraceSnapshot& m_snapshot;
    /// Dynamo's source of each input of the traced function.
    std::vector<std::string> m_inputSources;
    /// The program's symbol hints, as passed to the trace.
    ir::SymbolBindings m_symbolHints;
};

} // namespace

ArtifactReference pausedReference(std::uint32_t log, const RetraceTarget& target, std::uint64_t number) {
    return besideTarget(log, target, "paused " + std::to_string(number) + " ");
}

base::Result<RetraceSnapshotPtr> retraceTarget(std::uint32_t log, const RetraceTarget& target,
                                               const RetraceOptions& options, const RetraceTools& tools) {
    auto snapshot = std::make_shared<RetraceSnapshot>();
    snapshot->log = log;
    snapshot->target = target;
    if (auto done = Retracer(options, tools, *snapshot).run(); !done) {
        if (base::isCanceled(done.error())) {
            return std::move(done).error();
        }
        snapshot->verdict = done.error().code == "retrace.not_supported" ? RetraceVerdict::NotSupported
                                                                         : RetraceVerdict::Failed;
        snapshot->error = std::move(done).error();
    }
    return RetraceSnapshotPtr(std::move(snapshot));
}

} // namespace aotscope::session
