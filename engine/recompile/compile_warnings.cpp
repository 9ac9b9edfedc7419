#include "recompile/compile_warnings.h"

#include "base/mapped.h"
#include "contract/retrace_snapshot.h"
#include "files/graph_snapshot.h"
#include "files/logged_config.h"
#include "files/logged_partitions.h"

#include "aot/versions/versions.h"
#include "evidence/read_request.h"

#include "ir/higher_order.h"
#include "load/compile_notes.h"
#include "passes/program_warnings.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace aotscope::session {

namespace {

/// Parts of the names of operators that draw random numbers, or have bodies in which some may.
constexpr std::array<std::string_view, 12> drawing = {"rand",    "dropout", "bernoulli",   "normal",
                                                      "poisson", "rrelu",   "multinomial", "exponential",
                                                      "cauchy",  "uniform", "attention",   "higher_order"};
/// Parts of a program's text that a call of an autograd.Function, or a part under another autocast, leaves.
std::array<std::string_view, 3> functionMarks() {
    return {ir::higherOrder(ir::HigherOrder::AutogradFunctionApply).name(), "_increment_nesting",
            "_enter_autocast"};
}
/// In the joint graph's text: an output that is None, as the gradient of an input that gets none is.
constexpr std::string_view noGradient = "None,  # ";

bool hasAny(std::string_view text, std::span<const std::string_view> parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

class WarningFinder {
public:
    WarningFinder(const LogSnapshot& log, base::Progress progress)
        : m_log(log), m_trace(*log.traceLog()), m_progress(std::move(progress)) {
        m_found.log = log.log;
    }

    base::Result<LogWarnings> run() {
        const auto compiles = m_trace.compiles();
        for (std::size_t i = 0; i < compiles.size(); ++i) {
            AOTSCOPE_CHECK(m_progress.checkStop());
            m_progress.report("Looking for warnings", i, compiles.size());
            look(load::CompileIndex(static_cast<std::uint32_t>(i)));
        }
        return std::move(m_found);
    }

private:
    void look(load::CompileIndex compile) {
        const load::ArtifactList& artifacts = m_trace.artifacts(compile);
        const std::size_t none = artifacts.size();
        std::size_t program = none;
        std::size_t traced = none;
        for (std::size_t place = 0; place <= artifacts.size(); ++place) {
            const std::string_view name =
                place == artifacts.size()
                    ? std::string_view("dynamo")
                    : std::string_view(artifacts[place].name).substr(0, artifacts[place].name.find('#'));
            if (name == "dynamo") {
                if (program != none && traced != none) {
                    lookAtProgram(compile, program, traced);
                }
                program = place;
                traced = none;
            } else if (traced == none && (name == "joint" || name == "inference")) {
                traced = place;
            }
        }
        for (const LoggedPartition& partition :
             loggedPartitions(m_log, compile, m_trace.compile(compile).id)) {
            lookAtHalves(compile, partition);
        }
    }

    [[nodiscard]] ArtifactReference referenceTo(load::CompileIndex compile, std::size_t place) const {
        return {m_log.log,
                m_trace.compile(compile).id,
                m_trace.artifacts(compile).exactName(place),
                {},
                m_trace.compile(compile).rank};
    }

    [[nodiscard]] ir::GraphPtr graphOf(const ArtifactReference& reference) const {
        const auto read = loadArtifactGraph(m_trace, reference, base::Progress({}, m_progress.stopToken()));
        return read ? (*read)->graph : nullptr;
    }

    void lookAtProgram(load::CompileIndex compile, std::size_t program, std::size_t traced) {
        const load::ArtifactList& artifacts = m_trace.artifacts(compile);
        const evidence::LogEvidence evidence(m_log.traceLog(), compile, artifacts[program].record);
        const std::vector<load::InputTensor> inputs = evidence.inputTensors();
        const bool isJoint = artifacts[traced].name.starts_with("joint");
        const bool mayLackGradient =
            isJoint ? m_trace.payload(artifacts[traced].record).find(noGradient) != std::string::npos
                    : std::ranges::any_of(inputs, &load::InputTensor::requiresGrad);
        if (!mayLackGradient && !hasAny(m_trace.payload(artifacts[program].record), functionMarks())) {
            return;
        }
        passes::TracedProgram facts;
        facts.program = graphOf(referenceTo(compile, program));
        facts.traced = facts.program ? graphOf(referenceTo(compile, traced)) : nullptr;
        if (!facts.traced) {
            return;
        }
        facts.isJoint = isJoint;
        facts.requiresGrad = base::mapped(inputs, &load::InputTensor::requiresGrad);
        const auto state = evidence.globalState();
        facts.gradEnabled = state ? state->gradEnabled : isJoint;
        facts.functions = evidence::guardedFunctions(evidence);
        add(compile, referenceTo(compile, program), passes::warningsOfProgram(facts));
    }

    void lookAtHalves(load::CompileIndex compile, const LoggedPartition& partition) {
        const auto record = partition.backward && partition.forward
                                ? m_trace.tryFindArtifact(compile, partition.backward->artifact)
                                : std::nullopt;
        if (!record || !hasAny(m_trace.payload(record->record), drawing)) {
            return;
        }
        const ir::GraphPtr forward = graphOf(*partition.forward);
        const ir::GraphPtr backward = graphOf(*partition.backward);
        if (!forward || !backward) {
            return;
        }
        add(compile, partition.joint,
            passes::warningsOfHalves(*forward, *backward, forwardOutputsOf(*forward, *backward),
                                     aot::torchRules(evidence::madeBy(m_trace)).partition));
    }

    void add(load::CompileIndex compile, const ArtifactReference& graph,
             std::vector<passes::GraphWarning> warnings) {
        const auto artifact = m_trace.tryFindArtifact(compile, graph.artifact);
        for (passes::GraphWarning& warning : warnings) {
            if (warning.severity != passes::WarningSeverity::Note) {
                m_found.warnings.push_back({graph, artifact ? artifact->line : 0, std::move(warning)});
            }
        }
    }

    const LogSnapshot& m_log;
    const load::TraceLog& m_trace;
    base::Progress m_progress;
    LogWarnings m_found;
};

/// The compile whose call may come out equal here, although PyTorch never came to call it.
std::optional<passes::GraphWarning> failedInPyTorch(const LogSnapshot& log, const ArtifactReference& program,
                                                    const ir::GraphPtr& graph) {
    const auto index = log.traceLog() ? log.tryFindCompile(program) : std::nullopt;
    if (!index || !graph || log.traceLog()->compile(*index).status != load::CompileStatus::Failed ||
        !graph->output()) {
        return std::nullopt;
    }
    return passes::GraphWarning{passes::WarningSeverity::Warning,
                                "compile.failed",
                                passes::WarnedGraph::Dynamo,
                                {graph->node(*graph->output()).name},
                                "PyTorch's own compile of this function failed: " +
                                    load::headline(log.traceLog()->compile(*index).reason) +
                                    ". What is traced and called here is what it would have called.",
                                {}};
}

} // namespace

base::Result<LogWarnings> findWarnings(const LogSnapshot& log, base::Progress progress) {
    return log.traceLog() ? WarningFinder(log, std::move(progress)).run() : LogWarnings{log.log, {}};
}

std::vector<passes::GraphWarning> warningsOfTrace(const LogSnapshot& log, const ArtifactReference& program,
                                                  const aot::RetraceRequest& request,
                                                  const ir::GraphPtr& traced, bool isJoint) {
    passes::TracedProgram facts;
    facts.program = request.program;
    facts.requiresGrad = base::mapped(request.inputs, &aot::RetraceInput::requiresGrad);
    facts.gradEnabled = request.state.gradEnabled;
    facts.traced = traced;
    facts.isJoint = isJoint;
    if (const auto evidence = evidenceOf(log, program)) {
        facts.functions = evidence::guardedFunctions(*evidence);
    }
    std::vector<passes::GraphWarning> warnings = passes::warningsOfProgram(facts);
    if (auto failed = failedInPyTorch(log, program, request.program)) {
        warnings.push_back(*std::move(failed));
    }
    return warnings;
}

std::vector<passes::GraphWarning> warningsOfCall(const RetraceSnapshot& traced,
                                                 const aot::CompiledFunction& function) {
    std::vector<passes::GraphWarning> warnings = traced.warnings;
    if (function.partition) {
        const passes::Partition& split = *function.partition;
        const ir::GraphPtr& forward = split.forwardBeforeHooks ? split.forwardBeforeHooks : split.forward;
        const ir::GraphPtr& backward = split.backwardBeforeHooks ? split.backwardBeforeHooks : split.backward;
        std::ranges::copy_if(passes::warningsOfHalves(*forward, *backward, split.forwardOutputs, split.rules),
                             std::back_inserter(warnings), [](const passes::GraphWarning& warning) {
                                 return warning.severity != passes::WarningSeverity::Note;
                             });
    }
    return warnings;
}

} // namespace aotscope::session
