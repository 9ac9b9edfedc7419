#pragma once

#include "aot/compiled_function.h"

#include <cstddef>
#include <vector>

namespace aotscope::torch {

/// Which input of the graph, behind its tokens, an argument of the caller becomes.
struct ArgumentPlace {
    std::size_t input = 0;
    /// How it lies in that input, a synthetic base; null: it is the input.
    const aot::ViewOfBase* view = nullptr;
    /// Null: no arguments are merged into bases.
    const aot::AOTSyntheticBaseWrapper* bases = nullptr;
};
/// Points into `function`.
[[nodiscard]] ArgumentPlace placeOf(const aot::CompiledFunction& function, std::size_t argument);

/// Which of the caller's arguments a compiled function writes to, by its metadata. All that share memory
/// where one of several is written to.
[[nodiscard]] std::vector<bool> writtenArguments(const aot::CompiledFunction& function, std::size_t count);

} // namespace aotscope::torch
