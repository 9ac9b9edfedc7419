#include "trace/functional_tensor.h"

#include "dispatch/libtorch_release.h"

#include <ATen/ops/detach.h>

#include <typeinfo>

namespace aotscope::torch {

namespace {

c10::DispatchKeySet functionalKeys(c10::Device device) {
    // The Batched key (of the old vmap, unused otherwise) marks the tensor like a subclass: backward formulas
    // then avoid in-place operators, as for PyTorch's FunctionalTensor. The trace excludes the key from
    // dispatch.
    return c10::DispatchKeySet(
        {c10::computeDispatchKey(std::nullopt, std::nullopt, device), traceKey, c10::DispatchKey::Batched});
}

void specialize(c10::SymIntArrayRef numbers, std::vector<std::int64_t>& plain) {
    plain.clear();
    for (const c10::SymInt& number : numbers) {
        plain.push_back(number.guard_int(__FILE__, __LINE__));
    }
}

} // namespace

FunctionalTensorImpl::FunctionalTensorImpl(at::Tensor wrapper)
    : TensorImpl(functionalKeys(wrapper.device()), wrapper.dtype(), wrapper.device()),
      m_wrapper(std::move(wrapper)) {
    mirror();
    set_storage_access_should_throw();
}

c10::IntArrayRef FunctionalTensorImpl::sizes_custom() const {
    specialize(sym_sizes(), m_seenSizes);
    return m_seenSizes;
}

c10::IntArrayRef FunctionalTensorImpl::strides_custom() const {
    specialize(sym_strides(), m_seenStrides);
    return m_seenStrides;
}

void FunctionalTensorImpl::mirror() {
    storage_ = m_wrapper.storage();
    const auto sizes = m_wrapper.sym_sizes();
    const auto strides = m_wrapper.sym_strides();
    const auto offset = m_wrapper.sym_storage_offset();
    const auto concreteSizes = c10::asIntArrayRefSlowOpt(sizes);
    const auto concreteStrides = c10::asIntArrayRefSlowOpt(strides);
    // Symbolic sizes stay symbolic numbers, even if an operator in place (as_strided_) set them to constants.
    if (concreteSizes && concreteStrides && !offset.is_symbolic() && !has_symbolic_sizes_strides()) {
        TensorImpl::set_sizes_and_strides(*concreteSizes, *concreteStrides,
                                          offset.guard_int(__FILE__, __LINE__));
    } else {
        TensorImpl::set_sizes_and_strides(sizes, strides, offset);
    }
    if (m_wrapper.is_conj() != is_conj()) {
        _set_conj(m_wrapper.is_conj());
    }
    if (m_wrapper.is_neg() != is_neg()) {
        _set_neg(m_wrapper.is_neg());
    }
    key_set_ = m_wrapper._is_zerotensor() ? key_set_.add(c10::DispatchKey::ZeroTensor)
                                          : key_set_.remove(c10::DispatchKey::ZeroTensor);
}

c10::intrusive_ptr<c10::TensorImpl>
FunctionalTensorImpl::shallow_copy_and_detach(const c10::VariableVersion& version,
                                              bool allowMetadataChange) const {
    const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    // Through the fallback, so that the detach is functionalized and recorded like any other operator.
    const at::Tensor self = at::Tensor(
        c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(const_cast<FunctionalTensorImpl*>(this)));
    const at::Tensor detached = at::detach(self);
    auto copy = c10::make_intrusive<FunctionalTensorImpl>(asFunctional(detached)->m_wrapper);
    copy->set_version_counter(version);
    copy->set_allow_tensor_metadata_change(allowMetadataChange);
    return copy;
}

c10::intrusive_ptr<c10::TensorImpl>
FunctionalTensorImpl::shallow_copy_and_detach(c10::VariableVersion&& version,
                                              bool allowMetadataChange) const {
    return shallow_copy_and_detach(static_cast<const c10::VariableVersion&>(version), allowMetadataChange);
}

FunctionalTensorImpl* asFunctional(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.key_set().has(c10::DispatchKey::Batched)) {
        return nullptr;
    }
    // As in asFake.
    c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
    return typeid(impl) == typeid(FunctionalTensorImpl) ? static_cast<FunctionalTensorImpl*>(&impl) : nullptr;
}

at::Tensor wrapFunctional(const at::Tensor& wrapper) {
    return at::detail::make_tensor<FunctionalTensorImpl>(wrapper);
}

at::Tensor toFunctional(const at::Tensor& fake) {
    const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    return wrapFunctional(at::functionalization::impl::to_functional_tensor(fake));
}

} // namespace aotscope::torch
