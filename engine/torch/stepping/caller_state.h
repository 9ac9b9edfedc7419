#pragma once

#include "wrappers/caller_arguments.h"

#include "aot/compiled_function.h"

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

namespace aotscope::torch {

/// All that a call can change besides its own values: the caller's tensors, the random generator, grad mode.
class CallerState {
public:
    /// Takes the arguments, what they are views of, the leaves and the gradients of all; copies the elements
    /// of gradients and of what `function` may write to.
    CallerState(const CallerTensors& callers, const aot::CompiledFunction& function);

    ~CallerState();
    CallerState(const CallerState&) = delete;
    CallerState& operator=(const CallerState&) = delete;

    /// Puts everything back to how it was. The tensors stay the same objects, so what refers to them stays
    /// valid. Throws RunFailure (step.not_restored) if a tensor was written to whose elements were not
    /// copied; it names the tensor's index.
    void restore() const;
    /// Bytes of the copies.
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] bool owns(const c10::StorageImpl* storage) const { return m_storages.contains(storage); }

    /// Calls `visit` with each storage whose elements `restore` writes.
    void forEachCopied(const std::function<void(const c10::StorageImpl*)>& visit) const;

private:
    struct TensorState;
    struct Elements;
    void add(const at::Tensor& tensor, bool mayBeWritten);
    void addElements(const at::Tensor& tensor);
    [[nodiscard]] bool hasElements(const c10::Storage& storage) const;

    std::vector<TensorState> m_tensors;
    std::vector<Elements> m_elements;
    std::unordered_set<const c10::StorageImpl*> m_storages;
    at::Tensor m_generator;
    bool m_gradMode;
};

} // namespace aotscope::torch
