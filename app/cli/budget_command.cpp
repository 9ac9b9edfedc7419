#include "commands.h"
#include "json_text.h"
#include "selection.h"
#include "table.h"

#include "memory/memory_profile.h"
#include "passes/budget_curve.h"
#include "passes/static_inputs.h"
#include "session/logged_partitions.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <cstdio>
#include <memory>

namespace aotscope::cli {

namespace {

struct Options {
    std::filesystem::path file;
    std::string id;
    std::size_t steps = 10;
    bool json = false;
};

session::GraphSnapshotPtr chosenJoint(Program& program, const Options& options) {
    const auto logs = program.open({options.file});
    const CompileChoice choice = selectCompile(logs, options.id);
    const std::vector<session::LoggedPartition> found =
        session::loggedPartitions(*choice.log, choice.compile, choice.id);
    if (found.empty()) {
        throw usageFailure("There is no joint graph here.");
    }
    // The last of several is the one that went on to be compiled.
    auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{found.back().joint});
    if (!graph->graph) {
        throw Failure(ExitNo, graph->error.value_or(base::Error{}));
    }
    return graph;
}

memory::MemoryProfile profileOf(const passes::BudgetPoint& point, const passes::PartitionOptions& options) {
    const memory::StepGraphs step{*point.partition.forward, *point.partition.backward,
                                  point.partition.forwardOutputs, options.staticInputs};
    return memory::profileStep(step);
}

std::string budgetText(double budget) {
    std::array<char, 16> text{};
    (void)std::snprintf(text.data(), text.size(), "%.2f", budget);
    return text.data();
}

int show(Program& program, const Options& options) {
    const session::GraphSnapshotPtr joint = chosenJoint(program, options);
    passes::PartitionOptions partition;
    partition.staticInputs = passes::staticInputsOf(*joint->graph, joint->inputSources);
    const auto curve = passes::budgetCurve(joint->graph, partition, options.steps, program.progress());
    if (!curve) {
        if (base::isCanceled(curve.error())) {
            throw interrupted();
        }
        throw Failure(ExitNo, curve.error());
    }
    Table table({{"budget", Table::Align::Right},
                 {"saved", Table::Align::Right},
                 {"bytes", Table::Align::Right},
                 {"peak", Table::Align::Right},
                 {"again", Table::Align::Right},
                 {"flops again", Table::Align::Right},
                 {"choice"}});
    Json points = Json::array();
    for (const passes::BudgetPoint& point : *curve) {
        const memory::MemoryProfile profile = profileOf(point, partition);
        table.add({budgetText(point.budget), std::to_string(point.saved), std::to_string(point.savedBytes),
                   std::to_string(profile.peak.bytes), std::to_string(point.recomputed),
                   numberText(point.flops), point.stage});
        points.push_back({{"budget", point.budget},
                          {"saved", point.saved},
                          {"saved_bytes", point.savedBytes},
                          {"peak_bytes", profile.peak.bytes},
                          {"recomputed", point.recomputed},
                          {"recomputed_flops", point.flops},
                          {"choice", point.stage}});
    }
    program.console.result(options.json ? jsonText({{"schema", "aotscope.budget/1"},
                                                    {"graph", titleOf(program, joint->reference)},
                                                    {"points", std::move(points)}})
                                        : table.text(resultWidth()));
    return ExitYes;
}

} // namespace

void addBudgetCommand(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "budget", "What each activation-memory budget saves, computes again, and needs at its peak");
    auto options = std::make_shared<Options>();
    command->add_option("FILE", options->file, "Trace log, folder of logs, or graph file")->required();
    command->add_option("--id", options->id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; rank3:0/0 or FILE:0/0 among several");
    command->add_option("--steps", options->steps, "Budgets between 0 and 1")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "JSON for programs (schema aotscope.budget/1)");
    command->callback(
        [options, &chosen] { chosen = [options](Program& program) { return show(program, *options); }; });
}

} // namespace aotscope::cli
