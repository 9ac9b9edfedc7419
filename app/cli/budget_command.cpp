#include "commands.h"
#include "compile_answer.h"
#include "options.h"
#include "partition_run.h"
#include "selection.h"
#include "table.h"

#include "base/formatted.h"

namespace aotscope::cli {

struct BudgetsAnswer {
    std::string graph;
    std::string_view runtime;
    double memoryBudget = 0;
    std::optional<std::vector<OptionAnswer>> configuration;
    std::optional<aot::RulesChoice> rules = {};
    /// Without a backward all budgets are alike: one point, whose budget means nothing.
    bool hasBackward = true;
    std::vector<session::BudgetSweepPoint> points = {};
};
AOTSCOPE_MEMBERS(BudgetsAnswer, graph, runtime, memoryBudget, configuration, rules, hasBackward, points)
AOTSCOPE_ANSWER(BudgetsAnswer, "aotscope.budget/2")

namespace {

struct BudgetCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::size_t steps = 10;
    session::PartitionChoices choices;
    bool json = false;
};

/// Nothing is saved without a backward, so budgets have no effect and there is only one point.
void addInference(Program& program, const CompileChoice& choice, BudgetsAnswer& answer) {
    const auto inference = readInferenceGraph(program, choice);
    if (!inference) {
        throw usageFailure("There is no joint graph here, and no inference graph.",
                           {"retrace --log FILE writes a log with the graphs that can be traced."});
    }
    program.console.message(inference->title +
                            ": no backward, so nothing is saved and every budget gives the same result.");
    answer.graph = inference->title;
    answer.hasBackward = false;
    session::BudgetSweepPoint& point = answer.points.emplace_back();
    point.peakBytes = inference->profile.peak.bytes;
    point.intermediatePeakBytes = inference->profile.intermediatePeak.bytes;
    point.stage = "no backward";
}

int showBudgets(Program& program, const BudgetCommandOptions& options) {
    const CompileChoice choice = selectCompile(program.open({options.file}), options.id);
    const auto joint = lastJoint(choice);
    const auto sweep = joint ? program.resultOf<session::BudgetSweepSnapshotPtr>(
                                   session::SweepBudgets{*joint, options.choices, options.steps})
                             : nullptr;
    const aot::FunctorchConfig config = sweep ? sweep->config : aot::FunctorchConfig();
    const aot::TorchVersion made = sweep ? sweep->rules.release() : aot::unnamedVersion();
    BudgetsAnswer answer{{},
                         runtimeName(options.choices.runtime, config),
                         config.activationMemoryBudget,
                         configurationAnswer(config, made, aot::touches::partition)};
    if (sweep) {
        answer.graph = titleOf(program, *joint);
        answer.rules = sweep->rules;
        answer.points = sweep->points;
    } else {
        addInference(program, choice, answer);
    }
    if (options.json) {
        program.console.result(answerText(answer));
        return ExitYes;
    }
    Table table({numbers("budget"), numbers("saved"), numbers("bytes"), numbers("peak"), numbers("again"),
                 numbers("flops again"), "choice"});
    for (const session::BudgetSweepPoint& point : answer.points) {
        table.add({answer.hasBackward ? base::formatted("%.2f", point.budget) : "any", point.saved,
                   point.savedBytes, point.peakBytes, point.recomputed, numberText(point.recomputedFlops),
                   point.stage});
    }
    program.console.result(table.shown());
    if (answer.rules) {
        program.console.message(answer.graph + ": " + answer.rules->text() + ".");
        program.console.messages("  ", aot::configurationLines(config, made, aot::touches::partition));
    }
    return ExitYes;
}

} // namespace

void addBudgetCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "budget",
        "What each activation-memory budget saves, computes again, and needs at its peak", showBudgets);
    command.addOption("FILE", &options->file, "Trace log, folder of logs, or graph file", {.required = true});
    addIdOption(command, options->id);
    command.addOption("--steps", &options->steps, "Budgets between 0 and 1",
                      {.between = std::pair(std::size_t{1}, std::size_t{1000}), .showDefault = true});
    addCostOptions(command, options->choices);
    command.addFlag("--json", &options->json, jsonHelp<BudgetsAnswer>());
}

} // namespace aotscope::cli
