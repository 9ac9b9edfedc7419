#pragma once

#include "memory/memory_profile.h"
#include "memory/storage_lives.h"

#include <cstdint>
#include <span>
#include <string_view>

/// What the profiles of single graphs, steps and eager have in common. Private to the room.
namespace aotscope::memory {

/// A parameter, a buffer or another input of the forward, as Dynamo's source and the descriptor tell.
[[nodiscard]] Category inputCategory(const ir::Node& node, std::size_t position,
                                     std::span<const std::size_t> staticInputs);

/// A gradient that the backward begins with.
[[nodiscard]] bool isTangent(const ir::Node& node);

/// A storage by name and size; its place on the time line is the graph's own.
[[nodiscard]] LiveRange rangeOf(const ir::Graph& graph, const StorageLife& life, Category category);

/// Adds up the ranges over `length` positions and finds the peaks.
void fillCurves(MemoryProfile& profile, std::uint32_t length);

} // namespace aotscope::memory
