#include "budget_options.h"
#include "commands.h"
#include "json_text.h"
#include "partition_run.h"
#include "selection.h"
#include "table.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <cstdio>
#include <memory>

namespace aotscope::cli {

namespace {

struct BudgetCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::size_t steps = 10;
    session::StepChoices choices;
    bool json = false;
};

std::string budgetText(double budget) {
    std::array<char, 16> text{};
    (void)std::snprintf(text.data(), text.size(), "%.2f", budget);
    return text.data();
}

int showBudgets(Program& program, const BudgetCommandOptions& options) {
    const session::ArtifactReference joint = chosenJoint(program, options.file, options.id);
    const auto sweep = program.resultOf<session::BudgetSweepSnapshotPtr>(
        session::SweepBudgets{joint, options.choices, options.steps});
    Table table({{"budget", Table::Align::Right},
                 {"saved", Table::Align::Right},
                 {"bytes", Table::Align::Right},
                 {"peak", Table::Align::Right},
                 {"again", Table::Align::Right},
                 {"flops again", Table::Align::Right},
                 {"choice"}});
    Json points = Json::array();
    for (const session::BudgetSweepPoint& point : sweep->points) {
        table.add({budgetText(point.budget), std::to_string(point.saved), std::to_string(point.savedBytes),
                   std::to_string(point.peakBytes), std::to_string(point.recomputed),
                   numberText(point.recomputedFlops), point.stage});
        points.push_back({{"budget", point.budget},
                          {"saved", point.saved},
                          {"saved_bytes", point.savedBytes},
                          {"peak_bytes", point.peakBytes},
                          {"recomputed", point.recomputed},
                          {"recomputed_flops", point.recomputedFlops},
                          {"choice", point.stage}});
    }
    program.console.result(options.json ? jsonText({{"schema", "aotscope.budget/1"},
                                                    {"graph", titleOf(program, joint)},
                                                    {"runtime", runtimeName(options.choices.runtime)},
                                                    {"points", std::move(points)}})
                                        : table.text(resultWidth()));
    return ExitYes;
}

} // namespace

void addBudgetCommand(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "budget", "What each activation-memory budget saves, computes again, and needs at its peak");
    auto options = std::make_shared<BudgetCommandOptions>();
    command->add_option("FILE", options->file, "Trace log, folder of logs, or graph file")->required();
    command->add_option("--id", options->id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; rank3:0/0 or FILE:0/0 among several");
    command->add_option("--steps", options->steps, "Budgets between 0 and 1")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
        ->capture_default_str();
    addBudgetOptions(*command, options->choices);
    command->add_flag("--json", options->json, "JSON for programs (schema aotscope.budget/1)");
    command->callback([options, &chosen] {
        chosen = [options](Program& program) { return showBudgets(program, *options); };
    });
}

} // namespace aotscope::cli
