#pragma once

#include "ir/graph.h"
#include "passes/partition.h"

#include <vector>

namespace aotscope::judge {

/// Forward and backward of a joint graph, the engine's own or logged.
struct HalfGraphs {
    ir::GraphPtr forward;
    ir::GraphPtr backward;
    /// With saved-tensors hooks inlined; null if there are none.
    ir::GraphPtr hookedForward = nullptr;
    ir::GraphPtr hookedBackward = nullptr;
    /// Each hook as it was traced, in order. Of logged halves empty also if none is logged.
    std::vector<passes::InlinedHook> hooks = {};
};

/// Whether both have saved-tensors hooks inlined.
[[nodiscard]] inline bool areHooked(const HalfGraphs& made, const HalfGraphs& logged) {
    return made.hookedForward && made.hookedBackward && logged.hookedForward && logged.hookedBackward;
}

/// The graphs with the sizes of generators' states named as in `to` in place of `from`. PyTorch names them by
/// how many tensors there were until then, which no record from before its partition shows.
[[nodiscard]] HalfGraphs withStateSymbols(HalfGraphs halves, const passes::StateSymbols& from,
                                          const passes::StateSymbols& to);

} // namespace aotscope::judge
