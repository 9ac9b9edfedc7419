#include "base/mapped.h"
#include "commands.h"
#include "memory_report.h"
#include "memory_run.h"
#include "options.h"
#include "selection.h"

#include <memory>

namespace aotscope::cli {

namespace {

struct MemoryCommandOptions {
    MemoryRequest request;
    std::string format = "table";
    /// Empty: as the device of a measurement does it.
    std::string rounding;
    std::string donated = "freed";
    SplitOptions split;
    std::size_t top = 20;
    std::filesystem::path out;
};

MemoryRequest memoryRequest(const MemoryCommandOptions& options) {
    MemoryRequest request = options.request;
    session::PartitionChoices& choices = request.choices;
    choices = options.split.choices();
    request.chosen = choices.torch || choices.partitioner || choices.memoryBudget ||
                     !choices.config.empty() || !choices.nodes.empty();
    const bool onGpu = request.measured && request.run.device.isCuda();
    choices.rounding = options.rounding == "512" ? memory::Rounding::Blocks512
                       : options.rounding == "cuda" || (options.rounding.empty() && onGpu)
                           ? memory::Rounding::CachingAllocator
                           : memory::Rounding::Exact;
    choices.donated =
        options.donated == "reused" ? session::DonatedBuffers::Reused : session::DonatedBuffers::Freed;
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
            const auto names = base::mapped(answers, &MemoryAnswer::title);
            throw usageFailure("A picture can show only one of these: " + listed(names) + ".",
                               {"Choose with --id, or one graph with --kind."});
        }
        return memorySvg(answers.front());
    }
    if (options.format == "json") {
        return answerText(MemoriesAnswer{base::mapped(answers, memoryShown)});
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
    bool all = true;
    for (const MemoryAnswer& answer : answers) {
        if (answer.error) {
            all = false;
            program.console.message(answer.title + ": " + answer.error->message);
            continue;
        }
        const memory::MemoryProfile& profile = *answer.shown.profile;
        if (!profile.unknown.empty()) {
            program.console.message(answer.title +
                                    ": unknown sizes, counted as 0: " + listed(profile.unknown) + ".");
        }
        std::vector<Profiled> orders = answer.others;
        orders.insert(orders.begin(), answer.shown);
        for (const Profiled& order : orders) {
            program.console.messages(order.label + ": ", order.profile->approximations);
        }
    }
    return all ? ExitYes : ExitNo;
}

void addChoices(Command command, MemoryCommandOptions& options) {
    command.addOption("--order", &options.request.order,
                      "auto, logged, current (split here, with the options below), or eager",
                      {.oneOf = {"auto", "logged", "current", "eager"}, .showDefault = true});
    command.addFlag("--compare", &options.request.compare,
                    "Compare with the other orders, and list the values that make their peaks differ");
    addPartitionerOption(command, options.split, "auto, default or min-cut");
    addBudgetOption(command, options.split, "activation_memory_budget, 0 to 1");
    addCostOptions(command, options.split.others);
    command.addOption("--save", &options.split.save, "Node of the joint graph to save");
    command.addOption("--recompute", &options.split.recompute, "Node of the joint graph to recompute");
}

} // namespace

void addMemoryCommand(Command app, Action& chosen) {
    const Command command =
        app.addCommand("memory", "Predict from the graphs which values are alive at each node, and the peak");
    command.setFooter(
        "Without --kind: the training step of each compile (forward, loss, backward), as logged "
        "unless an option chooses otherwise; for a compile without gradients, its inference "
        "graph. Sizes are those of storages. Memory that an operator allocates and frees inside "
        "itself is not predicted; --measured measures it.");
    auto options = std::make_shared<MemoryCommandOptions>();
    MemoryRequest& request = options->request;
    command.addOption("FILE", &request.file, "Trace log, folder of logs, or graph file", {.required = true});
    addIdOption(command, request.id);
    command.addOption("--kind", &request.kind, "Show only one graph: joint, forward, backward, inference, …");
    command.addOption("--section", &request.section, "Nested graph, by path a/b");
    addChoices(command, *options);
    command.addFlag("--measured", &request.measured,
                    "Run the graphs and compare with what the device's allocator reports");
    command.addOption("--seed", &request.run.seed, "Seed of the synthetic inputs for --measured",
                      {.showDefault = true});
    addDeviceOption(command, request.run.device, "Device for --measured");
    command.addOption("--format", &options->format,
                      "table, json (schema aotscope.memory/2), csv, or svg (a picture)",
                      {.oneOf = {"table", "json", "csv", "svg"}, .showDefault = true});
    command.addFlag(
        "--json", [options] { options->format = "json"; }, "The same as --format json");
    command.addOption(
        "--rounding", &options->rounding,
        "exact (the default), 512: multiples of 512 bytes, or cuda (the default for --measured on a "
        "GPU): the blocks that the CUDA caching allocator hands out",
        {.oneOf = {"exact", "512", "cuda"}});
    command.addOption(
        "--donated", &options->donated,
        "Memory of saved values that only the backward holds: freed after their last use (as when graphs "
        "run node by node), or reused for results of the same size (as Inductor compiles it)",
        {.oneOf = {"freed", "reused"}, .showDefault = true});
    command.addOption("--top", &options->top, "Number of values to list", {.showDefault = true});
    command.addOption("-o,--output", &options->out, "File to write instead of standard output");
    onCall(command, chosen, options, showMemory);
}

} // namespace aotscope::cli
