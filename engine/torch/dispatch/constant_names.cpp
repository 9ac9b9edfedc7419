#include "dispatch/constant_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::torch {

namespace {

/// The first name of a constant is the one that is written.
constexpr std::pair<std::string_view, c10::Layout> layouts[] = {
    {"strided", c10::kStrided},      {"sparse_coo", c10::kSparse},    {"sparse_csr", c10::kSparseCsr},
    {"sparse_csc", c10::kSparseCsc}, {"sparse_bsr", c10::kSparseBsr}, {"sparse_bsc", c10::kSparseBsc},
    {"_mkldnn", c10::kMkldnn},       {"jagged", c10::kJagged},
};
constexpr std::pair<std::string_view, c10::MemoryFormat> memoryFormats[] = {
    {"contiguous_format", c10::MemoryFormat::Contiguous},
    {"preserve_format", c10::MemoryFormat::Preserve},
    {"channels_last", c10::MemoryFormat::ChannelsLast},
    {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d},
    {"legacy_contiguous_format", c10::MemoryFormat::Contiguous},
};

/// The first row's for others.
template<typename Constant, std::size_t Size>
std::string nameIn(const std::pair<std::string_view, Constant> (&table)[Size], Constant constant) {
    const auto* row = std::ranges::find(table, constant, [](const auto& each) { return each.second; });
    return std::string(row == std::end(table) ? table[0].first : row->first);
}

template<typename Constant, std::size_t Size>
std::optional<Constant> constantIn(const std::pair<std::string_view, Constant> (&table)[Size],
                                   std::string_view name) {
    const auto* row = std::ranges::find(table, name, [](const auto& each) { return each.first; });
    return row == std::end(table) ? std::nullopt : std::optional(row->second);
}

} // namespace

std::string layoutName(c10::Layout layout) {
    return nameIn(layouts, layout);
}

std::optional<c10::Layout> layoutNamed(std::string_view name) {
    return constantIn(layouts, name);
}

std::string memoryFormatName(c10::MemoryFormat format) {
    return nameIn(memoryFormats, format);
}

std::optional<c10::MemoryFormat> memoryFormatNamed(std::string_view name) {
    return constantIn(memoryFormats, name);
}

} // namespace aotscope::torch
