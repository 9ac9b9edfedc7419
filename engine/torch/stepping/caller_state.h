#pragma once

#include "stepping/tensor_states.h"

#include "aot/compiled_function.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace aotscope::torch {

/// The caller's tensors in a call that is stepped through.
struct CallersTensors {
    /// The arguments, by name; those that are no tensors are undefined.
    std::vector<std::string> names;
    std::vector<at::Tensor> arguments;
    /// Whether the call may write to that argument.
    std::vector<bool> mayBeWritten;
    /// Leaves that gradients go to; those that are arguments may appear again.
    std::vector<at::Tensor> leaves;
    std::vector<std::string> leafNames;
    /// The call ends with a step of an optimizer on the leaves.
    bool trains = false;
};

/// Which of the caller's arguments a compiled function writes to, by its metadata. All that share memory
/// where one of several is written to.
[[nodiscard]] std::vector<bool> writtenArguments(const aot::CompiledFunction& function, std::size_t count);

/// All that a call can change besides its own values: the caller's tensors, the random generator, grad mode.
class CallerState {
public:
    explicit CallerState(const CallersTensors& tensors);

    /// Puts everything back to how it was. Throws RunFailure (step.not_restored).
    void restore() const;
    [[nodiscard]] std::int64_t bytes() const { return m_tensors.bytes(); }
    [[nodiscard]] bool owns(const c10::StorageImpl* storage) const { return m_storages.contains(storage); }

private:
    TensorStates m_tensors;
    std::unordered_set<const c10::StorageImpl*> m_storages;
    at::Tensor m_generator;
    bool m_gradMode;
};

} // namespace aotscope::torch
