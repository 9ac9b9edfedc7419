#include "budget_options.h"
#include "commands.h"
#include "device_option.h"
#include "memory_report.h"
#include "memory_run.h"
#include "selection.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>

namespace aotscope::cli {

namespace {

struct MemoryCommandOptions {
    MemoryRequest request;
    std::string format = "table";
    /// Empty: as the device of a measurement does it.
    std::string rounding;
    std::string donated = "freed";
    std::string partitioner = "auto";
    std::vector<std::string> save;
    std::vector<std::string> recompute;
    std::size_t top = 20;
    std::filesystem::path out;
};

MemoryRequest memoryRequest(const MemoryCommandOptions& options) {
    MemoryRequest request = options.request;
    session::PartitionChoices& choices = request.choices;
    const bool onGpu = request.measured && request.device.isCuda();
    choices.rounding = options.rounding == "512" ? memory::Rounding::Blocks512
                       : options.rounding == "cuda" || (options.rounding.empty() && onGpu)
                           ? memory::Rounding::CachingAllocator
                           : memory::Rounding::Exact;
    choices.donated =
        options.donated == "reused" ? session::DonatedBuffers::Reused : session::DonatedBuffers::Freed;
    if (options.partitioner != "auto") {
        choices.partitioner =
            options.partitioner == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
    }
    for (const std::string& node : options.save) {
        choices.nodes.push_back({node, passes::Forced::Save});
    }
    for (const std::string& node : options.recompute) {
        choices.nodes.push_back({node, passes::Forced::Recompute});
    }
    request.chosen =
        choices.torch || choices.partitioner || choices.memoryBudget != 1.0 || !choices.nodes.empty();
    if (request.measured && (request.compare || request.order == "eager")) {
        throw usageFailure("--measured runs compiled graphs: leave out --compare and --order eager.");
    }
    if (options.donated == "reused" &&
        (request.measured || !request.kind.empty() || request.order == "eager")) {
        throw usageFailure("--donated reused applies to a compiled step: leave out --measured (it runs the "
                           "graphs node by node), --kind and --order eager.");
    }
    if (!request.kind.empty() && (request.compare || request.chosen || request.order != "auto")) {
        throw usageFailure(
            "--kind shows one graph, which has only one order and no choices: leave out --kind, or else "
            "--order, --compare, --partitioner, --budget, --save and --recompute.");
    }
    return request;
}

std::string formatted(const MemoryCommandOptions& options, const std::vector<MemoryAnswer>& answers) {
    if (options.format == "svg") {
        if (answers.size() > 1) {
            std::vector<std::string> names;
            names.reserve(answers.size());
            for (const MemoryAnswer& answer : answers) {
                names.push_back(answer.title);
            }
            throw usageFailure("A picture can show only one of these: " + listed(names) + ".",
                               {"Choose with --id, or one graph with --kind."});
        }
        return memorySvg(answers.front());
    }
    if (options.format == "json") {
        Json json{{"schema", "aotscope.memory/1"}, {"profiles", Json::array()}};
        for (const MemoryAnswer& answer : answers) {
            json["profiles"].push_back(memoryJson(answer));
        }
        return jsonText(json);
    }
    std::string text = options.format == "csv" ? "graph,name,bytes,category,from,last,module\n" : "";
    for (const MemoryAnswer& answer : answers) {
        text += options.format == "csv" ? memoryCsv(answer) : memoryTable(answer, options.top);
    }
    return text;
}

int showMemory(Program& program, const MemoryCommandOptions& options) {
    const std::vector<MemoryAnswer> answers = memoryAnswers(program, memoryRequest(options));
    program.console.resultTo(options.out, formatted(options, answers));
    for (const MemoryAnswer& answer : answers) {
        const memory::MemoryProfile& profile = *answer.shown.profile;
        if (!profile.unknown.empty()) {
            program.console.message(answer.title +
                                    ": unknown sizes, counted as 0: " + listed(profile.unknown) + ".");
        }
        std::vector<Profiled> orders = answer.others;
        orders.insert(orders.begin(), answer.shown);
        for (const Profiled& order : orders) {
            for (const std::string& note : order.profile->approximations) {
                program.console.message(order.label + ": " + note);
            }
        }
    }
    return ExitYes;
}

void addChoices(CLI::App& command, MemoryCommandOptions& options) {
    session::PartitionChoices& choices = options.request.choices;
    command
        .add_option("--order", options.request.order,
                    "auto, logged, current (split here, with the options below), or eager")
        ->check(CLI::IsMember({"auto", "logged", "current", "eager"}))
        ->capture_default_str();
    command.add_flag("--compare", options.request.compare,
                     "Compare with the other orders, and list the values that make their peaks differ");
    command.add_option("--partitioner", options.partitioner, "auto, default or min-cut")
        ->check(CLI::IsMember({"auto", "default", "min-cut"}))
        ->capture_default_str();
    command.add_option("--budget", choices.memoryBudget, "activation_memory_budget, 0 to 1")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    addBudgetOptions(command, choices);
    command.add_option("--save", options.save, "Node of the joint graph to save");
    command.add_option("--recompute", options.recompute, "Node of the joint graph to compute again");
}

} // namespace

void addMemoryCommand(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "memory", "Predict from the graphs which values are alive at each node, and the peak");
    command->footer("Without --kind: the training step of each compile (forward, loss, backward), as logged "
                    "unless an option chooses otherwise; for a compile without gradients, its inference "
                    "graph. Sizes are those of storages. Memory that an operator allocates and frees inside "
                    "itself is not predicted; --measured measures it.");
    auto options = std::make_shared<MemoryCommandOptions>();
    MemoryRequest& request = options->request;
    command->add_option("FILE", request.file, "Trace log, folder of logs, or graph file")->required();
    command->add_option("--id", request.id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
    command->add_option("--kind", request.kind,
                        "Show only one graph: joint, forward, backward, inference, …");
    command->add_option("--section", request.section, "Graph inside the artifact, as in the command graph");
    addChoices(*command, *options);
    command->add_flag("--measured", request.measured,
                      "Run the graphs and compare with what the device's allocator reports");
    command->add_option("--seed", request.seed, "Seed of the inputs made for --measured")
        ->capture_default_str();
    addDeviceOption(*command, request.device, "With --measured: on");
    command
        ->add_option("--format", options->format,
                     "table, json (schema aotscope.memory/1), csv, or svg (a picture)")
        ->check(CLI::IsMember({"table", "json", "csv", "svg"}))
        ->capture_default_str();
    command->add_flag_callback(
        "--json", [options] { options->format = "json"; }, "The same as --format json");
    command
        ->add_option(
            "--rounding", options->rounding,
            "exact (the default), 512: multiples of 512 bytes, or cuda (the default for --measured on a "
            "GPU): the blocks that the CUDA caching allocator hands out")
        ->check(CLI::IsMember({"exact", "512", "cuda"}));
    command
        ->add_option(
            "--donated", options->donated,
            "Memory of saved values that only the backward holds: freed after their last use (as when graphs "
            "run node by node), or reused for results of the same size (as Inductor compiles it)")
        ->check(CLI::IsMember({"freed", "reused"}))
        ->capture_default_str();
    command->add_option("--top", options->top, "Number of values to list")->capture_default_str();
    command->add_option("-o,--output", options->out, "File to write instead of standard output");
    command->callback([options, &chosen] {
        chosen = [options](Program& program) { return showMemory(program, *options); };
    });
}

} // namespace aotscope::cli
