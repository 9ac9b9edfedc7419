#include "panels/problem.h"

#include "common/format.h"
#include "common/log_list.h"
#include "files/unreadable_graphs.h"
#include "load/compile_notes.h"
#include "recompile/compile_warnings.h"

#include <algorithm>
#include <iterator>

namespace aotscope::views {

namespace {

const QString unreadable = QStringLiteral("unreadable graph");

constexpr std::size_t mostRowsOfOneKind = 50'000;

QString headlineOf(const std::string& reason) {
    constexpr std::size_t longest = 400;
    return text(load::headline(reason).substr(0, longest));
}

/// Names of artifacts that report a failure.
bool isBreak(const std::string& name) {
    return name.starts_with("dynamo_graph_break_reason");
}
bool isFailure(const std::string& name) {
    return name.starts_with("dynamo_error") || name.starts_with("eager_compile_backwards_failure") ||
           name.starts_with("min_cut_failed") || name.starts_with("fx_interpreter_error") ||
           name.starts_with("aotautograd_cache_pickle_failure");
}

/// For a graph break what happened and where; for a traceback its last line.
QString messageOf(const std::string& payload, bool isBroken) {
    if (!isBroken) {
        return headlineOf(load::errorOf(payload));
    }
    const std::string place = load::graphBreakPlace(payload);
    return headlineOf(load::graphBreakReason(payload)) +
           (place.empty() ? QString() : QStringLiteral("  (%1)").arg(text(place)));
}

/// Whether a compile's restart is already explained by this graph break.
bool isWhyItRestarted(const load::Compile& compile, const QString& breakMessage) {
    const QString reason = headlineOf(compile.reason);
    return compile.status == load::CompileStatus::Restarted && !reason.isEmpty() &&
           breakMessage.startsWith(reason);
}

void addCompileProblems(std::vector<Problem>& found, const session::LogSnapshot& log,
                        load::CompileIndex index) {
    const load::Compile& compile = log.traceLog()->compile(index);
    const session::ArtifactReference reference = session::referenceTo(log, compile);
    const auto add = [&](Severity severity, const QString& what, const QString& message,
                         const std::string& artifact, std::optional<load::RecordId> record) {
        Problem problem;
        problem.severity = severity;
        problem.what = what;
        problem.where = text(idText(reference));
        problem.message = message;
        problem.log = log.log;
        problem.selection = session::Selection{reference, {}};
        problem.selection->artifact.artifact = artifact;
        problem.record = record;
        found.push_back(std::move(problem));
    };
    bool isRestartTold = false;
    const load::ArtifactList& artifacts = log.traceLog()->artifacts(index);
    for (std::size_t place = 0; place < artifacts.size(); ++place) {
        const load::Artifact& artifact = artifacts[place];
        const bool isBroken = isBreak(artifact.name);
        if (!isBroken && !isFailure(artifact.name)) {
            continue;
        }
        QString message = messageOf(log.traceLog()->payload(artifact.record), isBroken);
        if (isBroken && isWhyItRestarted(compile, message)) {
            message += QStringLiteral(", so the compile restarted");
            isRestartTold = true;
        }
        add(isBroken ? Severity::Warning : Severity::Error,
            isBroken ? QStringLiteral("graph break") : text(artifact.name), message,
            artifacts.exactName(place), artifact.record);
    }
    if (compile.status == load::CompileStatus::Failed) {
        const QString place = text(load::failurePlace(compile));
        add(Severity::Error, QStringLiteral("failed compile"),
            (place.isEmpty() ? place : place + QStringLiteral(": ")) + headlineOf(compile.reason), {},
            compile.metrics);
    } else if (compile.status == load::CompileStatus::Restarted && !isRestartTold) {
        add(Severity::Warning, QStringLiteral("restarted"), headlineOf(compile.reason), {}, compile.metrics);
    }
    for (const std::string& reason : compile.recompileReasons) {
        add(Severity::Note, QStringLiteral("recompiled"), headlineOf(reason), {}, std::nullopt);
    }
}

} // namespace

std::vector<Problem> warningsOfLog(const session::LogSnapshot& log, const std::stop_token& stop) {
    std::vector<Problem> found;
    if (const auto graphs = session::findUnreadableGraphs(log, base::Progress({}, stop));
        graphs && log.traceLog()) {
        for (const session::UnreadableGraph& each : *graphs) {
            Problem problem;
            problem.severity = Severity::Warning;
            problem.what = unreadable;
            problem.where = referenceText(each.graph);
            problem.message = text(each.error.text()).simplified();
            problem.log = log.log;
            problem.selection = session::Selection{each.graph, {}};
            found.push_back(std::move(problem));
        }
    }
    const auto warned = session::findWarnings(log, base::Progress({}, stop));
    for (const session::LoggedWarning& each :
         warned ? warned->warnings : std::vector<session::LoggedWarning>()) {
        const passes::GraphWarning& warning = each.warning;
        const std::string node = warning.nodes.empty() ? std::string() : warning.nodes.front();
        Problem problem;
        problem.severity =
            warning.severity == passes::WarningSeverity::Error ? Severity::Error : Severity::Warning;
        problem.what = text(warning.code);
        problem.where =
            referenceText(each.graph) + (node.empty() ? QString() : QStringLiteral(" · ") + text(node));
        problem.message = text(warning.message + " " + warning.hint);
        problem.log = log.log;
        problem.selection = session::Selection{each.graph, node};
        found.push_back(std::move(problem));
    }
    return found;
}

std::vector<Problem> problemsOfLog(const session::LogSnapshotPtr& log) {
    std::vector<Problem> found;
    if (!log->traceLog()) {
        for (const session::GraphSnapshotPtr& graph : log->graphs()) {
            std::vector<Problem> ofGraph = problemsOfGraph(*graph);
            std::move(ofGraph.begin(), ofGraph.end(), std::back_inserter(found));
        }
        return found;
    }
    for (const load::LogProblem& bad : log->traceLog()->problems()) {
        if (found.size() >= mostRowsOfOneKind) {
            break;
        }
        Problem problem;
        problem.severity = Severity::Warning;
        problem.what = QStringLiteral("bad record");
        problem.where = QStringLiteral("line %1").arg(bad.line);
        problem.message = text(bad.message) + QStringLiteral("  [") + text(bad.code) + QLatin1Char(']');
        problem.log = log->log;
        problem.record = bad.record;
        found.push_back(std::move(problem));
    }
    const std::size_t compiles = std::min(log->traceLog()->compiles().size(), mostRowsOfOneKind);
    for (std::size_t i = 0; i < compiles; ++i) {
        addCompileProblems(found, *log, load::CompileIndex(static_cast<std::uint32_t>(i)));
    }
    return found;
}

std::vector<Problem> problemsOfGraph(const session::GraphSnapshot& graph, bool isListed) {
    std::vector<Problem> found;
    const auto add = [&](const QString& what, const QString& message, const std::string& node) {
        Problem problem;
        problem.severity = Severity::Warning;
        problem.what = what;
        problem.where =
            referenceText(graph.reference) + (node.empty() ? QString() : QStringLiteral(" · ") + text(node));
        problem.message = message;
        problem.log = graph.reference.log;
        problem.selection = session::Selection{graph.reference, node};
        found.push_back(std::move(problem));
    };
    if (graph.error && graph.sections.empty() && !isListed) {
        add(unreadable, text(graph.error->text()).simplified(), {});
    }
    for (const ir::VerifierProblem& problem : graph.problems) {
        const bool named =
            graph.graph && problem.node.valid() && problem.node.index() < graph.graph->idBound();
        add(QStringLiteral("graph check"), text(problem.message),
            named ? graph.graph->node(problem.node).name : std::string());
    }
    return found;
}

std::vector<Problem> problemsOfRun(const session::RunSnapshot& run) {
    std::vector<Problem> found;
    if (!run.graph || !run.graph->graph) {
        return found;
    }
    const auto add = [&](Severity severity, const QString& what, const QString& message,
                         const std::string& node) {
        Problem problem;
        problem.severity = severity;
        problem.what = what;
        problem.where = referenceText(run.graph->reference) + QStringLiteral(" · ") + text(node);
        problem.message = message;
        problem.log = run.graph->reference.log;
        problem.selection = session::Selection{run.graph->reference, node};
        found.push_back(std::move(problem));
    };
    for (const session::NodeRun& node : run.nodes) {
        if (!node.mismatch.empty() && node.node.valid()) {
            add(Severity::Warning, QStringLiteral("run differs"), text(node.mismatch),
                run.graph->graph->node(node.node).name);
        }
    }
    if (run.error) {
        add(Severity::Error, QStringLiteral("run ended early"), text(run.error->text()).simplified(),
            run.error->place.node);
    }
    return found;
}

ProblemListPtr listOf(std::vector<Problem> problems, const ProblemListPtr& before) {
    if (before && before->all == problems) {
        return before;
    }
    auto list = std::make_shared<ProblemList>();
    list->all = std::move(problems);
    list->errors =
        static_cast<std::size_t>(std::ranges::count(list->all, Severity::Error, &Problem::severity));
    return list;
}

} // namespace aotscope::views
