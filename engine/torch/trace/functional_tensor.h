#pragma once

#include "fake/fake_tensor.h"

#include <ATen/FunctionalTensorWrapper.h>

#include <vector>

namespace aotscope::torch {

/// The outer of the two layers a trace runs on: what PyTorch's FunctionalTensor is in Python.
///
/// Carries autograd's data; holds LibTorch's FunctionalTensorWrapper, which removes mutation, which in turn
/// holds the fake tensor of the recorded value. An operator on outer tensors first goes through autograd,
/// then to the boxed fallback on DispatchKey::Fake, which calls it on the wrappers.
class FunctionalTensorImpl final : public c10::TensorImpl {
public:
    explicit FunctionalTensorImpl(at::Tensor wrapper);

    [[nodiscard]] const at::Tensor& wrapperTensor() const { return m_wrapper; }
    [[nodiscard]] at::FunctionalTensorWrapper& wrapper() const {
        return *at::functionalization::impl::unsafeGetFunctionalWrapper(m_wrapper);
    }
    /// Takes over sizes, strides and offset of the wrapper, after an operator changed them in place.
    void mirror();

    /// A detached copy is itself an operator of the graph, as in PyTorch, whose SavedVariable detaches
    /// through the dispatcher: the recorded `aten.detach`.
    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(const c10::VariableVersion& version,
                                                                bool allowMetadataChange) const override;
    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(c10::VariableVersion&& version,
                                                                bool allowMetadataChange) const override;

private:
    const char* tensorimpl_type_name() const override { return "FunctionalTensor"; }
    /// LibTorch's code that takes sizes as numbers: each symbol becomes the number that was seen, a guard.
    c10::IntArrayRef sizes_custom() const override;

    at::Tensor m_wrapper;
    mutable std::vector<std::int64_t> m_seenSizes;
};

/// The outer tensor's implementation; null when the tensor is none.
[[nodiscard]] FunctionalTensorImpl* asFunctional(const at::Tensor& tensor);

/// Wraps a fake tensor into both layers. The result requires no grad and is a leaf.
[[nodiscard]] at::Tensor toFunctional(const at::Tensor& fake);

/// Wraps a FunctionalTensorWrapper.
[[nodiscard]] at::Tensor wrapFunctional(const at::Tensor& wrapper);

/// Brings an outer tensor up to date with the mutations of its storage; may record view operators.
void syncFunctional(const at::Tensor& functional);

/// The fake tensor of the value an outer tensor has now (`from_fun`); other tensors as they are.
[[nodiscard]] at::Tensor fromFunctional(const at::Tensor& tensor);

} // namespace aotscope::torch
