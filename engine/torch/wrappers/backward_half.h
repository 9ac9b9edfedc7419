#pragma once

#include "wrappers/boxed_call.h"
#include "wrappers/call_observer.h"
#include "wrappers/run_time_hooks.h"

#include "ir/aot_metadata.h"
#include "ir/graph.h"

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace aotscope::torch {

/// What the backward needs to know of the compile.
struct BackwardFacts {
    /// One per tangent: how it must lie in memory.
    std::vector<ir::TangentMeta> tangents;
    /// Positions among the saved tensors that the backward may overwrite.
    std::vector<std::size_t> donated;
    /// Inputs of the backward that its graph writes to: buffers that only the backward changes.
    std::vector<std::size_t> written;
    std::size_t tokens = 0;
    /// Inputs of the forward; the backward returns one gradient for each.
    std::size_t gradients = 0;
    /// Determinism was off when the forward was compiled.
    bool nondeterministic = false;
    /// The backward writes to inputs that require grad.
    bool mutatesInputs = false;
    /// The index of AOTDispatchAutograd among the wrappers.
    std::size_t step = 0;
    /// Called for each tensor that is saved; empty: tensors are saved as they are.
    PackHook packHook = {};
    /// Names of the saved tensors in the forward.
    std::vector<std::string> savedNames = {};
};

/// The backward of a compiled function, shared by all its autograd nodes, and compiled when the first of them
/// runs. Follows torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py: _AutogradBackwardCompiler,
/// _codegen_backward_prologue, _codegen_backward_epilogue.
class BackwardHalf {
public:
    /// Compiles the backward; `savedStrides` are those of the tensors that the forward really saved, to which
    /// the placeholders are restrided. May throw.
    using Compiler =
        std::function<BoxedCall(const std::vector<std::optional<std::vector<std::int64_t>>>& savedStrides)>;

    /// `observer` may be null.
    BackwardHalf(BackwardFacts facts, Compiler compiler, CallObserver* observer)
        : m_facts(std::move(facts)), m_compiler(std::move(compiler)), m_observer(observer) {}

    /// Compiles before the first call, as PyTorch does when symbolic integers are saved. Returns why that
    /// failed: the first backward then tries again. Empty: it is compiled. Throws RunFailure (cuda.lost).
    [[nodiscard]] std::string compileAhead();

    /// The backward from saved numbers, saved tensors and tangents, all of which it may free. Returns one
    /// gradient per input of the forward. `keepsGraph`: the caller goes through the graph again.
    [[nodiscard]] std::vector<at::Tensor> run(Values numbers, std::vector<at::Tensor> saved,
                                              std::vector<at::Tensor> tangents, bool keepsGraph);
    /// Refuses what PyTorch's prologue refuses, in its words.
    void check() const;

    [[nodiscard]] const BackwardFacts& facts() const { return m_facts; }
    [[nodiscard]] CallObserver* observer() const { return m_observer; }

private:
    const BoxedCall& compiled(const std::vector<at::Tensor>& saved, bool keepsGraph);

    BackwardFacts m_facts;
    Compiler m_compiler;
    CallObserver* m_observer;
    std::mutex m_mutex;
    BoxedCall m_compiled;
};

/// The placeholders that a graph copies into, by position.
[[nodiscard]] std::vector<std::size_t> writtenPlaceholders(const ir::Graph& graph);

} // namespace aotscope::torch
