#include "recompile/retracer.h"

#include "base/mapped.h"
#include "recompile/compile_warnings.h"

#include "contract/retrace_options.h"
#include "evidence/list_inputs.h"
#include "explore/split_retraced.h"
#include "files/graph_snapshot.h"
#include "files/logged_config.h"
#include "files/retrace_targets.h"
#include "judge/doubted_difference.h"
#include "judge/logged_metadata.h"
#include "recompile/program_kind.h"
#include "recompile/retrace_request.h"
#include "recompile/retraced_comparison.h"
#include "recompile/shared_memory.h"

#include "aot/config_verdict.h"
#include "aot/returned_graph.h"
#include "aot/versions/versions.h"

#include "ir/compare/aot_metadata_compare.h"
#include "ir/operators/operator.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

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

/// Sources of the inputs that AOTAutograd gets.
std::vector<std::string> flatSources(const ir::Graph& program) {
    return base::mapped(program.placeholders(),
                        [&](const ir::NodeId id) { return program.node(id).inputSource; });
}

/// Whether a graph has random operators.
bool drawsNumbers(const ir::Graph& graph) {
    const auto order = graph.order();
    return std::any_of(order.begin(), order.end(),
                       [&](ir::NodeId id) { return ir::isSeeded(graph.node(id).target); });
}

class Retracer {
public:
    Retracer(const RetraceOptions& options, const RetraceTools& tools, RetraceSnapshot& snapshot)
        : m_options(options), m_tools(tools), m_snapshot(snapshot) {}

    /// Whether the file had all that a trace needs.
    [[nodiscard]] bool isTracing() const { return m_isTracing; }

