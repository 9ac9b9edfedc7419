#include "commands.h"
#include "memory_report.h"
#include "options.h"
#include "selection.h"

#include "aot/versions/versions.h"
#include "base/mapped.h"
#include "contract/run_options.h"
#include "explore/partition_by_choices.h"
#include "files/logged_partitions.h"
#include "passes/static_inputs.h"
#include "recompile/retrace_request.h"

#include <algorithm>
#include <memory>

namespace aotscope::cli {

namespace {

/// The options of `memory`.
struct MemoryRequest {
    std::filesystem::path file;
    std::string id;
    /// The kind of a single graph; empty: training steps.
    std::string kind;
    std::string section;
    /// "auto" (the logged halves if the file has them, else partitioned by the choices), "logged", "current",
    /// "eager".
    std::string order = "auto";
    bool compare = false;
    bool measured = false;
    /// How a measurement runs the graphs.
    session::RunOptions run;
    /// The user forced choices, so the order is "current" unless another one is named.
    bool chosen = false;
    session::PartitionChoices choices;
};

/// The rules of the release that wrote the file.
passes::PartitionRules rulesOf(const session::LogSnapshot& log) {
    return aot::torchRules(session::madeBy(log).value_or(aot::knownVersions().back())).partition;
}

MemoryAnswer oneGraph(Program& program, const session::ArtifactReference& reference,
                      const MemoryRequest& request, const passes::PartitionRules& rules) {
    const session::GraphSnapshotPtr graph = program.graph(reference);
    MemoryAnswer answer{.title = titleOf(program, reference),
                        .shown = {.label = "one graph", .forward = graph->graph},
                        .graphs = {graph}};
    memory::ProfileOptions options = session::profileOptions(request.choices, *graph->graph, rules);
    if (request.measured) {
        session::RunGraph command{reference, request.run};
        command.options.symbols = graph->graph->symbolHints();
        command.options.statistics = false;
        answer.run = program.resultOf<session::RunSnapshotPtr>(command);
        failWith(answer.run->error);
        // Data-dependent sizes are taken from the run.
        options.symbols = answer.run->symbols;
    }
    answer.shown.profile =
        std::make_shared<const memory::MemoryProfile>(memory::profileGraph(*graph->graph, options));
    return answer;
}

/// The logged halves; nothing is partitioned here.
MemoryAnswer loggedTrainingStep(Program& program, const session::LoggedPartition& logged,
                                const MemoryRequest& request, const passes::PartitionRules& rules) {
    const session::GraphSnapshotPtr forward = program.graph(logged.forwardThatRan());
    const session::GraphSnapshotPtr backward = program.graph(logged.backwardThatRan());
    MemoryAnswer answer{
        .title = titleOf(program, logged.joint),
        .shown = {.label = "as logged", .forward = forward->graph, .backward = backward->graph},
        .graphs = {forward, backward}};
    const memory::TrainingStepGraphs split{*forward->graph, *backward->graph,
                                           session::forwardOutputsOf(*forward->graph, *backward->graph),
                                           passes::staticInputsOf(*forward->graph, forward->inputSources)};
    answer.shown.profile = std::make_shared<const memory::MemoryProfile>(
        memory::profileTrainingStep(split, session::profileOptions(request.choices, *forward->graph, rules)));
    return answer;
}

MemoryAnswer splitJoint(const session::PartitionSnapshotPtr& split, const std::string& title,
                        const MemoryRequest& request) {
    MemoryAnswer answer{.title = title, .graphs = {split->joint}, .rules = split->rules};
    std::vector<Profiled> orders;
    orders.push_back(
        {"current choices", split->profile, split->function.forward(), split->function.backward()});
    if (split->loggedProfile) {
        orders.push_back(
            {"as logged", split->loggedProfile, split->loggedForward->graph, split->loggedBackward->graph});
    }
    orders.push_back({"eager", split->eagerProfile, split->joint->graph, split->joint->graph});
    const std::string wanted = request.order == "logged"  ? "as logged"
                               : request.order == "eager" ? "eager"
                                                          : "current choices";
    const auto shown = std::ranges::find(orders, wanted, &Profiled::label);
    if (shown == orders.end()) {
        throw usageFailure(title + ": the file has no forward graph with a backward graph.",
                           {"Leave out --order to see the graphs that are made here."});
    }
    answer.shown = *shown;
    answer.partitioner = shown == orders.begin() ? session::partitionerText(*split) : std::string();
    orders.erase(shown);
    if (request.compare) {
        answer.others = std::move(orders);
        answer.saved = split->savedVerdict;
        answer.graphsVerdict = split->graphsVerdict;
    }
    return answer;
}

/// Adds what `make` gives, or its error.
template<typename Make>
void addApart(std::vector<MemoryAnswer>& answers, const std::string& title, Make&& make) {
    auto answer = apart(std::forward<Make>(make));
    if (answer) {
        answers.push_back(*std::move(answer));
    } else {
        answers.emplace_back().title = title;
        answers.back().error = std::move(answer).error();
    }
}

void addHalves(Program& program, const session::ArtifactReference& forward,
               const session::ArtifactReference& backward, const MemoryRequest& request,
               const passes::PartitionRules& rules, std::vector<MemoryAnswer>& answers) {
    for (const session::ArtifactReference& half : {forward, backward}) {
        addApart(answers, titleOf(program, half), [&] { return oneGraph(program, half, request, rules); });
    }
}

void addAnswers(Program& program, const session::LoggedPartition& logged, const MemoryRequest& request,
                const passes::PartitionRules& rules, std::vector<MemoryAnswer>& answers) {
    const bool halves = logged.forward && logged.backward;
    const bool asLogged = halves && !request.compare &&
                          (request.order == "logged" || (request.order == "auto" && !request.chosen));
    if (asLogged && request.measured) {
        addHalves(program, logged.forwardThatRan(), logged.backwardThatRan(), request, rules, answers);
        return;
    }
    const std::string title = titleOf(program, logged.joint);
    if (asLogged) {
        addApart(answers, title, [&] { return loggedTrainingStep(program, logged, request, rules); });
        return;
    }
    auto split = apart([&] {
        return program.resultOf<session::PartitionSnapshotPtr>(
            session::PartitionJoint{logged.joint, request.choices});
    });
    if (split && request.measured) {
        addHalves(program, (*split)->forward, (*split)->backward, request, rules, answers);
        return;
    }
    addApart(answers, title, [&] {
        if (!split) {
            throw Failure(ExitNo, split.error());
        }
        return splitJoint(*split, title, request);
    });
}

/// A graph without an answer has its error, unless it is the only one. Throws Failure.
std::vector<MemoryAnswer> memoryAnswers(Program& program, const MemoryRequest& request) {
    if (!request.kind.empty()) {
        const session::ArtifactReference reference =
            selectGraph(program, {{request.file}, request.id, request.kind, request.section});
        return {oneGraph(program, reference, request, rulesOf(*program.open({request.file}).front()))};
    }
    const auto logs = program.open({request.file});
    const bool ofSteps = request.compare || request.chosen || request.order != "auto";
    std::vector<MemoryAnswer> answers;
    for (const CompileChoice& choice : selectCompiles(logs, request.id)) {
        const auto partitions = session::loggedPartitions(*choice.log, choice.compile, choice.id);
        const passes::PartitionRules rules = rulesOf(*choice.log);
        for (const session::LoggedPartition& logged : partitions) {
            addAnswers(program, logged, request, rules, answers);
        }
        if (partitions.empty() && !ofSteps) {
            for (const session::ArtifactReference& graph : inferenceGraphs(choice)) {
                addApart(answers, titleOf(program, graph),
                         [&] { return oneGraph(program, graph, request, rules); });
            }
        }
    }
    if (answers.empty()) {
        throw usageFailure("There is no joint graph here" +
                               std::string(ofSteps ? "." : " and no inference graph."),
                           {ofSteps ? "Only a training step has other orders and options of the split."
                                    : "Choose any other graph with --kind."});
    }
    if (answers.size() == 1) {
        failWith(answers.front().error);
    }
    return answers;
}

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
    const auto [command, options] =
        addCommand(app, chosen, "memory",
                   "Predict from the graphs which values are alive at each node, and the peak", showMemory);
    command.setFooter(
        "Without --kind: the training step of each compile (forward, loss, backward), as logged "
        "unless an option chooses otherwise; for a compile without gradients, its inference "
        "graph. Sizes are those of storages. Memory that an operator allocates and frees inside "
        "itself is not predicted; --measured measures it.");
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
        "--json", [options = options] { options->format = "json"; }, "The same as --format json");
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
}

} // namespace aotscope::cli
