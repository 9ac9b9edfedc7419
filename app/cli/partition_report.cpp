#include "compile_answer.h"
#include "options.h"
#include "partition_run.h"
#include "table.h"

#include "aot/versions/versions.h"
#include "base/mapped.h"

#include <span>
#include <utility>

namespace aotscope::cli {

namespace {

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

std::string backwardInputsTable(const std::vector<passes::BackwardInput>& inputs) {
    Table table(
        {"input of the backward", numbers("position"), "kind", "stride", "given with stride", "donated"});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        table.add({inputs[i].name, i, inputs[i].kind, sizesText(inputs[i].stride),
                   sizesText(inputs[i].restrided), inputs[i].donated ? "may be overwritten" : ""});
    }
    return table.empty() ? std::string() : table.shown();
}

} // namespace

std::string metadataVerdict(const PartitionRun& run) {
    if (!run.metadataEqual) {
        return {};
    }
    return *run.metadataEqual ? "equal" : "differs: " + run.metadataDifferences.front();
}

std::string jointInputText(const PartitionRun& run) {
    return run.traced ? "traced joint graph" : "logged joint graph";
}

std::string partitionTable(const PartitionRun& run) {
    const session::PartitionSnapshot& split = *run.split;
    Table table({"saved", numbers("bytes"), "dtype", "shape", paths("module"), "why"});
    for (const session::SavedTensor& row : split.saved) {
        table.add({row.name, row.bytes, row.dtype, row.shape, row.module, row.reason});
    }
    std::string text = table.empty() ? std::string() : table.shown();
    text += textOf(split.joint->graph->size(), " nodes: forward ", split.partition->forward->size(),
                   ", backward ", split.partition->backward->size(), "; ", split.recomputed.size(),
                   " recomputed; saved ", bytesText(split.savedBytes), " (", session::partitionerText(split),
                   ", from the ", jointInputText(run), ", ", split.rules.text(), ")\n");
    return text + warningsText(split.warnings) + backwardInputsTable(run.backwardInputs);
}

std::string partitionSummary(const std::vector<PartitionRun>& runs) {
    Table table({paths("graph"), "input", "partitioner", "rules", numbers("nodes"), numbers("forward"),
                 numbers("backward"), numbers("saved"), numbers("bytes"), numbers("again"), "what is saved",
                 "graphs", "metadata"});
    for (const PartitionRun& run : runs) {
        Cells sizes(6);
        if (run.split) {
            const session::PartitionSnapshot& split = *run.split;
            sizes = {split.joint->graph->size(),        split.partition->forward->size(),
                     split.partition->backward->size(), split.saved.size(),
                     bytesText(split.savedBytes),       split.recomputed.size()};
        }
        table.add({run.graph, run.traced ? "traced" : "logged",
                   run.split ? session::partitionerText(*run.split) : "", ruleNumber(run)},
                  sizes,
                  {cellOf(run, run.savedVerdict), run.error ? "" : cellOf(run, run.graphsVerdict),
                   metadataVerdict(run)});
    }
    return table.shown();
}

std::string explainedPartitions(const std::vector<PartitionRun>& runs) {
    std::string text;
    for (const PartitionRun& run : runs) {
        for (const auto& [what, verdict] :
             {std::pair("what is saved", &run.savedVerdict), {"graphs", &run.graphsVerdict}}) {
            if (*verdict) {
                text += run.graph + ", " + what + ": " + base::explainedVerdict(**verdict);
            }
        }
    }
    return text;
}

std::string halvesVerdictText(const PartitionRun& run) {
    if (run.error || !run.savedVerdict || !run.savedVerdict->isEqual()) {
        return cellOf(run, run.savedVerdict);
    }
    const std::string graphs = base::verdictText(*run.graphsVerdict);
    return areGraphsCompared(run) ? graphs : "equal in what is saved; graphs " + graphs;
}

std::vector<session::NamedText> partitionFiles(const PartitionRun& run) {
    if (!run.split) {
        return {};
    }
    std::vector<session::NamedText> files = session::halvesFiles(*run.split->function.partition);
    files.push_back({"report.json", jsonText(answerJson(partitionAnswer(run)))});
    return files;
}

PartitionAnswer partitionAnswer(const PartitionRun& run) {
    PartitionAnswer answer{run, jointInputText(run),
                           run.split ? session::partitionerName(run.split->options.partitioner)
                                     : std::string()};
    if (!run.split) {
        return answer;
    }
    const session::PartitionSnapshot& split = *run.split;
    const passes::Partition& partition = *split.partition;
    const std::span<const session::SavedTensor> saved(split.saved);
    const std::size_t tensors = saved.size() - partition.savedSymbols.size();
    answer.rules = split.rules;
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
