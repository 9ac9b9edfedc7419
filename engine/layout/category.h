#pragma once

#include "layout/layout.h"
#include "layout/saved_values.h"

#include "ir/phase.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::layout {

/// The role of a value in the program. Each has one colour in all pictures (picture_colors.h).
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
AOTSCOPE_WORDS(Category, "parameter", "buffer", "input", "saved", "recomputed", "gradient", "tangent",
               "temporary", "output", "packed", "unknown")
inline constexpr std::size_t categoryCount = std::size_t(Category::Unknown) + 1;

/// The facts that determine categories, in addition to the graph itself.
struct CategoryFacts {
    const ir::Graph* graph = nullptr;
    /// ir::nodePhases, by node id index; empty: unknown.
    std::span<const ir::Phase> phases = {};
    bool isJoint = false;
    /// Dynamo's sources of the placeholders in order; a source in the graph takes precedence. Empty: unknown.
    std::span<const std::string> inputSources = {};
    /// What a partition does with the nodes; null: unknown. Then no value of a joint graph is `Saved`.
    const SplitFacts* split = nullptr;
};

/// By node id index, from descriptors, sources of inputs and dataflow. `Unknown`: none of these decides. With
/// a partition exactly what it saves is `Saved`, be it a parameter or computed; without one what the forward
/// graph returns for the backward, and what the backward graph takes from it.
[[nodiscard]] std::vector<Category> nodeCategories(const CategoryFacts& facts);
/// The same without any other facts.
[[nodiscard]] std::vector<Category> nodeCategories(const ir::Graph& graph);
/// By box; the category of a closed group is that of most of its nodes.
[[nodiscard]] std::vector<Category> boxCategories(const Layout& layout, std::span<const Category> ofNodes);

/// Dynamo's source of a placeholder's value; empty: unknown.
[[nodiscard]] std::string_view inputSource(const CategoryFacts& facts, ir::NodeId placeholder);

} // namespace aotscope::layout
