#include "commands.h"
#include "log_summary.h"
#include "selection.h"
#include "table.h"

#include "load/compile_notes.h"

#include <memory>

namespace aotscope::cli {

namespace {

struct ProblemsCommandOptions {
    std::vector<std::filesystem::path> files;
    bool verify = false;
    bool json = false;
};

/// A problem: a defect of the log itself, or a failure that it reports.
struct Row {
    std::string id;
    std::size_t line = 0;
    std::string code;
    std::string message;
};

std::vector<Row> problemsOf(const load::TraceLog& log) {
    std::vector<Row> rows;
    for (const load::LogProblem& problem : log.problems()) {
        std::string id;
        if (problem.record) {
            if (const load::CompileIndex compile = log.compileOf(*problem.record); compile.valid()) {
                id = log.compile(compile).id.text();
            }
        }
        rows.push_back({std::move(id), problem.line, problem.code, problem.message});
    }
    for (const load::Compile& compile : log.compiles()) {
        if (compile.status == load::CompileStatus::Failed) {
            const std::size_t line = compile.records.empty() ? 0 : log.lineOf(compile.records.front());
            const std::string place = load::failurePlace(compile);
            rows.push_back({session::idText(compile.id, compile.rank), line, "compile.failed",
                            (place.empty() ? "" : place + ": ") + load::headline(compile.reason)});
        }
    }
    return rows;
}

int showProblems(Program& program, const ProblemsCommandOptions& options) {
    Json logsJson = Json::array();
    std::size_t count = 0;
    const auto logs = program.open(options.files, options.verify);
    for (const session::LogSnapshotPtr& log : logs) {
        const std::vector<Row> rows = log->traceLog ? problemsOf(*log->traceLog) : std::vector<Row>();
        count += rows.size();
        Table table({{"line", Table::Align::Right}, {"id"}, {"code"}, {"problem"}});
        Json list = Json::array();
        for (const Row& row : rows) {
            table.add({row.line == 0 ? "" : std::to_string(row.line), row.id, row.code, row.message});
            list.push_back(
                {{"line", row.line}, {"id", row.id}, {"code", row.code}, {"message", row.message}});
        }
        logsJson.push_back({{"path", log->path.string()}, {"problems", std::move(list)}});
        if (!options.json && !rows.empty()) {
            program.console.result((logs.size() > 1 ? printable(log->path.string()) + "\n" : "") +
                                   table.text(resultWidth()));
        }
    }
    if (options.json) {
        program.console.result(jsonText({{"schema", "aotscope.problems/1"}, {"logs", std::move(logsJson)}}));
    }
    program.console.message(count == 0   ? "No problems."
                            : count == 1 ? "1 problem."
                                         : std::to_string(count) + " problems.");
    return count == 0 ? ExitYes : ExitNo;
}

} // namespace

void addProblemsCommand(Command app, Action& chosen) {
    const Command command =
        app.addCommand("problems", "List bad records and failed compiles; exit code 1 when there are any");
    auto options = std::make_shared<ProblemsCommandOptions>();
    command.addOption("FILE", &options->files, "Trace logs or folders of them").required();
    command.addFlag("--verify", &options->verify, "Check the md5 of every payload");
    command.addFlag("--json", &options->json, "JSON for programs (schema aotscope.problems/1)");
    command.onCall([options, &chosen] {
        chosen = [options](Program& program) { return showProblems(program, *options); };
    });
}

void addSchemasCommand(Command app, Action& chosen) {
    const Command command =
        app.addCommand("schemas", "List the schema of every operator of LibTorch, sorted");
    command.onCall([&chosen] {
        chosen = [](Program& program) -> int {
            auto schemas = program.session.operatorSchemas();
            if (!schemas) {
                throw Failure(ExitNo, std::move(schemas).error());
            }
            std::string text;
            for (const std::string& schema : *schemas) {
                text += schema + "\n";
            }
            program.console.result(text);
            return ExitYes;
        };
    });
}

} // namespace aotscope::cli
