#pragma once

#include "fake/fake_tensor.h"

#include <ATen/FunctionalTensorWrapper.h>

#include <vector>

namespace aotscope::torch {

/// The outer of the two tensor layers of a trace. Follows torch 2.11, torch/_subclasses/functional_tensor.py:
/// FunctionalTensor.
///
/// It carries the autograd metadata and holds LibTorch's FunctionalTensorWrapper, which removes mutations.
/// The wrapper holds the fake tensor of the recorded value. An operator on outer tensors runs through
/// autograd first, then reaches the boxed fallback on traceKey, which calls it on the wrappers.
class FunctionalTensorImpl final : public c10::TensorImpl {
public:
    explicit FunctionalTensorImpl(at::Tensor wrapper);

    [[nodiscard]] const at::Tensor& wrapperTensor() const { return m_wrapper; }
    [[nodiscard]] at::FunctionalTensorWrapper& wrapper() const {
        return *at::functionalization::impl::unsafeGetFunctionalWrapper(m_wrapper);
    }
    /// Copies sizes, strides and offset from the wrapper after an operator changed them in place.
    void mirror();

    /// Records an `aten.detach`, as in PyTorch, where SavedVariable detaches a tensor subclass through the
    /// dispatcher.
    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(const c10::VariableVersion& version,
                                                                bool allowMetadataChange) const override;
    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(c10::VariableVersion&& version,
                                                                bool allowMetadataChange) const override;

private:
    const char* tensorimpl_type_name() const override { return "FunctionalTensor"; }
    /// For LibTorch code that needs plain sizes or strides: specializes each symbol to its hint, which adds a
    /// guard.
    c10::IntArrayRef sizes_custom() const override;
    c10::IntArrayRef strides_custom() const override;

    at::Tensor m_wrapper;
    mutable std::vector<std::int64_t> m_seenSizes;
    mutable std::vector<std::int64_t> m_seenStrides;
};

/// The implementation of an outer tensor; null for other tensors.
[[nodiscard]] FunctionalTensorImpl* asFunctional(const at::Tensor& tensor);

/// Wraps a fake tensor into both layers (to_fun). The result is a leaf that does not require grad.
[[nodiscard]] at::Tensor toFunctional(const at::Tensor& fake);

/// Wraps a FunctionalTensorWrapper.
[[nodiscard]] at::Tensor wrapFunctional(const at::Tensor& wrapper);

/// Applies pending mutations of the storage to an outer tensor (sync_functional_tensor); may record view
/// operators.
void syncFunctional(const at::Tensor& functional);

/// The fake tensor of an outer tensor's current value (from_fun), after a sync; other tensors as they are.
[[nodiscard]] at::Tensor fromFunctional(const at::Tensor& tensor);

} // namespace aotscope::torch
