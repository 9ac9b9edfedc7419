#pragma once

#include "contract/rerun_result.h"
#include "contract/run_options.h"

#include "ir/dtype.h"
#include "ir/graph.h"
#include "ir/symbolic/expression.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Some nodes of a graph, to be run again and again with the inputs that they had in a run.
namespace aotscope::session {

/// What a rerun does differently from the run that its inputs are from. What is left out stays as it was.
struct RerunChanges {
    /// Inputs that are floats become this dtype, and so do float dtypes that the nodes name themselves.
    std::optional<ir::DType> dtype;
    /// Symbols with other values: the graph runs up to the nodes with inputs of those sizes.
    ir::SymbolBindings symbols;
    /// Sizes of inputs of the nodes, by the name of the input's node. The real values are repeated or cut off
    /// along each dimension.
    std::map<std::string, std::vector<std::int64_t>> sizes;
    /// Where the nodes alone run, with their inputs moved there: "cpu", "cuda", "cuda:1".
    std::optional<std::string> device;
    /// Whether PyTorch may only use deterministic algorithms (torch.use_deterministic_algorithms).
    std::optional<bool> deterministic;

    /// Whether the nodes compute the same as in the run.
    [[nodiscard]] bool isNone() const {
        return !dtype && symbols.empty() && sizes.empty() && !device && !deterministic;
    }
    friend bool operator==(const RerunChanges&, const RerunChanges&) = default;
};
AOTSCOPE_MEMBERS(RerunChanges, dtype, symbols, sizes, device, deterministic)

/// How the nodes are run again.
struct RerunSettings {
    std::size_t repetitions = 100;
    /// Repetitions before the first one that counts.
    std::size_t warmUp = 3;
    /// Empties the caches between repetitions, outside of the time that is measured.
    bool coldCache = false;
    RerunChanges changes;
    friend bool operator==(const RerunSettings&, const RerunSettings&) = default;
};
AOTSCOPE_MEMBERS(RerunSettings, repetitions, warmUp, coldCache, changes)

/// A fused kernel in place of the nodes that it computes.
struct RerunKernel {
    /// CUDA C++ in place of the kernel's own text; empty: as it is generated.
    std::string source;
    friend bool operator==(const RerunKernel&, const RerunKernel&) = default;
};
AOTSCOPE_MEMBERS(RerunKernel, source)

/// Which nodes of a graph are run again, and how.
struct RerunChoice {
    /// Names of nodes: one, or several that are run one after the other. No path may lead out of them and
    /// back in.
    std::vector<std::string> nodes;
    RerunSettings settings;
    /// Run the kernel of the group that has exactly these nodes, and not their operators. It is compared with
    /// the operators' results on the same inputs in the run.
    std::optional<RerunKernel> kernel = std::nullopt;
};
AOTSCOPE_MEMBERS(RerunChoice, nodes, settings, kernel)

/// A call of a Backend: runs nodes of a graph again and again, with the inputs that they have in a run.
/// Between the first and the last repetition nothing else runs in the engine. Errors: as RunCall, with the
/// node; those of rerunRegion; rerun.twist (what cannot be changed), rerun.stand_in, rerun.changes_storage;
/// of a fused kernel those of KernelsCall.
struct RerunRequest : RerunChoice {
    using Answer = RerunResult;
    ir::GraphPtr graph;
    /// The run that the inputs are from: its seed, symbols, inputs and device.
    RunOptions run;
    /// Keep the values that the nodes return, so that the result can be a baseline.
    bool keepOutputs = false;
    /// An earlier result of the same nodes, with its outputs; null: none.
    RerunResultPtr baseline;

    [[nodiscard]] bool hasGraphs() const { return graph != nullptr; }
};
AOTSCOPE_MORE_MEMBERS(RerunRequest, RerunChoice, graph, run, keepOutputs, baseline)

/// Where the nodes are repeated: the changed device, else the run's. Error: run.device_name.
[[nodiscard]] inline base::Result<DeviceChoice> rerunDevice(const RerunRequest& request) {
    const std::optional<std::string>& device = request.settings.changes.device;
    return device ? deviceChoiceFromText(*device) : base::Result<DeviceChoice>(request.run.device);
}

/// A rerun of nodes of a graph, with its settings.
struct RerunSnapshot {
    GraphSnapshotPtr graph;
    RerunSettings settings;
    /// Only of a fused kernel.
    std::optional<RerunKernel> kernel;
    RerunResultPtr result;
    /// What it was compared with; null: only with the run.
    RerunResultPtr baseline;
};
using RerunSnapshotPtr = std::shared_ptr<const RerunSnapshot>;

} // namespace aotscope::session
