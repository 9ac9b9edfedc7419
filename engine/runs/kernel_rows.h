#pragma once

#include "contract/snapshots.h"

#include "kernels/fusion_plan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a graph launches, as the rows of a list.
namespace aotscope::session {

enum class KernelGrouping : std::uint8_t {
    /// One row for each node that launches something.
    Nodes,
    /// One row for each operator, with its nodes.
    Operators,
};

struct KernelRow {
    /// The node's name, or the operator.
    std::string name;
    /// The node's operator; empty for a row of several.
    std::string target;
    /// In program order.
    std::vector<ir::NodeId> nodes;
    /// How long the nodes took in the run, together; nothing if there is no run, or it ended before.
    std::optional<std::int64_t> nanoseconds;
    /// How many of the nodes ran.
    std::size_t calls = 0;
    /// The nodes one by one, if there are several.
    std::vector<KernelRow> parts;
    /// The index of the fused kernel that computes exactly these nodes, in FusionPlan::groups.
    std::optional<std::size_t> group = std::nullopt;
};

/// Whether running the node computes something: no placeholder, no number, no view of memory that is there
/// already.
[[nodiscard]] bool launchesKernel(const ir::Node& node);

/// The rows of a graph, in program order of their first nodes. `run` may be null.
[[nodiscard]] std::vector<KernelRow> kernelRows(const ir::Graph& graph, const RunSnapshot* run,
                                                KernelGrouping grouping);

/// The rows as they are with fused kernels in place of the nodes that they compute: one row for each kernel,
/// with its nodes, and one for each node that no kernel computes.
[[nodiscard]] std::vector<KernelRow> fusedKernelRows(const ir::Graph& graph, const RunSnapshot* run,
                                                     const kernels::FusionPlan& plan);

} // namespace aotscope::session
