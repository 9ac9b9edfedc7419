#pragma once

#include "run/state/run_place.h"

#include "torch_headers.h"

#include "ir/symbolic/expression.h"

#include "base/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// The time from `start` until now.
[[nodiscard]] inline std::int64_t nanosecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
        .count();
}

/// The state of one run, shared by all its graphs, nested ones included.
struct RunContext {
    std::uint64_t seed = 0;
    /// On which devices its tensors lie.
    RunPlace place = {};
    /// Values of symbols; unbacked ones (`u0`) are added when the node that defines them has run.
    ir::SymbolBindings symbols;
    base::Progress progress;
    /// Known tensors behind get_attr nodes, by name; null: none are known.
    const std::map<std::string, at::Tensor, std::less<>>* constants = nullptr;
    /// Notes that a person needs to judge the numbers, without repetitions.
    std::vector<std::string> notes;
    /// Custom operators that the running node replaced by stand-ins; RunRecorder collects them.
    std::vector<std::string> nodeStandIns;
    /// Float dtypes in arguments mean float64, complex ones complex128, and constants are widened: for a
    /// reference in exact arithmetic (ReferenceFrame).
    bool inFloat64 = false;
    /// Memory that nothing has written (`empty`) holds zeros, so that what depends on it can be compared with
    /// another run.
    bool zeroesUnwritten = false;
    /// Tensors of zeros without memory reach kernels as they are, as in the first call of a compiled function
    /// in PyTorch, which looks at each operator from below the code that handles them: kernels read null.
    bool zerosHaveNoMemory = false;
    /// The nesting depth of the running subgraph.
    int depth = 0;

    void note(std::string text) {
        if (std::find(notes.begin(), notes.end(), text) == notes.end() && notes.size() < 200) {
            notes.push_back(std::move(text));
        }
    }
};

} // namespace aotscope::torch
