#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <vector>

namespace aotscope::ir {

/// Which values share memory, from the operators' schemas: a view has its input's storage, an in-place result
/// that of what it writes to, everything else its own. Numbers are dense from 0, by node id index;
/// `noStorage` for what is no tensor. Inputs are taken to be apart, as AOTAutograd makes them (duplicates and
/// overlapping views are removed before a graph is traced). Of a node that returns several values the number
/// is the one of all elements that alias an input (`aten.split`), else noStorage; ask the elements. For
/// frozen graphs.
inline constexpr std::uint32_t noStorage = 0xFFFFFFFFU;

struct Storages {
    std::vector<std::uint32_t> ofNode;
    std::uint32_t count = 0;
};

[[nodiscard]] Storages deriveStorages(const Graph& graph);

} // namespace aotscope::ir
