#pragma once

#include "stepping/tensor_states.h"
#include "wrappers/caller_tensors.h"

#include "aot/compiled_function.h"

#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// All that a call can change besides its own values: the caller's tensors, the random generator, grad mode.
class CallerState {
public:
    /// Copies the elements of what `function` may write to.
    CallerState(const CallerTensors& tensors, const aot::CompiledFunction& function);

    /// Puts everything back to how it was. Throws RunFailure (step.not_restored).
    void restore() const;
    [[nodiscard]] std::int64_t bytes() const { return m_tensors.bytes(); }
    [[nodiscard]] bool owns(const c10::StorageImpl* storage) const { return m_storages.contains(storage); }

    /// Calls `visit` with each storage whose elements `restore` writes.
    void forEachCopied(const std::function<void(const c10::StorageImpl*)>& visit) const {
        m_tensors.forEachCopied(visit);
    }

private:
    explicit CallerState(const std::pair<std::vector<at::Tensor>, std::vector<bool>>& tensors);

    TensorStates m_tensors;
    std::unordered_set<const c10::StorageImpl*> m_storages;
    at::Tensor m_generator;
    bool m_gradMode;
};

} // namespace aotscope::torch
