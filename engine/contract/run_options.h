#pragma once

#include "aot/global_state.h"
#include "aot/tensor_data.h"
#include "contract/devices.h"
#include "ir/symbolic/expression.h"

#include "base/describe.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// What a graph or a compiled function is run on.
struct RunInputs {
    /// Seeds the synthetic inputs and the random operators.
    std::uint64_t seed = 0;
    /// Where it runs. Inputs have the same values on all devices.
    DeviceChoice device = {};
    /// Values of symbols; for others the graph's hint is used, then a small default.
    ir::SymbolBindings symbols;
    /// Inputs by placeholder name; others are generated from metadata and seed.
    std::map<std::string, aot::TensorData> inputs;
};
AOTSCOPE_MEMBERS(RunInputs, seed, device, symbols, inputs)

/// How a graph is run.
struct RunOptions : RunInputs {
    bool keepOutputs = false;
    /// Names of nodes whose values are kept in the snapshot.
    std::vector<std::string> keepValues;
    /// Ends the run when all of these have run.
    bool onlyKeptValues = false;
    /// Compute statistics (min, mean, max, NaN count), at the cost of one pass over each tensor.
    bool statistics = true;
    /// Run fused kernels (engine/kernels) in place of the nodes that they compute.
    bool fused = false;
    /// Run under LibTorch's profiler with a range around each node; see RunSnapshot::profileTrace. Best
    /// without statistics, whose operators would be in it too.
    bool profile = false;
    /// Set: operators round as another machine might (torch/run/reference/rounding_noise.h), in another way
    /// for each number. What the results of such runs are apart tells how far two correct runs may be.
    std::optional<std::uint64_t> roundingNoise = {};
    /// What is set for all of PyTorch while it runs. The session sets it to what the graph's compile had.
    aot::GlobalState state = {};
};
AOTSCOPE_MORE_MEMBERS(RunOptions, RunInputs, keepOutputs, keepValues, onlyKeptValues, statistics, fused,
                      profile, roundingNoise, state)

} // namespace aotscope::session
