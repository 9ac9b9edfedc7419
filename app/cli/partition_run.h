#pragma once

#include "json_text.h"
#include "program.h"

#include "passes/backward_inputs.h"
#include "passes/partition.h"
#include "session/logged_partitions.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A joint graph partitioned, and what became of the comparison with the logged halves.
struct PartitionRun {
    session::LoggedPartition logged;
    std::string title;
    session::GraphSnapshotPtr joint;
    passes::PartitionOptions options;
    std::optional<passes::Partition> partition;
    std::vector<passes::BackwardInput> backwardInputs;
    std::optional<base::Error> error;
    /// Nothing: not compared.
    std::optional<bool> equal;
    /// Where they differ, one line each.
    std::vector<std::string> differences;
    /// What a person must know to judge it.
    std::vector<std::string> notes;
};

struct PartitionRequest {
    /// Nothing: the one the file names, else min-cut; when that does not give the logged halves, default.
    std::optional<passes::Partitioner> partitioner;
    passes::PartitionOptions options;
    bool compare = false;
};

[[nodiscard]] PartitionRun partitionLogged(Program& program, const session::LoggedPartition& logged,
                                           const PartitionRequest& request);

/// What is saved, with the rule that decided.
[[nodiscard]] std::string partitionTable(const PartitionRun& run);
/// One line per joint graph.
[[nodiscard]] std::string partitionSummary(const std::vector<PartitionRun>& runs);
[[nodiscard]] Json partitionJson(const PartitionRun& run);

} // namespace aotscope::cli
