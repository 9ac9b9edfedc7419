#pragma once

#include "trace/traced_program.h"

#include "aot/retrace.h"
#include "ir/symbolic/expression.h"

#include "base/progress.h"

#include <map>
#include <string>

namespace aotscope::torch {

/// A traced graph and the program that it was traced from.
struct EagerSource {
    const TracedProgram& program;
    /// The inputs of the program; the graph has the same in the same order.
    const std::vector<TracedInput>& inputs;
    const aot::CompiledFunction& function;
    /// The tensors that the graph reads by get_attr, by name.
    const std::map<std::string, at::Tensor, std::less<>>& constants;
    ir::SymbolBindings symbols;
    base::Progress progress;

    /// How the caller interprets the results of the graph.
    [[nodiscard]] const aot::RuntimeWrapper& runtime() const {
        return std::get<aot::RuntimeWrapper>(
            aot::findWrapper<aot::RuntimeWrapper>(function.wrappers)->wrapper);
    }
};

/// Makes inputs and tangents, runs the graph on them, then runs the program in eager mode: on real tensors,
/// with real autograd. If one of the two cannot run, the result holds the reason. Throws Canceled.
[[nodiscard]] aot::EagerNumbers runForEagerNumbers(const EagerSource& source);

} // namespace aotscope::torch
