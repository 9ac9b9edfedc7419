#include "memory_run.h"

#include "inference_graph.h"
#include "selection.h"

#include "explore/partition_by_choices.h"
#include "files/logged_partitions.h"
#include "passes/static_inputs.h"
#include "recompile/retrace_request.h"

#include "aot/versions/versions.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

/// The rules of the release that wrote the file.
passes::PartitionRules rulesOf(const session::LogSnapshot& log) {
    return aot::torchRules(session::madeBy(log).value_or(aot::knownVersions().back())).partition;
}

MemoryAnswer oneGraph(Program& program, const session::ArtifactReference& reference,
                      const MemoryRequest& request, const passes::PartitionRules& rules) {
    MemoryAnswer answer;
    answer.title = titleOf(program, reference);
    const session::GraphSnapshotPtr graph = program.graph(reference);
    answer.graphs = {graph};
    answer.shown.label = "one graph";
    answer.shown.forward = graph->graph;
    memory::ProfileOptions options = session::profileOptions(request.choices, *graph->graph, rules);
    if (request.measured) {
        session::RunGraph command;
        command.graph = reference;
        command.options = request.run;
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

/// With saved-tensors hooks, if PyTorch inlined any.
const session::ArtifactReference& forwardThatRan(const session::LoggedPartition& logged) {
    return logged.hookedForward ? *logged.hookedForward : *logged.forward;
}

const session::ArtifactReference& backwardThatRan(const session::LoggedPartition& logged) {
    return logged.hookedBackward ? *logged.hookedBackward : *logged.backward;
}

/// The logged halves; nothing is partitioned here.
MemoryAnswer loggedTrainingStep(Program& program, const session::LoggedPartition& logged,
                                const MemoryRequest& request, const passes::PartitionRules& rules) {
    MemoryAnswer answer;
    answer.title = titleOf(program, logged.joint);
    const session::GraphSnapshotPtr forward = program.graph(forwardThatRan(logged));
    const session::GraphSnapshotPtr backward = program.graph(backwardThatRan(logged));
    answer.graphs = {forward, backward};
    answer.shown.label = "as logged";
    answer.shown.forward = forward->graph;
    answer.shown.backward = backward->graph;
    const memory::TrainingStepGraphs split{*forward->graph, *backward->graph,
                                           session::forwardOutputsOf(*forward->graph, *backward->graph),
                                           passes::staticInputsOf(*forward->graph, forward->inputSources)};
    answer.shown.profile = std::make_shared<const memory::MemoryProfile>(
        memory::profileTrainingStep(split, session::profileOptions(request.choices, *forward->graph, rules)));
    return answer;
}

MemoryAnswer splitJoint(const session::PartitionSnapshotPtr& split, const std::string& title,
                        const MemoryRequest& request) {
    MemoryAnswer answer;
    answer.title = title;
    answer.graphs = {split->joint};
    answer.rules = split->rules;
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
        addHalves(program, forwardThatRan(logged), backwardThatRan(logged), request, rules, answers);
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

} // namespace

std::string Profiled::nodeAt(std::uint32_t position) const {
    const ir::NodeId node = profile->nodes[position];
    if (!node.valid()) {
        return position < profile->backwardBegin ? "(between forward and backward)" : "(optimizer)";
    }
    const ir::Graph& graph = position < profile->forwardEnd || !backward ? *forward : *backward;
    return graph.node(node).name;
}

std::string MemoryAnswer::moduleOf(const memory::LiveRange& range) const {
    for (const session::GraphSnapshotPtr& graph : graphs) {
        const auto node = graph->graph->tryFind(range.name);
        if (node && node->index() < graph->modules.ofNode.size()) {
            return graph->modules.ofNode[node->index()].path;
        }
    }
    return {};
}

std::vector<MeasuredDifference> measuredDifferences(const MemoryAnswer& answer) {
    std::vector<MeasuredDifference> differences;
    std::int64_t before = 0;
    const std::vector<std::int64_t>& predicted = answer.shown.profile->intermediateBytes;
    for (std::size_t i = 0; i < answer.run->nodes.size() && i < predicted.size(); ++i) {
        const session::NodeRun& ran = answer.run->nodes[i];
        const std::int64_t apart = ran.aliveBytes - predicted[i];
        if (apart != before) {
            differences.push_back({answer.shown.forward->node(ran.node).name, predicted[i], ran.aliveBytes});
            before = apart;
        }
    }
    return differences;
}

const session::NodeRun* largestScratch(const session::RunSnapshot& run) {
    const auto found = std::ranges::max_element(run.nodes, {}, &session::NodeRun::scratchBytes);
    return found == run.nodes.end() || found->scratchBytes == 0 ? nullptr : &*found;
}

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

} // namespace aotscope::cli
