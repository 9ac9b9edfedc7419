#include "answer.h"
#include "commands.h"
#include "log_summary.h"
#include "retrace_report.h"
#include "selection.h"
#include "table.h"

#include "aot/functorch_config.h"
#include "aot/versions/versions.h"
#include "base/formatted.h"
#include "evidence/read_request.h"
#include "files/logged_config.h"
#include "load/compile_notes.h"

#include <map>

namespace aotscope::cli {

struct ShownOption {
    std::string name;
    std::string value;
    /// These are empty where no release is known to have the option.
    std::optional<std::string> default_ = {};
    std::optional<bool> isDefault = {};
    bool followed = false;
    std::optional<std::string> canChange = {};
};
AOTSCOPE_MEMBERS(ShownOption, name, value, default_, isDefault, followed, canChange)

struct CompileConfig {
    std::string compile;
    std::string torch;
    bool logged = false;
    std::vector<ShownOption> options = {};
};
AOTSCOPE_MEMBERS(CompileConfig, compile, torch, logged, options)

struct ConfigAnswer {
    std::vector<CompileConfig> compiles = {};
};
AOTSCOPE_MEMBERS(ConfigAnswer, compiles)
AOTSCOPE_ANSWER(ConfigAnswer, "aotscope.config/1")

namespace {

std::string configText(const CompileConfig& shown, const std::string& rules) {
    Table table({"option", "value", "default of " + rules, "", "can change"});
    for (const ShownOption& option : shown.options) {
        const std::string usual = option.default_.value_or("unknown");
        const std::string changes = option.canChange.value_or("unknown");
        table.add({option.name, option.value, option.value == option.default_ ? "the same" : usual,
                   changes == aot::touchesText(aot::touches::nothing) ? "changes nothing here"
                   : option.followed                                  ? "followed"
                                                                      : "not followed",
                   changes});
    }
    return shown.compile +
           (shown.logged ? ""
                         : ": the file does not tell its options; these are the defaults of torch " + rules) +
           "\n" + table.shown();
}
CompileConfig configAnswer(const session::CompileOptions& shown, std::string title) {
    CompileConfig answer{std::move(title), aot::torchVersionText(shown.release), shown.isLogged};
    const aot::FunctorchConfig defaults = aot::defaultConfig(shown.release);
    for (const aot::ConfigOption* option : aot::shownOptions(shown.config, shown.release)) {
        answer.options.push_back(
            {std::string(option->name), aot::optionText(shown.config, *option),
             aot::optionText(defaults, *option), aot::isDefault(shown.config, *option, shown.release),
             aot::isFollowed(shown.config, *option, shown.release), aot::touchesText(option->touches)});
    }
    for (const auto& [name, text] : shown.config.unknown) {
        answer.options.push_back({.name = name, .value = text});
    }
    return answer;
}

/// `open --config`: PyTorch's options during each compile, each with its value, whether it is the default of
/// the release, whether it is followed here, and what it can change.
int showConfig(Program& program, const std::vector<std::filesystem::path>& files, const std::string& id,
               bool json) {
    ConfigAnswer answer;
    for (const TargetChoice& choice : selectTargets(program.open(files), id)) {
        const auto& graph = choice.target.program ? choice.target.program : choice.target.logged;
        if (!graph || graph->log != choice.log->log) {
            continue;
        }
        const session::CompileOptions options = session::compileOptionsOf(*choice.log, *graph);
        const bool isFirst = answer.compiles.empty();
        answer.compiles.push_back(configAnswer(options, targetTitle(choice)));
        if (!json) {
            const std::string rules = aot::torchVersionText(aot::rulesVersion(options.release));
            program.console.result((isFirst ? "" : "\n") + configText(answer.compiles.back(), rules));
        }
    }
    if (answer.compiles.empty()) {
        throw usageFailure("There is no compile with a graph here.");
    }
    if (json) {
        program.console.result(answerText(answer));
    }
    return ExitYes;
}

struct OpenCommandOptions {
    std::vector<std::filesystem::path> files;
    bool json = false;
    bool problems = false;
    bool verify = false;
    bool nodes = false;
    bool noNodes = false;
    bool config = false;
    std::string id;
};

std::string whereText(const load::Compile& compile) {
    if (compile.file.empty()) {
        return {};
    }
    return compile.line > 0 ? compile.file + ":" + std::to_string(compile.line) : compile.file;
}

std::string graphsText(const std::vector<GraphCount>& graphs) {
    std::string text;
    for (const GraphCount& graph : graphs) {
        text += (text.empty() ? "" : ", ") + graph.name;
        text += graph.nodes ? " " + std::to_string(*graph.nodes) : graph.error ? " ?" : "";
    }
    return text;
}

/// With a fixed number of decimals, so that the column aligns.
std::string secondsText(std::optional<double> seconds) {
    if (!seconds) {
        return {};
    }
    return base::formatted("%.3f", *seconds);
}

/// Why a compile failed or restarted, else why it was a recompile, and where its graph broke.
std::string reasonText(const load::Compile& compile) {
    if (!compile.reason.empty()) {
        const std::string place =
            compile.status == load::CompileStatus::Failed ? load::failurePlace(compile) : std::string();
        return (place.empty() ? "" : place + ": ") + load::headline(compile.reason);
    }
    std::string text;
    const auto add = [&](const char* what, const std::vector<std::string>& reasons) {
        for (const std::string& reason : reasons) {
            text += (text.empty() ? "" : "; ") + std::string(what) + load::headline(reason);
        }
    };
    add("recompiled: ", compile.recompileReasons);
    add("graph break: ", compile.graphBreaks);
    return text;
}

std::string compileTable(const LogAnswer& answer) {
    Table table({"id", "status", "function", paths("where"), "graphs (nodes)", numbers("guards"),
                 numbers("seconds"), "cache", "reason"});
    for (const CompileAnswer& compile : answer.compiles) {
        table.add({session::idText(compile.id, compile.rank),
                   compile.isCompile ? std::string(base::wordOf(compile.status)) : "no id", compile.function,
                   whereText(compile), graphsText(compile.graphs), compile.guardCount,
                   secondsText(compile.seconds), compile.cache, reasonText(compile)});
    }
    return table.shown();
}

std::string problemTable(const std::vector<load::LogProblem>& problems) {
    Table table({numbers("line"), "code", "problem"});
    for (const load::LogProblem& problem : problems) {
        table.add({problem.line, problem.code, problem.message});
    }
    return table.shown();
}

std::string totalsText(const LogAnswer& answer) {
    const load::LogTotals& totals = *answer.totals;
    std::string text = counted(answer.compileCount, "compile");
    std::map<std::string_view, std::size_t> statuses;
    for (const CompileAnswer& compile : answer.compiles) {
        if (compile.isCompile) {
            ++statuses[base::wordOf(compile.status)];
        }
    }
    std::string parts;
    for (const auto& [status, count] : statuses) {
        parts += (parts.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(status);
    }
    text += parts.empty() ? "" : " (" + parts + ")";
    text += ", " + counted(totals.records, "record") + ", " + counted(totals.payloads, "payload") + ", " +
            sizeText(totals.bytes) + ", " + counted(totals.problems, "problem");
    if (!totals.torchVersion.empty()) {
        text += ", torch " + totals.torchVersion;
    }
    return printable(text) + "\n";
}

std::string documentText(const LogAnswer& answer) {
    if (answer.events) {
        return "A profiler's trace of " + std::to_string(*answer.events) +
               " events; `aotscope-cli profile` shows it.\n";
    }
    Table table({"id", "kind", numbers("nodes"), "error"});
    for (const GraphCount& graph : answer.graphs) {
        table.add(
            {"-", graph.name, graph.nodes, graph.error ? firstLine(graph.error->message) : std::string()});
    }
    return table.shown();
}

std::string logText(const LogAnswer& answer, const OpenCommandOptions& options, bool withTitle) {
    std::string text;
    if (withTitle) {
        text += printable(answer.path.string());
        text += answer.rank ? " (rank " + std::to_string(*answer.rank) + ")\n" : "\n";
    }
    if (!answer.totals) {
        return text + documentText(answer);
    }
    if (!answer.compiles.empty()) {
        text += compileTable(answer);
    }
    text += totalsText(answer);
    if (options.problems && !answer.problems.empty()) {
        text += "\n" + problemTable(answer.problems);
    }
    return text;
}

int open(Program& program, const OpenCommandOptions& options) {
    if (options.config) {
        return showConfig(program, options.files, options.id, options.json);
    }
    std::optional<base::Error> failed;
    const auto logs = program.open(options.files, options.verify, &failed);
    const NodeCounting counting = options.noNodes ? NodeCounting::Never
                                  : options.nodes ? NodeCounting::Always
                                                  : NodeCounting::WhenQuick;
    OpenAnswer answer;
    bool first = true;
    bool nodesLeftOut = false;
    for (const session::LogSnapshotPtr& log : logs) {
        LogAnswer shown = logAnswer(program, *log, counting);
        nodesLeftOut = nodesLeftOut || (shown.nodesLeftOut && !options.json);
        if (options.json) {
            answer.logs.push_back(std::move(shown));
            continue;
        }
        program.console.result((first ? "" : "\n") + logText(shown, options, logs.size() > 1));
        first = false;
    }
    if (nodesLeftOut) {
        program.console.message(
            "Node counts were left out because the graphs are large; --nodes counts them.");
    }
    if (options.json) {
        answer.error = failed;
        program.console.result(answerText(answer));
    }
    failWith(failed, ExitUnreadable);
    return ExitYes;
}

} // namespace

void addOpenCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(app, chosen, "open", "Show the compiles of trace logs", open);
    command.addOption(
        "FILE", &options->files,
        "Trace logs (plain, .gz, .xz), folders of them (searched four levels deep), or graph files",
        {.required = true});
    command.addFlag("--json", &options->json, jsonHelp<OpenAnswer>());
    command.addFlag("--problems", &options->problems, "List bad records with their lines too");
    command.addFlag("--verify", &options->verify, "Check the md5 of every payload");
    const Option nodes =
        command.addFlag("--nodes", &options->nodes, "Count nodes even if the graphs are large");
    command.addFlag("--no-nodes", &options->noNodes, "Do not count nodes", {.excludes = {nodes}});
    const Option config =
        command.addFlag("--config", &options->config,
                        "The options of PyTorch during each compile: value, default of the "
                        "release, whether it is "
                        "followed here, what it can change (with --json schema aotscope.config/1)");
    command.addOption(
        "--id", &options->id,
        "With --config: compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0",
        {.needs = {config}});
}

} // namespace aotscope::cli
