#pragma once

#include "trace/traced_program.h"

#include "aot/retrace.h"
#include "ir/symbolic.h"

#include "base/progress.h"

#include <map>
#include <string>

namespace aotscope::torch {

/// A graph that was traced, and what it was traced from.
struct EagerSource {
    const TracedProgram& program;
    /// Of the program and, in the same order, of the graph.
    const std::vector<TracedInput>& inputs;
    const aot::CompiledFunction& function;
    /// The tensors it reads as attributes.
    const std::map<std::string, at::Tensor, std::less<>>& constants;
    ir::SymbolBindings symbols;
    base::Progress progress;

    /// How the graph's results are to be read.
    [[nodiscard]] const aot::RuntimeWrapper& runtime() const {
        return std::get<aot::RuntimeWrapper>(
            aot::findWrapper<aot::RuntimeWrapper>(function.wrappers)->wrapper);
    }
};

/// Makes inputs and tangents, runs the graph on them, then the program as eager does, on real tensors and
/// with real autograd. Says why where one of the two cannot be run. Throws Canceled.
[[nodiscard]] aot::EagerNumbers runBesideEager(const EagerSource& source);

} // namespace aotscope::torch
