#include "commands.h"
#include "compile_answer.h"
#include "inference_graph.h"
#include "options.h"
#include "partition_run.h"
#include "selection.h"
#include "table.h"

#include "base/formatted.h"

#include <memory>

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

std::string budgetText(double budget) {
    return base::formatted("%.2f", budget);
}

struct BudgetCurve {
    std::string title;
    std::vector<session::BudgetSweepPoint> points;
    /// Without a backward nothing is saved, so budgets have no effect and there is only one point.
    bool hasBackward = true;
    /// The rules that the partitions follow; unset without a backward.
    std::optional<aot::RulesChoice> rules = {};
    std::optional<aot::FunctorchConfig> config = {};
};

BudgetCurve answerFor(Program& program, const BudgetCommandOptions& options) {
    const auto logs = program.open({options.file});
    const CompileChoice choice = selectCompile(logs, options.id);
    if (const auto joint = lastJoint(choice)) {
        const auto sweep = program.resultOf<session::BudgetSweepSnapshotPtr>(
            session::SweepBudgets{*joint, options.choices, options.steps});
        return {titleOf(program, *joint), sweep->points, true, sweep->rules, sweep->config};
    }
    const auto inference = readInferenceGraph(program, choice);
    if (!inference) {
        throw usageFailure("There is no joint graph here, and no inference graph.",
                           {"retrace --log FILE writes a log with the graphs that can be traced."});
    }
    program.console.message(inference->title +
                            ": no backward, so nothing is saved and every budget gives the same result.");
    session::BudgetSweepPoint point;
    point.peakBytes = inference->profile.peak.bytes;
    point.intermediatePeakBytes = inference->profile.intermediatePeak.bytes;
    point.stage = "no backward";
    return {inference->title, {point}, false};
}

int showBudgets(Program& program, const BudgetCommandOptions& options) {
    const BudgetCurve answer = answerFor(program, options);
    Table table({numbers("budget"), numbers("saved"), numbers("bytes"), numbers("peak"), numbers("again"),
                 numbers("flops again"), "choice"});
    for (const session::BudgetSweepPoint& point : answer.points) {
        table.add({answer.hasBackward ? budgetText(point.budget) : "any", std::to_string(point.saved),
                   std::to_string(point.savedBytes), std::to_string(point.peakBytes),
                   std::to_string(point.recomputed), numberText(point.recomputedFlops), point.stage});
    }
    const aot::FunctorchConfig config = answer.config.value_or(aot::FunctorchConfig{});
    const aot::TorchVersion made = answer.rules ? answer.rules->release() : aot::unnamedVersion();
    const BudgetsAnswer json{answer.title,
                             runtimeName(options.choices.runtime, config),
                             config.activationMemoryBudget,
                             configurationAnswer(config, made, aot::touches::partition),
                             answer.rules,
                             answer.hasBackward,
                             answer.points};
    program.console.result(options.json ? answerText(json) : table.text(resultWidth()));
    if (answer.rules && !options.json) {
        program.console.message(answer.title + ": " + answer.rules->text() + ".");
        program.console.messages("  ", aot::configurationLines(config, made, aot::touches::partition));
    }
    return ExitYes;
}

} // namespace

void addBudgetCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "budget", "What each activation-memory budget saves, computes again, and needs at its peak");
    auto options = std::make_shared<BudgetCommandOptions>();
    command.addOption("FILE", &options->file, "Trace log, folder of logs, or graph file").required();
    addIdOption(command, options->id);
    command.addOption("--steps", &options->steps, "Budgets between 0 and 1")
        .between(std::size_t{1}, std::size_t{1000})
        .showDefault();
    addCostOptions(command, options->choices);
    command.addFlag("--json", &options->json, jsonHelp<BudgetsAnswer>());
    onCall(command, chosen, options, showBudgets);
}

} // namespace aotscope::cli
