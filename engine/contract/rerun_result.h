#pragma once

#include "contract/snapshots.h"

#include "aot/tensor_data.h"
#include "kernels/compile_message.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aotscope::session {

/// What measured the time of a repetition.
enum class RerunClock : std::uint8_t {
    /// The computer's steady clock, before and after the nodes.
    Steady,
    /// Two CUDA events in the stream, so that the time on the GPU counts and not that of its launch.
    CudaEvents
};
AOTSCOPE_WORDS(RerunClock, "steady", "cuda_events")

/// Times of equal repetitions, in nanoseconds.
struct RerunTimes {
    double minimum = 0;
    double median = 0;
    /// Nineteen of twenty repetitions took at most this. Between two samples it is interpolated, as
    /// numpy.percentile does.
    double p95 = 0;
    double mean = 0;
    /// From the minimum to a little beyond `p95`, so that single slow repetitions do not flatten it.
    Histogram histogram;
    /// Samples that are slower than the histogram's end.
    std::size_t beyond = 0;
};
AOTSCOPE_MEMBERS(RerunTimes, minimum, median, p95, mean, histogram, beyond)

/// Nothing for no samples.
[[nodiscard]] std::optional<RerunTimes> rerunTimes(std::span<const std::int64_t> samples,
                                                   std::size_t bins = 32);

/// How far a tensor is from the one that it is compared with, over all elements.
struct ValueDifference {
    /// The largest and the mean difference of two elements; infinite where one is not finite and the other
    /// is.
    double max = 0;
    double mean = 0;
    /// The largest difference as a fraction of the largest finite magnitude of the other tensor.
    double relative = 0;
    /// The element with the largest difference, and both values; no index for a tensor without elements.
    std::vector<std::int64_t> worstIndex;
    double worstValue = 0;
    double worstExpected = 0;
    /// Why the two cannot be compared ("other sizes: [8, 4] and [4, 4]"); empty: they were.
    std::string incomparable;
};
AOTSCOPE_MEMBERS(ValueDifference, max, mean, relative, worstIndex, worstValue, worstExpected, incomparable)

/// A tensor that goes into the nodes or that one of them returns.
struct RerunValue {
    /// The node that returns it.
    std::string node;
    /// Among the tensors that the node returns.
    std::size_t output = 0;
    /// With statistics and histogram.
    TensorSummary summary;
    /// How far a result is from the value in the run; nothing if the run did not compute it.
    std::optional<ValueDifference> fromRun;
    /// How far a result is from the baseline's.
    std::optional<ValueDifference> fromBaseline;
};
AOTSCOPE_MEMBERS(RerunValue, node, output, summary, fromRun, fromBaseline)

/// What the nodes move and compute at the sizes that they had, by their operators' own formulas.
struct RerunCost {
    std::int64_t bytes = 0;
    std::int64_t flops = 0;
    /// Nodes for whose operators there is no formula; they count as nothing.
    std::vector<std::string> unknown;
};
AOTSCOPE_MEMBERS(RerunCost, bytes, flops, unknown)

/// What the device can do at most.
struct DeviceLimits {
    /// "NVIDIA H100", "this computer's CPU"
    std::string device;
    double bytesPerSecond = 0;
    double flopsPerSecond = 0;
    /// Where the figures are from, for people ("as copying 256 MB measured it").
    std::string origin;
};
AOTSCOPE_MEMBERS(DeviceLimits, device, bytesPerSecond, flopsPerSecond, origin)

/// How a fused kernel's text was compiled to be run.
struct RerunBuild {
    /// "g++ 12.2 for this computer's CPU", "NVRTC 13.2 for sm_90"
    std::string compiler;
    double seconds = 0;
    /// With an error among them nothing ran.
    std::vector<kernels::CompileMessage> messages;

    [[nodiscard]] bool isRefused() const { return kernels::hasErrors(messages); }
};
AOTSCOPE_MEMBERS(RerunBuild, compiler, seconds, messages)

/// Nodes that were run again and again.
struct RerunResult {
    /// In program order.
    std::vector<std::string> nodes;
    /// Time of each repetition that counts, in order, in nanoseconds.
    std::vector<std::int64_t> samples;
    /// What the same loop takes without the nodes, per repetition: the part of each sample that is ours. It
    /// is not subtracted.
    double overheadNanoseconds = 0;
    RerunClock clock = RerunClock::Steady;
    std::optional<RerunCost> cost;
    std::optional<DeviceLimits> limits;
    /// Only of a fused kernel. If its text was refused, there are no samples.
    std::optional<RerunBuild> build;
    std::vector<RerunValue> inputs;
    /// What later nodes use, or all that a last node returns. The values are those of the last repetition.
    std::vector<RerunValue> outputs;
    /// The bytes of `outputs`, in the same order, if requested.
    std::vector<aot::TensorData> outputData;
    /// What was put back before each repetition, because the nodes write to it: inputs by name, "the random
    /// generator".
    std::vector<std::string> restored;
    /// "cpu", "cuda:0"
    std::string device;
    std::string backend;
    std::uint64_t seed = 0;
    ir::SymbolBindings symbols;
    /// What a person needs to judge the numbers.
    std::vector<std::string> notes;
    /// From the beginning to the end, with all that is not measured.
    std::int64_t nanoseconds = 0;

    /// Achieved bytes and operations per second, by the median; nothing where the cost is unknown.
    [[nodiscard]] std::optional<double> bytesPerSecond() const;
    [[nodiscard]] std::optional<double> flopsPerSecond() const;
};
AOTSCOPE_MEMBERS(RerunResult, nodes, samples, overheadNanoseconds, clock, cost, limits, build, inputs,
                 outputs, outputData, restored, device, backend, seed, symbols, notes, nanoseconds)
using RerunResultPtr = std::shared_ptr<const RerunResult>;

} // namespace aotscope::session
