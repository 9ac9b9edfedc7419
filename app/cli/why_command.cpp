#include "commands.h"
#include "compile_answer.h"
#include "options.h"
#include "partition_run.h"
#include "selection.h"
#include "table.h"

#include "base/mapped.h"
#include "passes/alternative.h"

#include <algorithm>

namespace aotscope::cli {

struct WhyAnswer {
    std::string graph;
    std::string input;
    std::string node;
    std::string decision;
    std::optional<aot::RulesChoice> rules = {};
    std::vector<std::string> bans = {};
    std::optional<passes::AlternativeChange> alternative = {};
    std::optional<base::Error> noAlternative = {};
    std::vector<passes::GraphWarning> warnings = {};
};
AOTSCOPE_MEMBERS(WhyAnswer, graph, input, node, decision, rules, bans, alternative, noAlternative, warnings)
AOTSCOPE_ANSWER(WhyAnswer, "aotscope.why/2")

namespace {

struct WhyCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::string node;
    SplitOptions split;
    std::string input = "auto";
    bool json = false;
};

std::string signedBytes(std::int64_t bytes) {
    return (bytes < 0 ? "-" : "+") + bytesText(bytes < 0 ? -bytes : bytes);
}

std::string alternativeText(const passes::Alternative& alternative) {
    const bool save = alternative.choice == passes::Forced::Save;
    std::string text = save ? "If it were saved: " : "If it were recomputed: ";
    text += signedBytes(alternative.bytes) + " saved, " + (alternative.flops < 0 ? "" : "+") +
            numberText(alternative.flops) + " flops recomputed.\n";
    const auto add = [&text](const char* title, const std::vector<std::string>& names) {
        if (!names.empty()) {
            text += std::string("  ") + title + ": " + listed(names) + "\n";
        }
    };
    add("then saved", alternative.newlySaved);
    add("no longer saved", alternative.noLongerSaved);
    add("then recomputed", alternative.newlyRecomputed);
    add("no longer recomputed", alternative.noLongerRecomputed);
    return text;
}

/// The compile's last joint graph, which is the one that was compiled, partitioned. Nothing if it has none.
std::optional<PartitionRun> splitFor(Program& program, const CompileChoice& choice,
                                     const WhyCommandOptions& options) {
    const PartitionRequest request{options.split.partitioner, options.split.choices(),
                                   *base::fromWord<JointInput>(options.input)};
    const std::vector<PartitionJob> jobs = partitionJobs(choice, request);
    // Logged graphs were compiled; jobs that can only be traced come after them.
    const auto last = std::ranges::find_if(jobs.rbegin(), jobs.rend(),
                                           [](const PartitionJob& job) { return job.logged.has_value(); });
    auto run = jobs.empty() ? std::nullopt
                            : Partitioner(program, request).run(last == jobs.rend() ? jobs.back() : *last);
    if (run && run->error) {
        throw Failure(ExitNo, *run->error);
    }
    return run;
}

/// For a compile without gradients: there are no decisions, so it reports how long the value is alive.
int answerOfInference(Program& program, const InferenceGraph& inference, const WhyCommandOptions& options) {
    const auto node = inference.graph->tryFind(options.node);
    if (!node) {
        throw usageFailure("The inference graph has no node \"" + options.node + "\".");
    }
    std::string decision = "in an inference graph: there is no backward to save it for";
    const auto& ranges = inference.profile.ranges;
    const auto range = std::ranges::find_if(ranges, [&](const memory::LiveRange& alive) {
        return alive.name == options.node ||
               std::ranges::find(alive.aliases, options.node) != alive.aliases.end();
    });
    if (range != ranges.end()) {
        const auto nameAt = [&](std::uint32_t position) {
            return inference.graph->node(inference.profile.nodes[position]).name;
        };
        decision += "; its memory (" + bytesText(range->bytes) + ") is alive from " + nameAt(range->from) +
                    " to " + nameAt(range->last);
    }
    const WhyAnswer answer{inference.title, "inference graph", options.node, decision};
    program.console.result(options.json ? answerText(answer) : options.node + ": " + decision + "\n");
    return ExitYes;
}

int answerWhy(Program& program, const WhyCommandOptions& options) {
    const auto logs = program.open({options.file});
    const CompileChoice choice = selectCompile(logs, options.id);
    const std::optional<PartitionRun> split = splitFor(program, choice, options);
    if (!split) {
        if (const auto inference = readInferenceGraph(program, choice)) {
            return answerOfInference(program, *inference, options);
        }
        throw usageFailure("There is no joint graph here, and no inference graph.");
    }
    const PartitionRun& run = *split;
    program.console.messages(run.graph + ": ", run.notes);
    const session::PartitionSnapshotPtr& snapshot = run.split;
    program.console.message(run.graph + ": " + session::partitionerText(*snapshot) + ", " +
                            snapshot->rules.text() + ".");
    const session::ArtifactReference& joint = snapshot->joint->reference;
    const passes::Partition& partition = *snapshot->partition;
    const auto node = partition.joint->tryFind(options.node);
    if (!node) {
        throw usageFailure("The joint graph has no node \"" + options.node + "\".");
    }
    const std::string decision = passes::decisionText(*partition.joint, partition.report, *node);
    const auto other = program.resultOf<session::NodeAlternativeSnapshotPtr>(
        session::FindAlternative{joint, snapshot->choices, options.node});
    std::vector<passes::GraphWarning> warnings = snapshot->warnings;
    std::erase_if(warnings, [&](const passes::GraphWarning& warning) {
        return std::ranges::find(warning.nodes, options.node) == warning.nodes.end();
    });
    if (options.json) {
        WhyAnswer answer{run.graph, jointInputText(run), options.node, decision, snapshot->rules};
        answer.bans = base::mapped(partition.report.nodes[node->index()].bans, [&](const passes::Ban& ban) {
            return passes::banText(*partition.joint, ban);
        });
        answer.alternative = other->alternative;
        answer.noAlternative = other->error;
        answer.warnings = warnings;
        program.console.result(answerText(answer));
        return ExitYes;
    }
    std::string text = options.node + ": " + decision + "\n" + warningsText(warnings);
    if (other->alternative) {
        text += alternativeText(*other->alternative);
    } else if (other->error->code != "passes.no_choice") {
        text += "There is no alternative: " + other->error->text() + "\n";
    }
    program.console.result(text);
    return ExitYes;
}

} // namespace

void addWhyCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "why",
                   "Why a node is saved or recomputed, and what the alternative would cost", answerWhy);
    command.addOption("FILE", &options->file, "Trace log, folder of logs, or graph file", {.required = true});
    addIdOption(command, options->id);
    command.addOption("--node", &options->node, "Name of a node in the joint graph", {.required = true});
    addPartitionerOption(command, options->split, "Partitioner: auto, default or min-cut");
    addInputOption(command, options->input, "Joint graph to split: auto, traced or logged");
    addCostOptions(command, options->split.others);
    addBudgetOption(command, options->split, "Activation-memory budget, 0 to 1");
    command.addFlag("--json", &options->json, jsonHelp<WhyAnswer>());
}

} // namespace aotscope::cli
