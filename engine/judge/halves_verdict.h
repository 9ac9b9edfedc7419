#pragma once

#include "judge/half_graphs.h"
#include "judge/partition_metadata.h"

#include "aot/functorch_config.h"
#include "ir/graph.h"
#include "passes/partition.h"

#include "base/progress.h"
#include "base/verdict.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What a comparison of halves with the logged ones says to a person.
namespace aotscope::judge {

/// The engine's halves, and all that decided them.
struct MadeHalves {
    const ir::GraphPtr& joint;
    const passes::PartitionOptions& options;
    /// No person chose the partitioner, and no record shows it.
    bool isPartitionerAssumed = false;
    /// A person chose the partitioner, nodes or the budget.
    bool isChosen = false;
    /// Before hooks are inlined.
    const passes::Partition& partition;
    /// With them; the same where there are none.
    const passes::Partition& inlined;
    const aot::FunctorchConfig& config;
    aot::TorchVersion torch;
    /// For the verdicts, a line each.
    std::vector<std::string> configuration;
};

/// PyTorch's halves of the same joint graph.
struct LoggedAnswer {
    HalfGraphs graphs;
    std::size_t forwardOutputs = 0;
    /// Describes the halves that ran; nothing: none is logged.
    std::optional<PartitionMetadata> metadata = {};
    passes::StateSymbols stateSymbols = {};
    /// Read from PyTorch's texts, which leave something out.
    bool isText = false;
    /// The file names the partitioner.
    bool isPartitionerNamed = false;
    /// Inductor rewrote the joint graph before it split it.
    bool isJointRewritten = false;
};

struct HalvesVerdict {
    /// One line each, before hooks and with them.
    std::vector<std::string> differences;
    /// What is saved (set, bytes, order), and the graphs.
    base::Verdict saved;
    base::Verdict graphs;
    /// Differences in what the partition adds to the metadata. Nothing: none is logged, or it belongs to
    /// other halves.
    std::optional<std::vector<std::string>> metadataDifferences = {};
};

/// Where a partitioner that is only assumed gives other halves, also the default one is tried.
[[nodiscard]] HalvesVerdict judgeHalves(const MadeHalves& made, const LoggedAnswer& logged,
                                        const base::Progress& progress);

/// Both in one: the first that is not equal. What is saved alone decides if the graphs cannot be compared
/// because Inductor rewrote the joint graph.
[[nodiscard]] base::VerdictWord halvesWord(const base::Verdict& saved, const base::Verdict& graphs,
                                           bool isJointRewritten);

} // namespace aotscope::judge
