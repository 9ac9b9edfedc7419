#pragma once

#include "layout/layout.h"

#include "ir/phase.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::layout {

/// What a value is to the program. It has one colour in every picture and table (picture_colors.h).
enum class Category : std::uint8_t {
    Parameter,
    Buffer,
    Input,
    Saved,
    Recomputed,
    Gradient,
    Tangent,
    Temporary,
    Output,
    Packed,
    Unknown,
};
inline constexpr std::size_t categoryCount = std::size_t(Category::Unknown) + 1;

/// "parameter", for legends and tooltips.
[[nodiscard]] std::string_view categoryName(Category category);

/// What categories are told by, beside the graph itself.
struct CategoryFacts {
    const ir::Graph* graph = nullptr;
    /// By node id index, ir::nodePhases; empty: not known.
    std::span<const ir::Phase> phases = {};
    bool isJoint = false;
    /// Where the values of the placeholders come from in the program, in their order; those that the graph
    /// names itself go before. Empty: not known.
    std::span<const std::string> inputSources = {};
};

/// By node id index: from the descriptors PyTorch prints, the sources of the inputs and the dataflow.
/// `Unknown` where none of these tells.
[[nodiscard]] std::vector<Category> nodeCategories(const CategoryFacts& facts);
/// The same of a graph of which nothing else is known.
[[nodiscard]] std::vector<Category> nodeCategories(const ir::Graph& graph);
/// By box: of a closed group the category of most of its nodes.
[[nodiscard]] std::vector<Category> boxCategories(const Layout& layout, std::span<const Category> ofNodes);

/// Where a placeholder's value comes from in the user's program; empty: unknown.
[[nodiscard]] std::string_view inputSource(const CategoryFacts& facts, ir::NodeId placeholder);

} // namespace aotscope::layout
