#include "fake/fake_tensor.h"

#include "dispatch/libtorch_release.h"
#include "fake/unrecorded_arithmetic.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/DispatchKeySet.h>

#include <algorithm>
#include <typeinfo>
#include <utility>

namespace aotscope::torch {

namespace {

c10::DispatchKeySet fakeKeys(c10::Device device) {
    return c10::DispatchKeySet({c10::computeDispatchKey(std::nullopt, std::nullopt, device), traceKey});
}

} // namespace

FakeTensorImpl::FakeTensorImpl(std::vector<at::Tensor> samples, c10::Device device)
    : TensorImpl(fakeKeys(device), samples.front().dtype(), device), m_samples(std::move(samples)) {
    const at::Tensor& meta = m_samples.front();
    TensorImpl::set_sizes_and_strides(meta.sizes(), meta.strides(), meta.storage_offset());
    initialize();
}

FakeTensorImpl::FakeTensorImpl(std::vector<at::Tensor> samples, c10::Device device, c10::SymIntArrayRef sizes,
                               c10::SymIntArrayRef strides, const c10::SymInt& offset)
    : TensorImpl(fakeKeys(device), samples.front().dtype(), device), m_samples(std::move(samples)) {
    TensorImpl::set_sizes_and_strides(sizes, strides, offset);
    initialize();
}

void FakeTensorImpl::initialize() {
    storage_ = m_samples.front().storage();
    set_storage_access_should_throw();
    if (m_samples.front().is_conj()) {
        _set_conj(true);
    }
    if (m_samples.front().is_neg()) {
        _set_neg(true);
    }
    if (m_samples.front()._is_zerotensor()) {
        // Operators without a kernel for tensors that are all zeros get zeros instead.
        key_set_ = key_set_.add(c10::DispatchKey::ZeroTensor);
    }
}

c10::SymInt FakeTensorImpl::elements(ShapeEnvironment& environment) {
    if (!m_elements) {
        const UnrecordedArithmetic untold(environment);
        c10::SymInt product = 1;
        for (const c10::SymInt& size : sym_sizes()) {
            product = product * size;
        }
        const SymbolicNode* node = asSymbolic(product);
        m_elements = node == nullptr ? product : environment.copyOf(*node);
    }
    if (const SymbolicNode* node = asSymbolic(*m_elements)) {
        node->setSource({m_value.recording, m_value.node, SizeSource::What::Elements});
    }
    return *m_elements;
}

void FakeTensorImpl::assign(const FakeTensorImpl& other) {
    m_memo = {};
    m_constant = at::Tensor();
    m_elements.reset();
    m_isLayoutKnown = false;
    m_samples = other.m_samples;
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
                    ? c10::make_intrusive<FakeTensorImpl>(m_samples, device(), sym_sizes(), sym_strides(),
                                                          sym_storage_offset())
                    : c10::make_intrusive<FakeTensorImpl>(m_samples, device());
    copy->set_version_counter(version);
    copy->set_allow_tensor_metadata_change(allowMetadataChange);
    copy->m_value = m_value;
    copy->m_constant = m_constant;
    copy->m_isLayoutKnown = m_isLayoutKnown;
    return copy;
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(c10::VariableVersion&& version,
                                                                            bool allowMetadataChange) const {
    return shallow_copy_and_detach(static_cast<const c10::VariableVersion&>(version), allowMetadataChange);
}

FakeTensorImpl* asFake(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.key_set().has(traceKey)) {
        return nullptr;
    }
    // Runs several times for each call of an operator. No class derives from FakeTensorImpl, so comparing the
    // type is enough.
    c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
    return typeid(impl) == typeid(FakeTensorImpl) ? static_cast<FakeTensorImpl*>(&impl) : nullptr;
}

namespace {

/// How many elements of its storage lie before the end of a tensor; 0 for an empty tensor.
std::int64_t reachOf(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::int64_t offset) {
    std::int64_t end = offset + 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] <= 0) {
            return 0;
        }
        end += (sizes[i] - 1) * strides[i];
    }
    return end;
}

at::Tensor metaTensor(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::int64_t offset,
                      c10::ScalarType dtype) {
    const auto options = at::TensorOptions().dtype(dtype).device(c10::kMeta);
    if (offset == 0) {
        return at::empty_strided(sizes, strides, options);
    }
    const std::int64_t reach = std::max(reachOf(sizes, strides, offset), offset + 1);
    return at::empty_strided({reach}, {1}, options).as_strided(sizes, strides, offset);
}