    base::Result<void> run() {
        RetraceTarget& target = m_snapshot.target;
        if (m_options.exported) {
            // An export has no logged counterpart.
            target.logged.reset();
            target.metadata.reset();
            target.wrapperSources.reset();
        }
        if (target.logged) {
            AOTSCOPE_TRY(logged, m_tools.graph(*target.logged));
            m_snapshot.logged = std::move(logged);
        }
        if (!target.program) {
            keepUntraced();
            return noProgram();
        }
        AOTSCOPE_TRY(program, m_tools.graph(*target.program));
        m_snapshot.program = std::move(program);
        if (auto traced = trace(); !traced) {
            keepUntraced();
            return traced;
        }
        // Each of these visits all nodes and may take long, so stop requests are checked in between.
        const std::function<void()> steps[] = {
            [this] { finishGraph(); },
            [this] { describeMade(); },
            [this] { traceHooks(); },
            [this] { describeStages(m_snapshot, m_tools.log(m_snapshot.log), m_inputSources, m_tools.stop); },
            [this] { compareWithEager(); },
            [this] { compareGraphs(); },
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
        AOTSCOPE_TRY(found, makeRetraceRequest(*log, *m_snapshot.target.program, m_snapshot.program->graph,
                                               m_options, m_tools.checkpoints, m_tools.stop, configOfLog()));
        aot::RetraceRequest& request = found.request;
        m_snapshot.rules = aot::RulesChoice{found.release, m_options.torch};
        m_snapshot.decompositions = request.decompositions;
        m_snapshot.functorch = request.functorch;
        if (std::string note = aot::configurationNote(*request.functorch, request.torch, aot::touches::trace);
            !note.empty()) {
            m_snapshot.notes.push_back(std::move(note));
        }
        m_snapshot.isGradModeAssumed = found.isGradModeAssumed;
        m_symbolHints = request.program->symbolHints();
        request.stages = m_options.stages;
        request.numbers = m_options.numbers && !m_options.exported;
        m_inputSources = evidence::hasListInputs(program) ? flatSources(*request.program)
                                                          : m_snapshot.program->inputSources;
        m_isTracing = true;
        auto traced = traceOrFind(request);
        if (traced) {
            m_snapshot.result = std::move(traced).value();
            const aot::CompiledFunction& function = m_snapshot.result->function;
            m_snapshot.sharedInputs = sharedInputs(*request.program, request.inputs, *function.graph);
            if (!request.export_) {
                m_snapshot.warnings = warningsOfTrace(*log, *m_snapshot.target.program, request,
                                                      function.graph, function.joint);
            }
            return {};
        }
        base::Error error = std::move(traced).error();
        if (error.code.starts_with("session.") || error.code == "run.no_torch_module") {
            return error;
        }
        const auto known = m_tools.knownOperators();
        if (!known) {
            error.notes.push_back("Whether an operator of the program is missing here is not known: " +
                                  known.error().message);
            return error;
        }
        const std::string kind = suspectedKind(program, *known, error.place.node);
        return kind.empty() ? error : notTraceable(kind, error.message);
    }

    /// The configuration in the compile's log, if its program is from another file.
    [[nodiscard]] std::optional<evidence::LoggedConfig> configOfLog() const {
        const RetraceTarget& target = m_snapshot.target;
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (target.program->log == m_snapshot.log || !target.logged || !log) {
            return std::nullopt;
        }
        return loggedConfigOf(*log, *target.logged);
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

    void finishGraph() {
        aot::CompiledFunction& function = m_snapshot.result->function;
        const bool isWrapped = evidence::hasListInputs(*m_snapshot.program->graph);
        function.graph = aot::asReturned(function, m_symbolHints, isWrapped);
    }

    void describeMade() {
        const ir::GraphPtr& made = m_snapshot.result->function.graph;
        m_snapshot.made = describeGraph(madeReference(), made, {},
                                        placeholderSources(*made, m_inputSources, false), m_tools.stop);
    }

    /// Adds the configuration of the trace to the verdict.
    void addConfiguration() {
        std::vector<std::string>& lines = m_snapshot.verdict.configuration;
        lines.push_back(m_snapshot.rules ? m_snapshot.rules->text() : std::string("no rules"));
        lines.push_back("decompositions = " +
                        judge::decompositionsText(m_snapshot.decompositions, m_options.decomposedOperators) +
                        (m_options.decompositions ? " (chosen)" : " (by the log's backend)"));
        if (m_snapshot.functorch) {
            std::ranges::move(aot::configurationLines(*m_snapshot.functorch,
                                                      m_snapshot.rules ? m_snapshot.rules->release()
                                                                       : aot::unnamedVersion(),
                                                      aot::touches::trace),
                              std::back_inserter(lines));
        }
        if (m_snapshot.isGradModeAssumed) {
            lines.emplace_back("gradient mode: on, assumed, as the file does not tell");
        }
    }

    void compareGraphs() {
        compareRetraced(m_snapshot, m_options.exact);
        addConfiguration();
        judge::doubtLibTorch(m_snapshot);
        if (m_snapshot.functorch && m_snapshot.rules) {
            aot::doubtDifference(m_snapshot.verdict, *m_snapshot.functorch, m_snapshot.rules->release(),
                                 aot::touches::trace);
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
        // Not what the traced graph's own dtypes allow: it may compute in others than eager does.
        for (TensorComparison& tensor : comparison.numbers.tensors) {
            tensor.allowed = 0;
        }
        numbers->spread.resize(numbers->traced.size());
        allowSpread(comparison.numbers, numbers->traced, numbers->spread);
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

    /// The name of the traced graph: "retraced joint" for the logged "joint".
    [[nodiscard]] ArtifactReference madeReference() const {
        return besideTarget(m_snapshot.log, m_snapshot.target,
                            m_options.exported ? "exported " : "retraced ");
    }

    /// Nothing if no metadata is logged.
    [[nodiscard]] std::optional<base::Result<ir::ViewAndMutationMeta>> loggedMetadata() const {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        return log ? judge::loggedMetadata(*log, m_snapshot.target) : std::nullopt;
    }

    /// Inlined hooks change forward and backward, so they are traced with the program.
    void traceHooks() {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (!log || m_options.exported) {
            return;
        }
        auto hooked = splitWithHooks(m_snapshot, *log, m_tools.traceHook);
        if (hooked) {
            m_snapshot.hooked = std::move(hooked).value();
        } else if (!base::isCanceled(hooked.error())) {
            m_snapshot.notes.push_back("The program's saved-tensors hooks were not inlined, so forward and "
                                       "backward are those before the hooks: " +
                                       hooked.error().message);
        }
    }

    void readWrapperSources() {
        const LogSnapshotPtr log = m_tools.log(m_snapshot.log);
        if (log && log->traceLog() && m_snapshot.target.wrapperSources) {
            m_snapshot.wrapperSources =
                load::wrapperSources(log->traceLog()->payload(*m_snapshot.target.wrapperSources));
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
        const bool leavesKnown = source && source->traceLog();
        m_snapshot.loggedMetadata = std::move(*logged).value();
        const aot::CompiledFunction& function = m_snapshot.result->function;
        const ir::ViewAndMutationMeta& metadata = function.metadata;
        m_snapshot.metadataDifferences = ir::metadataDifferences(
            metadata, *m_snapshot.loggedMetadata, leavesKnown, function.configuration.state.defaultDtype);
        m_snapshot.metadataNotCompared = ir::metadataNotCompared(metadata, *m_snapshot.loggedMetadata);
        judge::doubtLibTorch(m_snapshot);
        doubtMetadata();
    }

    /// Drops differences that may come from an option that is not followed, or not in the log.
    void doubtMetadata() {
        if (m_snapshot.metadataDifferences.empty() || !m_snapshot.functorch || !m_snapshot.rules) {
            return;
        }
        base::Verdict verdict{.word = base::VerdictWord::Differs,
                              .reason = m_snapshot.metadataDifferences.front()};
        aot::doubtDifference(verdict, *m_snapshot.functorch, m_snapshot.rules->release(),
                             aot::touches::trace);
        if (verdict.word != base::VerdictWord::Differs) {
            m_snapshot.notes.push_back("The metadata is not compared: " + verdict.reason + "; " +
                                       verdict.notCompared.front() + ".");
            judge::leaveMetadataOut(m_snapshot);
        }
    }

    const RetraceOptions& m_options;
    const RetraceTools& m_tools;
    RetraceSnapshot& m_snapshot;
    bool m_isTracing = false;
    /// Dynamo's source of each input of the traced function.
    std::vector<std::string> m_inputSources;
    /// The program's symbol hints, as passed to the trace.
    ir::SymbolBindings m_symbolHints;
};

/// Too little in the file leaves nothing to compare; what stops a trace is not supported.
void judgeUntraced(RetraceSnapshot& snapshot, const base::Error& error, bool isTracing) {
    const bool isOfEngine = error.code.starts_with("session.") || error.code == "run.no_torch_module";
    const bool isUnsupported = error.code == "retrace.not_supported" || (isTracing && !isOfEngine);
    snapshot.verdict.word =
        isUnsupported ? base::VerdictWord::NotSupported : base::VerdictWord::NotComparable;
    snapshot.verdict.reason = error.message.substr(0, error.message.find('\n'));
}

/// Once more with other options, without pauses.
RetraceSnapshot compiledAgain(const RetraceSnapshot& snapshot, RetraceOptions options, RetraceTools tools) {
    options.stages = false;
    options.numbers = false;
    options.cache = false;
    tools.trace = [trace = tools.traceHook](const aot::RetraceRequest& request, const std::string&) {
        return trace(request);
    };
    RetraceSnapshot other;
    other.log = snapshot.log;
    other.target = snapshot.target;
    if (auto done = Retracer(options, tools, other).run(); !done) {
        judgeUntraced(other, done.error(), false);
    }
    return other;
}

} // namespace

ArtifactReference pausedReference(std::uint32_t log, const RetraceTarget& target, std::uint64_t number) {
    return besideTarget(log, target, "paused " + std::to_string(number) + " ");
}

base::Result<RetraceSnapshotPtr> retraceTarget(std::uint32_t log, const RetraceTarget& target,
                                               const RetraceOptions& options, const RetraceTools& tools) {
    auto snapshot = std::make_shared<RetraceSnapshot>();
    snapshot->log = log;
    snapshot->target = target;
    Retracer retracer(options, tools, *snapshot);
    if (auto done = retracer.run(); !done) {
        if (base::isCanceled(done.error())) {
            return std::move(done).error();
        }
        judgeUntraced(*snapshot, done.error(), retracer.isTracing());
        snapshot->error = std::move(done).error();
    }
    judge::doubtDifference(
        *snapshot, options,
        {.source = target.program ? tools.log(target.program->log) : nullptr,
         .compile = [&](const RetraceOptions& other) { return compiledAgain(*snapshot, other, tools); },
         .stop = tools.stop});
    if (tools.stop.stop_requested()) {
        return base::canceledError();
    }
    return RetraceSnapshotPtr(std::move(snapshot));
}

} // namespace aotscope::session
