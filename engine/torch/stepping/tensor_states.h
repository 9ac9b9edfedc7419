#pragma once

#include "torch_headers.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace aotscope::torch {

/// What is needed to put the caller's tensors of a call back, in place, to how they are now: sizes, strides,
/// offset and storage, version counter, requires_grad, gradient and gradient edge; and copies of the elements
/// of those that may be written to. The objects stay the same, so what refers to them stays valid.
class TensorStates {
public:
    /// `mayBeWritten` has one entry per tensor. A tensor may appear several times. Gradients that exist are
    /// copied.
    TensorStates(const std::vector<at::Tensor>& tensors, const std::vector<bool>& mayBeWritten);
    ~TensorStates();
    TensorStates(const TensorStates&) = delete;
    TensorStates& operator=(const TensorStates&) = delete;

    /// Throws RunFailure (step.not_restored) if a tensor was written to whose elements were not copied; it
    /// names the tensor's index.
    void restore() const;

    /// Calls `visit` with each storage whose elements were copied.
    void forEachCopied(const std::function<void(const c10::StorageImpl*)>& visit) const;

    /// Bytes of the copies.
    [[nodiscard]] std::int64_t bytes() const;

private:
    struct State;
    struct Elements;
    void addElements(const at::Tensor& tensor);
    [[nodiscard]] bool hasElements(const c10::Storage& storage) const;

    std::vector<State> m_states;
    std::vector<Elements> m_elements;
};

} // namespace aotscope::torch
