#pragma once

#include "run/execution/executor.h"
#include "wrappers/boxed_call.h"

#include <cstddef>
#include <string>

namespace aotscope::torch {

/// Watches calls of a compiled function. All functions are called on the thread that runs the watched part. A
/// function without an observer is composed without anything that would call one.
class CallObserver {
public:
    CallObserver() = default;
    CallObserver(const CallObserver&) = delete;
    CallObserver& operator=(const CallObserver&) = delete;
    virtual ~CallObserver() = default;

    /// A wrapper is about to be called, and has its results. `step` counts aot::CompiledFunction::wrappers;
    /// `backward`: the part of AOTDispatchAutograd in autograd's node.
    virtual void entered(std::size_t step, bool backward, const Values& arguments) = 0;
    virtual void left(std::size_t step, bool backward, const Values& results) = 0;
    /// The wrapper that was entered last and not left has done something, in words.
    virtual void did(std::string action) = 0;
    /// What that wrapper did to `value` ("output 0"), as PyTorch's does, is not what the program says.
    virtual void departed(std::string value, std::string how, bool fails) = 0;
    /// A run-time hook has packed the tensor that the forward saves as `saved`, from `bytes` to `stored`; or
    /// it has unpacked it.
    virtual void packed(const std::string& saved, std::int64_t bytes, std::int64_t stored) = 0;
    virtual void unpacked(const std::string& saved) = 0;
    /// The autograd node is about to keep these tensors and numbers.
    virtual void saving(const Values& saved) = 0;

    /// A graph is about to run on these arguments. Returns the observer of its nodes, which may be null. Then
    /// it has run.
    virtual NodeObserver* graphEntered(const ir::Graph& graph, bool backward, const Values& arguments) = 0;
    virtual void graphLeft(const Values& results) = 0;
};

/// Says what the running wrapper did; `action` gives the words, and is only called if anybody watches.
template<typename Action>
void tell(CallObserver* observer, const Action& action) {
    if (observer != nullptr) {
        observer->did(action());
    }
}

} // namespace aotscope::torch
