#pragma once

#include "memory/memory_profile.h"
#include "memory/storage_lives.h"

#include <cstdint>
#include <span>
#include <string_view>

/// The common parts of the profiles of single graphs, steps and eager. Private to engine/memory.
namespace aotscope::memory {

/// Parameter, buffer or other input of the forward. An input at one of the positions `staticInputs` is a
/// buffer according to its Dynamo source or descriptor, else a parameter.
[[nodiscard]] Category inputCategory(const ir::Node& node, std::size_t position,
                                     std::span<const std::size_t> staticInputs);

/// Whether the node is a placeholder for a tangent or for the backward's effect token.
[[nodiscard]] bool isTangent(const ir::Node& node);

/// The range of a storage; its positions are those in the graph.
[[nodiscard]] LiveRange rangeOf(const ir::Graph& graph, const StorageLife& life, Category category);

/// Sums up the ranges over `length` positions and finds the peaks. With the caching allocator's rounding,
/// each range first gets the size of the block that the allocator hands out for it.
void fillCurves(MemoryProfile& profile, std::uint32_t length, Rounding rounding);

} // namespace aotscope::memory
