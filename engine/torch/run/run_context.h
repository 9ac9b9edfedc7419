#pragma once

#include "torch_headers.h"

#include "ir/symbolic.h"

#include "base/progress.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// What one run carries through all its graphs, nested ones included.
struct RunContext {
    std::uint64_t seed = 0;
    /// Values of symbols; those that a node's result defines (`u0`) join while it runs.
    ir::SymbolBindings symbols;
    base::Progress progress;
    /// Tensors that graphs read as attributes, where they are known; null: none are.
    const std::map<std::string, at::Tensor, std::less<>>* constants = nullptr;
    /// What a person must know to judge the numbers, each said once.
    std::vector<std::string> notes;
    /// Operators stood in for by the node that runs now; collected by whoever records nodes.
    std::vector<std::string> nodeStandIns;
    /// Nesting of subgraphs now being run.
    int depth = 0;

    void note(std::string text) {
        if (std::find(notes.begin(), notes.end(), text) == notes.end() && notes.size() < 200) {
            notes.push_back(std::move(text));
        }
    }
};

} // namespace aotscope::torch
