#include "commands.h"
#include "hooks_report.h"
#include "partition_run.h"
#include "selection.h"

#include "hooks/hook_library.h"
#include "hooks/hook_plan.h"
#include "load/whole_file.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace aotscope::cli {

namespace {

struct HooksCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    std::vector<std::string> hooks;
    std::string mode;
    std::string partitioner = "auto";
    std::string input = "auto";
    bool compare = false;
    bool json = false;
    bool list = false;
    std::string text;
    std::filesystem::path out;
};

/// A hook named by a file has the file's name in the plan.
void addRule(hooks::HookPlan& plan, const std::string& given) {
    auto rule = hooks::readHookRule(given);
    if (!rule) {
        throw Failure(ExitUsage, std::move(rule).error());
    }
    const std::filesystem::path path(rule->hook);
    if (!plan.tryText(rule->hook) && path.has_extension()) {
        base::Progress progress;
        auto text = load::readWhole(path, std::uint64_t{16} << 20, progress);
        if (!text) {
            throw Failure(ExitUnreadable, std::move(text).error());
        }
        rule->hook = path.filename().string();
        plan.own[rule->hook] = std::move(text).value();
    }
    plan.rules.push_back(std::move(rule).value());
}

PartitionRequest requestOf(const HooksCommandOptions& options) {
    PartitionRequest request;
    request.compare = options.compare;
    request.input = jointInputNamed(options.input);
    if (options.partitioner != "auto") {
        request.choices.partitioner =
            options.partitioner == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
    }
    hooks::HookPlan plan;
    for (const std::string& hook : options.hooks) {
        addRule(plan, hook);
    }
    if (plan.rules.empty() && options.mode.empty()) {
        return request;
    }
    if (plan.rules.empty()) {
        plan.rules.push_back({{}, std::string(hooks::loggedHook)});
    }
    if (auto unknown = hooks::unknownHook(plan)) {
        throw Failure(ExitUsage, *std::move(unknown));
    }
    plan.filter = passes::hookFilterFromName(options.mode);
    request.choices.hooks = std::move(plan);
    return request;
}

std::vector<PartitionRun> runAll(Program& program, const HooksCommandOptions& options) {
    const auto logs = program.open(options.files);
    const std::vector<CompileChoice> choices =
        options.id.empty() ? compilesWithGraphs(logs) : std::vector{selectCompile(logs, options.id)};
    Partitioner partitioner(program, requestOf(options));
    std::vector<PartitionRun> runs;
    for (const CompileChoice& choice : choices) {
        for (const PartitionJob& job :
             partitionJobs(choice, options.partitioner, jointInputNamed(options.input))) {
            if (auto run = partitioner.run(job)) {
                runs.push_back(std::move(*run));
            }
        }
    }
    if (runs.empty()) {
        throw usageFailure("There is no joint graph here: nothing is saved for a backward.",
                           {"A log has one for each compile whose inputs need gradients; see open."});
    }
    return runs;
}

void writeAll(Program& program, const std::filesystem::path& out, const std::vector<PartitionRun>& runs) {
    session::CompileFolders folders(
        std::ranges::any_of(runs, [&](const PartitionRun& run) { return run.log != runs.front().log; }));
    for (const PartitionRun& run : runs) {
        const std::filesystem::path folder = out / folders.next(run.log->path, run.compile);
        const auto files = hooksFiles(run);
        if (files.empty()) {
            continue;
        }
        std::error_code failed;
        std::filesystem::create_directories(folder, failed);
        for (const session::NamedText& file : files) {
            program.console.resultTo(folder / file.name, file.text);
        }
    }
}

void show(Program& program, const HooksCommandOptions& options, const std::vector<PartitionRun>& runs) {
    if (options.json) {
        Json json{{"schema", "aotscope.hooks/1"}, {"compiles", Json::array()}};
        for (const PartitionRun& run : runs) {
            json["compiles"].push_back(hooksJson(run));
        }
        program.console.result(jsonText(json));
    } else if (runs.size() == 1 && runs.front().split && !options.compare) {
        program.console.result(hooksTable(runs.front()));
    } else {
        program.console.result(hooksSummary(runs));
    }
    for (const PartitionRun& run : runs) {
        for (const std::string& note : run.notes) {
            program.console.message(run.title + ": " + note);
        }
    }
}

