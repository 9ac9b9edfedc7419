#include "fake/fake_tensor.h"

#include <ATen/ops/empty_strided.h>
#include <c10/core/DispatchKeySet.h>

namespace aotscope::torch {

namespace {

c10::DispatchKeySet fakeKeys(c10::Device device) {
    return c10::DispatchKeySet(
        {c10::computeDispatchKey(std::nullopt, std::nullopt, device), c10::DispatchKey::Fake});
}

} // namespace

FakeTensorImpl::FakeTensorImpl(std::vector<at::Tensor> variants, c10::Device device)
    : TensorImpl(fakeKeys(device), variants.front().dtype(), device), m_variants(std::move(variants)) {
    const at::Tensor& meta = m_variants.front();
    TensorImpl::set_sizes_and_strides(meta.sizes(), meta.strides(), meta.storage_offset());
    initialize();
}

FakeTensorImpl::FakeTensorImpl(std::vector<at::Tensor> variants, c10::Device device,
                               c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides,
                               const c10::SymInt& offset)
    : TensorImpl(fakeKeys(device), variants.front().dtype(), device), m_variants(std::move(variants)) {
    TensorImpl::set_sizes_and_strides(sizes, strides, offset);
    initialize();
}

void FakeTensorImpl::initialize() {
    storage_ = m_variants.front().storage();
    set_storage_access_should_throw();
    if (m_variants.front().is_conj()) {
        _set_conj(true);
    }
    if (m_variants.front().is_neg()) {
        _set_neg(true);
    }
}

void FakeTensorImpl::assign(const FakeTensorImpl& other) {
    m_variants = other.m_variants;
    storage_ = other.storage_;
    if (other.has_symbolic_sizes_strides_) {
        TensorImpl::set_sizes_and_strides(other.sym_sizes(), other.sym_strides(), other.sym_storage_offset());
    } else {
        TensorImpl::set_sizes_and_strides(other.sizes(), other.strides(), other.storage_offset());
    }
}

c10::intrusive_ptr<c10::TensorImpl>
FakeTensorImpl::shallow_copy_and_detach(const c10::VariableVersion& version, bool allowMetadataChange) const {
    auto copy = has_symbolic_sizes_strides_
                    ? c10::make_intrusive<FakeTensorImpl>(m_variants, device(), sym_sizes(), sym_strides(),
                                                          sym_storage_offset())
                    : c10::make_intrusive<FakeTensorImpl>(m_variants, device());
    copy->set_version_counter(version);
    copy->set_allow_tensor_metadata_change(allowMetadataChange);
    copy->m_value = m_value;
    return copy;
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(c10::VariableVersion&& version,
                                                                            bool allowMetadataChange) const {
    return shallow_copy_and_detach(static_cast<const c10::VariableVersion&>(version), allowMetadataChange);
}

FakeTensorImpl* asFake(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.key_set().has(c10::DispatchKey::Fake)) {
        return nullptr;
    }
    return dynamic_cast<FakeTensorImpl*>(tensor.unsafeGetTensorImpl());
}

at::Tensor makeFake(at::IntArrayRef sizes, at::IntArrayRef strides, std::int64_t offset,
                    c10::ScalarType dtype, c10::Device device) {
    const c10::impl::ExcludeDispatchKeyGuard withoutFake(c10::DispatchKey::Fake);
    const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    const auto options = at::TensorOptions().dtype(dtype).device(c10::kMeta);
    at::Tensor meta = at::empty_strided(sizes, strides, options);
    if (offset != 0) {
        std::int64_t end = offset + 1;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            end += (sizes[i] - 1) * strides[i];
        }
        meta = at::empty_strided({end}, {1}, options).as_strided(sizes, strides, offset);
    }
    return at::detail::make_tensor<FakeTensorImpl>(std::vector<at::Tensor>{meta}, device);
}

} // namespace aotscope::torch
