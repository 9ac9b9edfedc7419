#include "answer.h"
#include "commands.h"
#include "log_summary.h"
#include "table.h"

#include "files/unreadable_graphs.h"
#include "load/compile_notes.h"
#include "recompile/compile_warnings.h"
#include "session/shared_backend.h"

#include <algorithm>

namespace aotscope::cli {

/// A problem: a defect of the log itself, a failure that it reports, or what a graph shows by itself.
struct ProblemAnswer {
    std::string severity = "error";
    std::string id;
    std::size_t line = 0;
    std::string code;
    std::string message;
    /// The nodes that a warning is about.
    std::vector<std::string> nodes = {};
    std::string hint = {};
};
AOTSCOPE_MEMBERS(ProblemAnswer, severity, id, line, code, message, nodes, hint)

struct LogProblems {
    std::filesystem::path path;
    std::vector<ProblemAnswer> problems;
};
AOTSCOPE_MEMBERS(LogProblems, path, problems)

struct ProblemsAnswer {
    std::vector<LogProblems> logs = {};
};
AOTSCOPE_MEMBERS(ProblemsAnswer, logs)
AOTSCOPE_ANSWER(ProblemsAnswer, "aotscope.problems/1")

namespace {

struct ProblemsCommandOptions {
    std::vector<std::filesystem::path> files;
    bool verify = false;
    bool json = false;
};

void addUnreadable(Program& program, const session::LogSnapshot& log, std::vector<ProblemAnswer>& rows) {
    const auto found = session::findUnreadableGraphs(log, program.progress());
    if (!found) {
        throw interrupted();
    }
    for (const session::UnreadableGraph& each : *found) {
        rows.push_back({"error", log.traceLog() ? session::idText(each.graph) : "-", each.line,
                        each.error.code, each.graph.artifact + ": " + firstLine(each.error.message)});
    }
}

std::vector<ProblemAnswer> problemsOf(Program& program, const session::LogSnapshotPtr& snapshot) {
    std::vector<ProblemAnswer> rows;
    if (!snapshot->traceLog()) {
        addUnreadable(program, *snapshot, rows);
        return rows;
    }
    const load::TraceLog& log = *snapshot->traceLog();
    for (const load::LogProblem& problem : log.problems()) {
        std::string id;
        if (problem.record) {
            if (const load::CompileIndex compile = log.compileOf(*problem.record); compile.valid()) {
                id = log.compile(compile).id.text();
            }
        }
        rows.push_back({"error", std::move(id), problem.line, problem.code, problem.message});
    }
    for (const load::Compile& compile : log.compiles()) {
        if (compile.status == load::CompileStatus::Failed) {
            const std::size_t line = compile.records.empty() ? 0 : log.lineOf(compile.records.front());
            const std::string place = load::failurePlace(compile);
            rows.push_back({"error", session::idText(compile.id, compile.rank), line, "compile.failed",
                            (place.empty() ? "" : place + ": ") + load::headline(compile.reason)});
        }
    }
    addUnreadable(program, *snapshot, rows);
    return rows;
}

void addWarnings(const session::LogWarnings& found, std::vector<ProblemAnswer>& rows) {
    for (const session::LoggedWarning& each : found.warnings) {
        const passes::GraphWarning& warning = each.warning;
        rows.push_back({std::string(base::wordOf(warning.severity)), session::idText(each.graph), each.line,
                        warning.code, warning.message, warning.nodes, warning.hint});
    }
}

std::string countText(std::size_t count, const std::string& what) {
    return count == 0 ? "No " + what + "s." : counted(count, what) + ".";
}

int showProblems(Program& program, const ProblemsCommandOptions& options) {
    ProblemsAnswer answer;
    std::size_t count = 0;
    std::size_t warnings = 0;
    const auto logs = program.open(options.files, options.verify);
    for (const session::LogSnapshotPtr& log : logs) {
        std::vector<ProblemAnswer> rows = problemsOf(program, log);
        if (log->traceLog()) {
            auto warned = session::findWarnings(*log, program.progress());
            if (!warned) {
                throw interrupted();
            }
            addWarnings(*warned, rows);
        }
        const auto errors =
            static_cast<std::size_t>(std::ranges::count(rows, "error", &ProblemAnswer::severity));
        count += errors;
        warnings += rows.size() - errors;
        Table table({numbers("line"), "id", "severity", "code", "problem"});
        for (const ProblemAnswer& row : rows) {
            table.add({row.line == 0 ? "" : std::to_string(row.line), row.id, row.severity, row.code,
                       row.hint.empty() ? row.message : row.message + " " + row.hint});
        }
        if (!options.json && !rows.empty()) {
            program.console.result((logs.size() > 1 ? printable(log->path.string()) + "\n" : "") +
                                   table.shown());
        }
        answer.logs.push_back({log->path, std::move(rows)});
    }
    if (options.json) {
        program.console.result(answerText(answer));
    }
    program.console.message(countText(count, "problem") +
                            (warnings == 0 ? std::string() : " " + countText(warnings, "warning")));
    return count == 0 ? ExitYes : ExitNo;
}

} // namespace

void addProblemsCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "problems",
                   "List bad records, failed compiles, graphs that cannot be read, and what graphs show of "
                   "wrong results; exit code 1 when there are any, warnings not counted",
                   showProblems);
    command.addOption("FILE", &options->files, "Trace logs or folders of them", {.required = true});
    command.addFlag("--verify", &options->verify, "Check the md5 of every payload");
    command.addFlag("--json", &options->json, jsonHelp<ProblemsAnswer>());
}

} // namespace aotscope::cli