bool isBroken(const PartitionRun& run) {
    return run.split && run.split->hooks && !run.split->hooks->broken.empty();
}

int showHooks(Program& program, const HooksCommandOptions& options) {
    if (options.list) {
        program.console.result(libraryTable());
        return ExitYes;
    }
    if (!options.text.empty()) {
        const hooks::LibraryHook* hook = hooks::tryLibraryHook(options.text);
        if (hook == nullptr) {
            throw usageFailure("There is no hook named \"" + options.text + "\" in the library; see --list.");
        }
        program.console.result(std::string(hook->text));
        return ExitYes;
    }
    if (options.files.empty()) {
        throw usageFailure("Name a log or a graph file, or use --list.");
    }
    const std::vector<PartitionRun> runs = runAll(program, options);
    if (!options.out.empty()) {
        writeAll(program, options.out, runs);
    }
    show(program, options, runs);
    if (runs.size() == 1 && runs.front().error) {
        throw Failure(ExitNo, *runs.front().error);
    }
    const bool isWrong = std::ranges::any_of(runs, [](const PartitionRun& run) {
        return isDifferent(run) || run.error.has_value() || isBroken(run);
    });
    if (options.compare &&
        std::ranges::none_of(runs, [](const PartitionRun& run) { return run.equal.has_value(); })) {
        throw Failure(ExitNo, base::Error{.code = "cli.nothing_to_compare",
                                          .message = "There is no forward or backward graph to compare with.",
                                          .hint = "Leave --compare out."});
    }
    return isWrong ? ExitNo : ExitYes;
}

} // namespace

void addHooksCommand(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "hooks",
        "Inline saved-tensors hooks into the graphs, and say what they store in place of each tensor");
    command->footer(
        "Without --hook the hooks that were traced with the program are inlined. A hook is a name of --list, "
        "a file with two graphs named pack and unpack, logged, recompute or none; \"NAME=FILTER\" gives it "
        "to "
        "the saved tensors that match: \"bf16=dtype:f32 bytes>1MB module:attn* op:mm category:input\". The "
        "first --hook that matches decides. Exit code 1 when a compile differs or fails, or a hook could not "
        "be applied.");
    auto options = std::make_shared<HooksCommandOptions>();
    command->add_option("FILE", options->files, "Trace logs, folders of logs, or graph files");
    command->add_option("--id", options->id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
    command->add_option("--hook", options->hooks, "NAME, FILE.txt or logged, with =FILTER after it")
        ->take_all();
    command
        ->add_option("--mode", options->mode,
                     "Which saved tensors hooks apply to: donated, no_static or all; without it as the file "
                     "says, else donated")
        ->check(CLI::IsMember({"donated", "no_static", "all"}));
    command->add_option("--partitioner", options->partitioner, "default, min-cut or auto, as for partition")
        ->check(CLI::IsMember({"auto", "default", "min-cut"}))
        ->capture_default_str();
    command
        ->add_option("--input", options->input,
                     "Joint graph to split: traced, logged or auto, as for partition")
        ->check(CLI::IsMember({"auto", "traced", "logged"}))
        ->capture_default_str();
    command->add_flag("--compare", options->compare,
                      "Compare the halves, and each pack and unpack graph, with the logged ones");
    command->add_option("--out", options->out,
                        "Folder for the graphs, one per compile id: joint, forward, backward, "
                        "forward_before_hooks, backward_before_hooks, pack_0, unpack_0, …");
    command->add_flag("--list", options->list, "The hooks that ship with the program");
    command->add_option("--text", options->text, "Print the text of one of them, to begin one's own with");
    command->add_flag("--json", options->json, "JSON (schema aotscope.hooks/1)");
    command->callback([options, &chosen] {
        chosen = [options](Program& program) { return showHooks(program, *options); };
    });
}

} // namespace aotscope::cli
