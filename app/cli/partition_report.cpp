#include "backward_inputs.h"
#include "budget_options.h"
#include "partition_run.h"
#include "table.h"
#include "warning_report.h"

#include "aot/versions/versions.h"
#include "base/mapped.h"

#include <span>
#include <utility>

namespace aotscope::cli {

namespace {

std::string partitionerName(const PartitionRun& run) {
    if (!run.split) {
        return {};
    }
    return run.split->options.partitioner == passes::Partitioner::Default ? "default" : "min-cut";
}

const ir::Graph& jointOf(const PartitionRun& run) {
    return *run.split->partition->joint;
}

const passes::PartitionReport& reportOf(const PartitionRun& run) {
    return run.split->partition->report;
}

/// A table row of a saved or recomputed value.
template<typename Row>
ValueAnswer valueAnswer(const PartitionRun& run, const Row& row) {
    const ir::Node& node = jointOf(run).node(row.node);
    const passes::NodeDecision& decision = reportOf(run).nodes[row.node.index()];
    ValueAnswer answer{row.name,
                       node.target,
                       row.bytes,
                       {},
                       {},
                       row.module,
                       row.source,
                       decision.distanceFromBackward,
                       decision.weight,
                       row.reason};
    if (const ir::TensorMeta* tensor = ir::asTensor(node.value)) {
        answer.dtype = ir::dtypeName(tensor->dtype);
        answer.shape = tensor->shape;
    }
    answer.bans = base::mapped(decision.bans,
                               [&](const passes::Ban& ban) { return passes::banText(jointOf(run), ban); });
    return answer;
}

template<typename Row>
std::vector<ValueAnswer> valueAnswers(const PartitionRun& run, std::span<const Row> rows) {
    return base::mapped(rows, [&](const Row& row) { return valueAnswer(run, row); });
}

std::string cellOf(const PartitionRun& run, const std::optional<base::Verdict>& verdict) {
    if (run.error) {
        return "failed: " + run.error->message;
    }
    return verdict ? base::verdictText(*verdict) : std::string();
}

/// "2.15": the release whose rules the partition follows.
std::string ruleNumber(const PartitionRun& run) {
    return run.split ? aot::torchVersionText(aot::rulesVersion(run.split->rules.release())) : std::string();
}

std::string metadataVerdict(const PartitionRun& run) {
    if (!run.metadataDifferences) {
        return {};
    }
    return run.metadataDifferences->empty() ? "equal" : "differs: " + run.metadataDifferences->front();
}

} // namespace

std::string jointInputText(const PartitionRun& run) {
    return run.traced ? "traced joint graph" : "logged joint graph";
}

std::string partitionTable(const PartitionRun& run) {
    const session::PartitionSnapshot& split = *run.split;
    Table table({{"saved"},
                 {"bytes", Table::Align::Right},
                 {"dtype"},
                 {"shape"},
                 {"module", Table::Align::Left, Table::Kept::End},
                 {"why"}});
    for (const session::SavedTensor& row : split.saved) {
        table.add({row.name, std::to_string(row.bytes), row.dtype, row.shape, row.module, row.reason});
    }
    std::string text = table.empty() ? std::string() : table.text(resultWidth());
    text += std::to_string(split.joint->graph->size()) + " nodes: forward " +
            std::to_string(split.partition->forward->size()) + ", backward " +
            std::to_string(split.partition->backward->size()) + "; " +
            std::to_string(split.recomputed.size()) + " recomputed; saved " + bytesText(split.savedBytes) +
            " (" + session::partitionerText(split) + ", from the " + jointInputText(run) + ", " +
            split.rules.text() + ")\n";
    return text + warningsText(split.warnings) + backwardInputsTable(run.backwardInputs);
}

std::string partitionSummary(const std::vector<PartitionRun>& runs) {
    Table table({{"graph", Table::Align::Left, Table::Kept::End},
                 {"input"},
                 {"partitioner"},
                 {"rules"},
                 {"nodes", Table::Align::Right},
                 {"forward", Table::Align::Right},
                 {"backward", Table::Align::Right},
                 {"saved", Table::Align::Right},
                 {"bytes", Table::Align::Right},
                 {"again", Table::Align::Right},
                 {"what is saved"},
                 {"graphs"},
                 {"metadata"}});
    for (const PartitionRun& run : runs) {
        std::vector<std::string> cells{run.title, run.traced ? "traced" : "logged",
                                       run.split ? session::partitionerText(*run.split) : std::string(),
                                       ruleNumber(run)};
        if (run.split) {
            const session::PartitionSnapshot& split = *run.split;
            cells.push_back(std::to_string(split.joint->graph->size()));
            cells.push_back(std::to_string(split.partition->forward->size()));
            cells.push_back(std::to_string(split.partition->backward->size()));
            cells.push_back(std::to_string(split.saved.size()));
            cells.push_back(bytesText(split.savedBytes));
            cells.push_back(std::to_string(split.recomputed.size()));
        } else {
            cells.resize(10);
        }
        cells.push_back(cellOf(run, run.saved));
        cells.push_back(run.error ? std::string() : cellOf(run, run.graphs));
        cells.push_back(metadataVerdict(run));
        table.add(std::move(cells));
    }
    return table.text(resultWidth());
}

std::string explainedPartitions(const std::vector<PartitionRun>& runs) {
    std::string text;
    for (const PartitionRun& run : runs) {
        for (const auto& [what, verdict] :
             {std::pair("what is saved", &run.saved), {"graphs", &run.graphs}}) {
            if (*verdict) {
                text += run.title + ", " + what + ": " + base::explainedVerdict(**verdict);
            }
        }
    }
    return text;
}

HalvesAnswer halvesAnswer(const PartitionRun& run) {
    HalvesAnswer answer{.savedVerdict = run.saved,
                        .graphsVerdict = run.graphs,
                        .differences = run.differences,
                        .metadataDifferences = run.metadataDifferences.value_or(std::vector<std::string>()),
                        .notes = run.notes};
    if (run.halves && !isEqualUnderDefault(run) && (areGraphsCompared(run) || !run.saved->isEqual())) {
        answer.equal = run.saved->isEqual() && run.graphs->isEqual();
    }
    if (run.metadataDifferences) {
        answer.metadataEqual = run.metadataDifferences->empty();
    }
    return answer;
}

std::string halvesVerdictText(const PartitionRun& run) {
    if (run.error || !run.saved) {
        return run.error ? "failed: " + run.error->message : std::string();
    }
    if (!run.saved->isEqual()) {
        return base::verdictText(*run.saved);
    }
    return areGraphsCompared(run) ? base::verdictText(*run.graphs)
                                  : "equal in what is saved; graphs " + base::verdictText(*run.graphs);
}

PartitionAnswer partitionAnswer(const PartitionRun& run) {
    PartitionAnswer answer{halvesAnswer(run), run.title, jointInputText(run), partitionerName(run),
                           run.error};
    if (!run.split) {
        return answer;
    }
    const session::PartitionSnapshot& split = *run.split;
    const passes::Partition& partition = *split.partition;
    const std::span<const session::SavedTensor> saved(split.saved);
    const std::size_t tensors = saved.size() - partition.savedSymbols.size();
    answer.rules = rulesUsed(split.rules);
    answer.partitionerSource = split.partitionerSource;
    answer.nodes = split.joint->graph->size();
    answer.forwardNodes = partition.forward->size();
    answer.backwardNodes = partition.backward->size();
    answer.forwardOutputs = partition.forwardOutputs;
    answer.staticInputs = split.options.staticInputs;
    answer.memoryBudget = split.options.memoryBudget;
    answer.configuration = configurationAnswer(split.config, split.rules.release(), aot::touches::partition);
    answer.runtime = runtimeName(split.choices.runtime, split.config);
    answer.savedBytes = split.savedBytes;
    answer.saved = valueAnswers(run, saved.first(tensors));
    answer.savedSymbols = valueAnswers(run, saved.subspan(tensors));
    answer.recomputed = valueAnswers(run, std::span<const session::RecomputedValue>(split.recomputed));
    answer.donatedInputsOfBackward = passes::donatedBuffers(partition);
    answer.backwardInputs = run.backwardInputs;
    answer.cutWeight = partition.report.cutWeight;
    answer.warnings = split.warnings;
    return answer;
}

} // namespace aotscope::cli
