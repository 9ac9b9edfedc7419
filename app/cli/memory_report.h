#pragma once

#include "compile_answer.h"

#include "base/verdict.h"
#include "contract/partition_snapshot.h"
#include "contract/run_options.h"
#include "memory/memory_profile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A memory profile and the graphs whose nodes are its positions.
struct Profiled {
    std::string label = {};
    session::MemoryProfilePtr profile = {};
    ir::GraphPtr forward = {};
    /// Null if the profile covers only `forward`.
    ir::GraphPtr backward = {};

    /// "addmm_3"; "(between forward and backward)", "(optimizer)".
    [[nodiscard]] std::string nodeAt(std::uint32_t position) const;
};

/// A profile and what it is compared with.
struct MemoryAnswer {
    std::string title;
    /// Why there is no profile, though others have one; then `shown` is empty.
    std::optional<base::Error> error = {};
    Profiled shown = {};
    /// Other orders of the same training step, if a comparison was requested.
    std::vector<Profiled> others = {};
    /// Used to look up modules by value name.
    std::vector<session::GraphSnapshotPtr> graphs = {};
    /// "assumed min-cut": of the partition that is shown. Empty: the graphs are the log's.
    std::string partitioner = {};
    /// The rules of the partition; nothing: the graphs are logged ones.
    std::optional<aot::RulesChoice> rules = {};
    /// The measured run; null if there is none.
    session::RunSnapshotPtr run = {};
    /// With a comparison with the logged order: what is saved, and the graphs.
    std::optional<base::Verdict> saved = {};
    std::optional<base::Verdict> graphsVerdict = {};

    [[nodiscard]] std::string moduleOf(const memory::LiveRange& range) const;
};

/// From `node` to the next difference, the run holds another number of bytes than predicted.
struct MeasuredDifference {
    std::string node;
    std::int64_t predicted = 0;
    std::int64_t measured = 0;
};
AOTSCOPE_MEMBERS(MeasuredDifference, node, predicted, measured)

struct PeakAnswer : memory::Peak {
    std::string node = {};
};
AOTSCOPE_MORE_MEMBERS(PeakAnswer, memory::Peak, node)

struct OrderAnswer {
    std::string order = {};
    PeakAnswer peak = {};
    PeakAnswer peakWithoutInputs = {};
    /// For a training step.
    std::optional<PeakAnswer> peakForward = {};
    std::optional<PeakAnswer> peakBackward = {};
    std::uint32_t forwardEnd = 0;
    std::uint32_t backwardBegin = 0;
    std::vector<std::int64_t> bytes = {};
    std::vector<std::int64_t> bytesWithoutInputs = {};
    std::vector<std::string> unknownSizes = {};
    std::vector<std::string> approximations = {};
};
AOTSCOPE_MEMBERS(OrderAnswer, order, peak, peakWithoutInputs, peakForward, peakBackward, forwardEnd,
                 backwardBegin, bytes, bytesWithoutInputs, unknownSizes, approximations)

struct RangeAnswer : memory::StorageRange {
    std::string module = {};
};
AOTSCOPE_MORE_MEMBERS(RangeAnswer, memory::StorageRange, module)

/// A value that is not the same at the peaks of two orders; nothing: not alive there.
struct PeakDifferenceAnswer {
    std::string name;
    memory::Category category = memory::Category::Temporary;
    std::optional<std::int64_t> bytesThere;
    std::optional<std::int64_t> bytesHere;
    std::string module;
};
AOTSCOPE_MEMBERS(PeakDifferenceAnswer, name, category, bytesThere, bytesHere, module)

struct ComparedOrder : OrderAnswer {
    std::vector<PeakDifferenceAnswer> differences = {};
};
AOTSCOPE_MORE_MEMBERS(ComparedOrder, OrderAnswer, differences)

struct MeasuredMemory {
    std::int64_t peakWithoutInputs = 0;
    /// By position.
    std::vector<std::int64_t> alive = {};
    std::vector<std::int64_t> scratch = {};
    std::vector<MeasuredDifference> differences = {};
};
AOTSCOPE_MEMBERS(MeasuredMemory, peakWithoutInputs, alive, scratch, differences)

/// A profile as `memory` answers; with an error there is nothing else.
struct MemoryShown : OrderAnswer {
    std::string graph = {};
    std::optional<base::Error> error = {};
    std::optional<base::Verdict> savedVerdict = {};
    std::optional<base::Verdict> graphsVerdict = {};
    std::optional<aot::RulesChoice> rules = {};
    std::vector<RangeAnswer> ranges = {};
    std::vector<ComparedOrder> compared = {};
    std::optional<MeasuredMemory> measured = {};
};
AOTSCOPE_MORE_MEMBERS(MemoryShown, OrderAnswer, graph, error, savedVerdict, graphsVerdict, rules, ranges,
                      compared, measured)

struct MemoriesAnswer {
    std::vector<MemoryShown> profiles = {};
};
AOTSCOPE_MEMBERS(MemoriesAnswer, profiles)
AOTSCOPE_ANSWER(MemoriesAnswer, "aotscope.memory/2")

/// Peaks, the `top` largest values alive at the peak, and comparisons or measurements if there are any.
[[nodiscard]] std::string memoryTable(const MemoryAnswer& answer, std::size_t top);
/// One line per value, without a header.
[[nodiscard]] std::string memoryCsv(const MemoryAnswer& answer);
[[nodiscard]] MemoryShown memoryShown(const MemoryAnswer& answer);
/// A picture. With a measured run it omits the graph's inputs, because they are not measured.
[[nodiscard]] std::string memorySvg(const MemoryAnswer& answer);

} // namespace aotscope::cli
