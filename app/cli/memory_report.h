#pragma once

#include "compile_answer.h"
#include "memory_run.h"

#include <cstddef>
#include <string>

namespace aotscope::cli {

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
