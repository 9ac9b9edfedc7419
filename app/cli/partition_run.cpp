#include "partition_run.h"

#include "backward_inputs.h"
#include "selection.h"

#include "ir/text_printer.h"
#include "passes/static_inputs.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

session::GraphSnapshotPtr loaded(Program& program, const session::ArtifactReference& reference) {
    auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{reference});
    if (!graph->graph) {
        throw Failure(ExitNo, graph->error.value_or(base::Error{}));
    }
    return graph;
}

std::string nodeLine(const ir::Graph& graph, ir::NodeId id) {
    const ir::Node& node = graph.node(id);
    // A text does not tell what calls with several results return.
    const bool several = std::holds_alternative<std::shared_ptr<const ir::TupleMeta>>(node.value);
    const std::string value = several ? std::string() : ir::valueText(node.value);
    return node.name + (value.empty() ? "" : ": " + value) + " = " + ir::callText(graph, id);
}

/// Nothing when both have the same nodes in the same order with the same names and arguments.
std::optional<std::string> differingNode(const ir::Graph& made, const ir::Graph& logged) {
    const auto left = made.order();
    const auto right = logged.order();
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        const std::string a = i < left.size() ? nodeLine(made, left[i]) : "(end)";
        const std::string b = i < right.size() ? nodeLine(logged, right[i]) : "(end)";
        if (a != b) {
            return "node " + std::to_string(i + 1) + ": made " + a + ", logged " + b;
        }
    }
    return std::nullopt;
}

void compareHalf(Program& program, const std::optional<session::ArtifactReference>& reference,
                 const ir::Graph& made, const char* half, PartitionRun& run) {
    if (!reference) {
        return;
    }
    const auto logged = loaded(program, *reference);
    if (const auto difference = differingNode(made, *logged->graph)) {
        run.differences.push_back(std::string(half) + ", " + *difference);
    }
    run.equal = run.differences.empty();
}

void partitionOnce(Program& program, const PartitionRequest& request, PartitionRun& run) {
    run.error.reset();
    run.partition.reset();
    run.equal.reset();
    run.differences.clear();
    auto made = passes::partitionJointGraph(run.joint->graph, run.options, program.progress());
    if (!made) {
        if (base::isCanceled(made.error())) {
            throw interrupted();
        }
        run.error = std::move(made).error();
        return;
    }
    run.partition = std::move(made).value();
    if (request.compare) {
        compareHalf(program, run.logged.forward, *run.partition->forward, "forward", run);
        compareHalf(program, run.logged.backward, *run.partition->backward, "backward", run);
    }
}

void sayNotes(PartitionRun& run) {
    const passes::PartitionReport& report = run.partition->report;
    if (report.fellBackToDefault) {
        run.notes.emplace_back(
            "No gradient is computed here: as PyTorch does, the default partition was taken.");
    }
    if (!report.unboundSymbols.empty()) {
        run.notes.push_back("No example value is known of " + listed(report.unboundSymbols) +
                            ": sizes take 4096 for each.");
    }
}

} // namespace

PartitionRun partitionLogged(Program& program, const session::LoggedPartition& logged,
                             const PartitionRequest& request) {
    PartitionRun run;
    run.logged = logged;
    run.title = titleOf(program, logged.joint);
    run.joint = loaded(program, logged.joint);
    run.options = request.options;
    run.options.staticInputs = passes::staticInputsOf(*run.joint->graph, run.joint->inputSources);
    const auto named =
        logged.partitioner == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
    run.options.partitioner = request.partitioner.value_or(named);
    partitionOnce(program, request, run);
    const bool other = run.equal == false && !request.partitioner && logged.partitioner.empty();
    if (other) {
        // A backend made with aot_autograd() takes the default partition when it names none; logs do not say.
        PartitionRun again = run;
        again.options.partitioner = passes::Partitioner::Default;
        partitionOnce(program, request, again);
        if (again.equal == true) {
            again.notes.emplace_back("The log shows the default partition; min-cut gives another.");
            run = std::move(again);
        }
    }
    if (run.partition) {
        sayNotes(run);
        run.backwardInputs = backwardInputsOf(program, logged.joint, *run.partition);
    }
    return run;
}

} // namespace aotscope::cli
