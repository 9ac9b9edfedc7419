#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <vector>

namespace aotscope::ir {

/// Which values share memory, according to the operators' schemas: a view has its input's storage, the result
/// of an in-place operator that of the mutated argument, and every other tensor its own. Storages are
/// numbered from 0; values that are not tensors have `noStorage`. Inputs are assumed to have distinct
/// storages, because AOTAutograd removes duplicates and overlapping views before it traces. A node that
/// returns several values has a storage only if all elements alias the same input (`aten.split`); else its
/// getitem nodes have one each.
inline constexpr std::uint32_t noStorage = 0xFFFFFFFFU;

struct Storages {
    /// By node id index.
    std::vector<std::uint32_t> ofNode;
    std::uint32_t count = 0;
};

[[nodiscard]] Storages deriveStorages(const Graph& graph);

} // namespace aotscope::ir
