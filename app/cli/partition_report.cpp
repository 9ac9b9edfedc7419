#include "backward_inputs.h"
#include "budget_options.h"
#include "config_option.h"
#include "explain_option.h"
#include "partition_run.h"
#include "table.h"
#include "torch_option.h"
#include "warning_report.h"

#include "aot/versions/versions.h"

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

std::vector<std::string> shapeOf(const ir::Node& node) {
    std::vector<std::string> shape;
    if (const ir::TensorMeta* tensor = ir::asTensor(node.value)) {
        for (const ir::SymInt& size : tensor->shape) {
            shape.push_back(size.text());
        }
    }
    return shape;
}

/// A table row of a saved or recomputed value.
template<typename Row>
Json rowJson(const PartitionRun& run, const Row& row) {
    const ir::Node& node = jointOf(run).node(row.node);
    const passes::NodeDecision& decision = reportOf(run).nodes[row.node.index()];
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    Json json{{"name", row.name},
              {"target", node.target},
              {"bytes", row.bytes},
              {"dtype", tensor == nullptr ? "" : ir::dtypeName(tensor->dtype)},
              {"shape", shapeOf(node)},
              {"module", row.module},
              {"source", row.source},
              {"distance_from_backward", orNull(decision.distanceFromBackward)},
              {"weight", orNull(decision.weight)},
              {"reason", row.reason}};
    json["bans"] = Json::array();
    for (const passes::Ban& ban : decision.bans) {
        json["bans"].push_back(passes::banText(jointOf(run), ban));
    }
    return json;
}

template<typename Row>
Json rowsJson(const PartitionRun& run, std::span<const Row> rows) {
    Json list = Json::array();
    for (const Row& row : rows) {
        list.push_back(rowJson(run, row));
    }
    return list;
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

void addHalvesJson(Json& json, const PartitionRun& run) {
    // Null where the graphs cannot be compared, as then only what is saved is known, and where the
    // partitioner is not known.
    const bool isKnown =
        run.halves && !isEqualUnderDefault(run) && (areGraphsCompared(run) || !run.saved->isEqual());
    json["equal"] = isKnown ? Json(run.saved->isEqual() && run.graphs->isEqual()) : Json(nullptr);
    json["saved_verdict"] = run.saved ? verdictJson(*run.saved) : Json(nullptr);
    json["graphs_verdict"] = run.graphs ? verdictJson(*run.graphs) : Json(nullptr);
    json["differences"] = run.differences;
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

Json partitionJson(const PartitionRun& run) {
    Json json{{"graph", run.title}, {"input", jointInputText(run)}, {"partitioner", partitionerName(run)}};
    json["error"] = run.error ? errorJson(*run.error) : Json(nullptr);
    addHalvesJson(json, run);
    json["metadata_equal"] = run.metadataDifferences ? Json(run.metadataDifferences->empty()) : Json(nullptr);
    json["metadata_differences"] = run.metadataDifferences.value_or(std::vector<std::string>());
    json["notes"] = run.notes;
    if (!run.split) {
        return json;
    }
    const session::PartitionSnapshot& split = *run.split;
    json["rules"] = rulesJson(split.rules);
    json["partitioner_source"] = base::wordOf(split.partitionerSource);
    const passes::Partition& partition = *split.partition;
    const std::span<const session::SavedTensor> saved(split.saved);
    const std::size_t tensors = saved.size() - partition.savedSymbols.size();
    json["nodes"] = split.joint->graph->size();
    json["forward_nodes"] = partition.forward->size();
    json["backward_nodes"] = partition.backward->size();
    json["forward_outputs"] = partition.forwardOutputs;
    json["static_inputs"] = split.options.staticInputs;
    json["memory_budget"] = split.options.memoryBudget;
    json["configuration"] = configurationJson(split.config, split.rules.release(), aot::touches::partition);
    json["runtime"] = runtimeName(split.choices.runtime, split.config);
    json["saved_bytes"] = split.savedBytes;
    json["saved"] = rowsJson(run, saved.first(tensors));
    json["saved_symbols"] = rowsJson(run, saved.subspan(tensors));
    json["recomputed"] = rowsJson(run, std::span<const session::RecomputedValue>(split.recomputed));
    json["donated_inputs_of_backward"] = passes::donatedBuffers(partition);
    json["backward_inputs"] = backwardInputsJson(run.backwardInputs);
    json["cut_weight"] = partition.report.cutWeight;
    json["warnings"] = warningsJson(split.warnings);
    return json;
}

} // namespace aotscope::cli