/// A view that may lie outside of its storage: if only data or other symbols keep it inside, the values of a
/// sample may lead out of it. Such a sample gets a separate storage, large enough for views of the view; the
/// first one does not, because aliasing follows it.
at::Tensor metaView(const at::Tensor& base, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                    std::int64_t offset, std::size_t sample, c10::ScalarType dtype) {
    const std::int64_t reach = reachOf(sizes, strides, offset);
    const auto bytes = reach * static_cast<std::int64_t>(c10::elementSize(dtype));
    const bool outside = sample > 0 && bytes > static_cast<std::int64_t>(base.storage().nbytes());
    c10::Storage storage = outside ? metaTensor({reach}, {1}, 0, dtype).storage() : base.storage();
    at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(
        c10::TensorImpl::VIEW, std::move(storage), base.key_set(), c10::scalarTypeToTypeMeta(dtype));
    view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
    return view;
}

bool allNumbers(c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides, const c10::SymInt& offset) {
    return c10::asIntArrayRefSlowOpt(sizes) && c10::asIntArrayRefSlowOpt(strides) && offset.maybe_as_int();
}

at::Tensor withSamples(std::vector<at::Tensor> samples, c10::Device device, c10::SymIntArrayRef sizes,
                       c10::SymIntArrayRef strides, const c10::SymInt& offset) {
    if (allNumbers(sizes, strides, offset)) {
        return at::detail::make_tensor<FakeTensorImpl>(std::move(samples), device);
    }
    return at::detail::make_tensor<FakeTensorImpl>(std::move(samples), device, sizes, strides, offset);
}

} // namespace

at::Tensor makeFake(c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides, const c10::SymInt& offset,
                    c10::ScalarType dtype, c10::Device device, const ShapeEnvironment& environment) {
    const c10::impl::ExcludeDispatchKeyGuard withoutFake(traceKey);
    const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    std::vector<at::Tensor> samples;
    for (std::size_t k = 0; k < environment.samples(); ++k) {
        samples.push_back(
            metaTensor(sampledValues(sizes, k), sampledValues(strides, k), sampledValue(offset, k), dtype));
    }
    if (allNumbers(sizes, strides, offset)) {
        samples.resize(1);
    }
    return withSamples(std::move(samples), device, sizes, strides, offset);
}

at::Tensor makeFakeView(const at::Tensor& base, c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides,
                        const c10::SymInt& offset, const ShapeEnvironment& environment,
                        std::optional<c10::ScalarType> dtype) {
    const c10::impl::ExcludeDispatchKeyGuard withoutFake(traceKey);
    const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
    const FakeTensorImpl& fake = *asFake(base);
    // The storage may grow with a symbol even if the view does not.
    const bool varies = fake.samples().size() > 1 || !allNumbers(sizes, strides, offset);
    std::vector<at::Tensor> samples;
    for (std::size_t k = 0; k < (varies ? environment.samples() : 1); ++k) {
        const at::Tensor& meta = fake.samples()[std::min(k, fake.samples().size() - 1)];
        samples.push_back(metaView(meta, sampledValues(sizes, k), sampledValues(strides, k),
                                   sampledValue(offset, k), k, dtype.value_or(base.scalar_type())));
    }
    return withSamples(std::move(samples), base.device(), sizes, strides, offset);
}

std::optional<at::Tensor> metaForCheck(const FakeTensorImpl& fake, std::size_t check) {
    constexpr std::int64_t leastSize = 2;
    for (const c10::SymInt& size : fake.sym_sizes()) {
        if (asSymbolic(size) != nullptr && sampledValue(size, check) < leastSize) {
            return std::nullopt;
        }
    }
    const at::Tensor& seen = fake.samples().front();
    at::Tensor made =
        metaTensor(sampledValues(fake.sym_sizes(), check), sampledValues(fake.sym_strides(), check),
                   sampledValue(fake.sym_storage_offset(), check), seen.scalar_type());
    made.unsafeGetTensorImpl()->_set_conj(seen.is_conj());
    made.unsafeGetTensorImpl()->_set_neg(seen.is_neg());
    return made;
}

} // namespace aotscope::torch
