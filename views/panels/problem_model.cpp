#include "panels/problem_model.h"

#include "common/format.h"
#include "common/log_list.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "load/compile_notes.h"

#include <algorithm>
#include <iterator>

namespace aotscope::views {

namespace {

constexpr std::size_t mostRowsOfOneKind = 50'000;

QString headlineOf(const std::string& reason) {
    constexpr std::size_t longest = 400;
    return text(load::headline(reason).substr(0, longest));
}

/// The artifacts that tell of a failure.
bool isBreak(const std::string& name) {
    return name.starts_with("dynamo_graph_break_reason");
}
bool isFailure(const std::string& name) {
    return name.starts_with("dynamo_error") || name.starts_with("eager_compile_backwards_failure") ||
           name.starts_with("min_cut_failed") || name.starts_with("fx_interpreter_error") ||
           name.starts_with("aotautograd_cache_pickle_failure");
}

/// Of a graph break what happened and where, of a traceback its end.
QString messageOf(const std::string& payload, bool isBroken) {
    if (!isBroken) {
        return headlineOf(load::errorOf(payload));
    }
    const std::string place = load::graphBreakPlace(payload);
    return headlineOf(load::graphBreakReason(payload)) +
           (place.empty() ? QString() : QStringLiteral("  (%1)").arg(text(place)));
}

void addCompileProblems(std::vector<Problem>& found, const session::LogSnapshot& log,
                        load::CompileIndex index) {
    const load::Compile& compile = log.traceLog->compile(index);
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
    if (compile.status == load::CompileStatus::Failed) {
        add(Severity::Error, QStringLiteral("failed compile"), headlineOf(compile.reason), {},
            compile.metrics);
    } else if (compile.status == load::CompileStatus::Restarted) {
        add(Severity::Warning, QStringLiteral("restarted"), headlineOf(compile.reason), {}, compile.metrics);
    }
    for (const std::string& reason : compile.recompileReasons) {
        add(Severity::Note, QStringLiteral("recompiled"), headlineOf(reason), {}, std::nullopt);
    }
    const load::ArtifactList& artifacts = log.traceLog->artifacts(index);
    for (std::size_t place = 0; place < artifacts.size(); ++place) {
        const load::Artifact& artifact = artifacts[place];
        const bool isBroken = isBreak(artifact.name);
        if (isBroken || isFailure(artifact.name)) {
            add(isBroken ? Severity::Warning : Severity::Error,
                isBroken ? QStringLiteral("graph break") : text(artifact.name),
                messageOf(log.traceLog->payload(artifact.record), isBroken), artifacts.exactName(place),
                artifact.record);
        }
    }
}

} // namespace

std::vector<Problem> problemsOfLog(const session::LogSnapshotPtr& log) {
    std::vector<Problem> found;
    if (!log->traceLog) {
        for (const session::GraphSnapshotPtr& graph : log->graphs) {
            std::vector<Problem> ofGraph = problemsOfGraph(*graph);
            std::move(ofGraph.begin(), ofGraph.end(), std::back_inserter(found));
        }
        return found;
    }
    for (const load::LogProblem& bad : log->traceLog->problems()) {
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
    const std::size_t compiles = std::min(log->traceLog->compiles().size(), mostRowsOfOneKind);
    for (std::size_t i = 0; i < compiles; ++i) {
        addCompileProblems(found, *log, load::CompileIndex(static_cast<std::uint32_t>(i)));
    }
    return found;
}

std::vector<Problem> problemsOfGraph(const session::GraphSnapshot& graph) {
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
    if (graph.error && graph.sections.empty()) {
        add(QStringLiteral("unreadable graph"), text(graph.error->text()).simplified(), {});
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

ProblemModel::ProblemModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme) {}

void ProblemModel::setProblems(const QString& source, std::vector<Problem> problems) {
    const auto isOfSource = [&](const Problem& problem) { return problem.source == source; };
    for (Problem& problem : problems) {
        problem.source = source;
    }
    std::vector<Problem> before;
    std::ranges::copy_if(m_problems, std::back_inserter(before), isOfSource);
    if (before == problems) {
        return;
    }
    beginResetModel();
    std::erase_if(m_problems, isOfSource);
    std::ranges::move(problems, std::back_inserter(m_problems));
    arrange();
    endResetModel();
}

void ProblemModel::removeLog(quint32 log) {
    beginResetModel();
    std::erase_if(m_problems, [log](const Problem& problem) { return problem.log == log; });
    arrange();
    endResetModel();
}

void ProblemModel::clearFailures() {
    beginResetModel();
    std::erase_if(m_problems, [](const Problem& problem) { return !problem.log; });
    arrange();
    endResetModel();
}

void ProblemModel::setFilter(const QString& filter) {
    beginResetModel();
    m_filter = filter;
    arrange();
    endResetModel();
}

void ProblemModel::arrange() {
    m_shown.clear();
    for (std::size_t i = 0; i < m_problems.size(); ++i) {
        const Problem& problem = m_problems[i];
        if (m_filter.isEmpty() || problem.what.contains(m_filter, Qt::CaseInsensitive) ||
            problem.where.contains(m_filter, Qt::CaseInsensitive) ||
            problem.message.contains(m_filter, Qt::CaseInsensitive)) {
            m_shown.push_back(i);
        }
    }
    std::stable_sort(m_shown.begin(), m_shown.end(), [this](std::size_t left, std::size_t right) {
        return m_problems[left].severity < m_problems[right].severity;
    });
}

const Problem* ProblemModel::problemAt(int row) const {
    return row >= 0 && row < rowCount() ? &m_problems[m_shown[static_cast<std::size_t>(row)]] : nullptr;
}

std::size_t ProblemModel::errors() const {
    return static_cast<std::size_t>(
        std::count_if(m_problems.begin(), m_problems.end(),
                      [](const Problem& problem) { return problem.severity == Severity::Error; }));
}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    const Problem* problem = index.isValid() ? problemAt(index.row()) : nullptr;
    if (!problem) {
        return {};
    }
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case What: {
            static constexpr const char* glyphs[] = {"✗ ", "▲ ", "• "};
            return QString::fromUtf8(glyphs[static_cast<std::size_t>(problem->severity)]) + problem->what;
        }
        case Where:
            return problem->where;
        case Message:
            return problem->message.simplified();
        default:
            return {};
        }
    }
    if (role == Qt::ToolTipRole) {
        return plainToolTip(problem->message);
    }
    if (role == Qt::ForegroundRole && index.column() == What) {
        const Theme& theme = m_theme->theme();
        return problem->severity == Severity::Error     ? theme.bad
               : problem->severity == Severity::Warning ? theme.warning
                                                        : theme.dimText;
    }
    return role == Qt::FontRole && index.column() == Where ? QVariant(codeFont()) : QVariant();
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static constexpr const char* names[] = {"what", "where", "message"};
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole) {
        return QString::fromLatin1(names[section]);
    }
    return role == Qt::TextAlignmentRole ? QVariant(static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter))
                                         : QVariant();
}

} // namespace aotscope::views
