#include "wrappers/value_states.h"

#include "dispatch/dtypes.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include <torch/csrc/autograd/function.h>

#include <cstring>

namespace aotscope::torch {

namespace {

ir::SymInts symInts(at::IntArrayRef numbers) {
    return {numbers.begin(), numbers.end()};
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29U);
}

std::uint64_t hashOf(const char* bytes, std::size_t count) {
    std::uint64_t hash = count;
    for (; count >= sizeof hash; bytes += sizeof hash, count -= sizeof hash) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, sizeof word);
        hash = mixed(hash, word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes, count);
    return mixed(hash, rest);
}

std::string textOf(const c10::IValue& value) {
    const std::string number = numberText(value);
    return !number.empty() ? number : value.isNone() || value.isTensor() ? "None" : value.tagKind();
}

} // namespace

ir::TensorMeta tensorMetaOf(const at::Tensor& tensor) {
    ir::TensorMeta meta;
    meta.dtype = dtypeOf(tensor.scalar_type());
    meta.device = ir::Device::parse(tensor.device().str());
    meta.requiresGrad = tensor.requires_grad();
    meta.shape = symInts(tensor.sizes());
    if (tensor.layout() == c10::kStrided) {
        meta.stride = symInts(tensor.strides());
        meta.storageOffset = ir::SymInt(tensor.storage_offset());
    } else {
        meta.layout = "not strided";
    }
    return meta;
}

std::optional<std::uint64_t> contentsOf(const at::Tensor& tensor) {
    const bool isReadable = !tensor.is_meta() && tensor.layout() == c10::kStrided && tensor.has_storage();
    const auto bytes = static_cast<std::int64_t>(tensor.element_size()) * (isReadable ? tensor.numel() : 0);
    if (!isReadable || bytes > ValueStates::mostHashedBytes) {
        return std::nullopt;
    }
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    const at::Tensor flat = readable(tensor).contiguous();
    return hashOf(static_cast<const char*>(flat.const_data_ptr()), static_cast<std::size_t>(bytes));
}

std::string gradFnName(const at::Tensor& tensor) {
    const auto& node = tensor.grad_fn();
    return node ? node->name() : std::string();
}

ValueStates::Known& ValueStates::known(const at::Tensor& tensor, const std::string& name) {
    const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    const auto found = m_tensors.find(impl);
    if (found != m_tensors.end()) {
        return found->second;
    }
    m_byNumber.push_back(impl);
    return bindTensor(tensor, m_byNumber.size(), name);
}

std::uint64_t ValueStates::storageNumber(const at::Tensor& tensor) {
    const auto [known, isNew] = m_storages.try_emplace(
        tensor.storage().unsafeGetStorageImpl(), m_lastStorage + 1, tensor.storage().getWeakStorageImpl());
    m_lastStorage += isNew ? 1 : 0;
    return known->second.first;
}

ValueStates::Known& ValueStates::bindTensor(const at::Tensor& tensor, std::uint64_t number,
                                            const std::string& name) {
    const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    m_byNumber.at(number - 1) = impl;
    Known known{number, name,
                c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>(tensor.getIntrusivePtr())};
    return m_tensors.insert_or_assign(impl, std::move(known)).first->second;
}

void ValueStates::bind(const c10::IValue& value, const steps::ValueState& state) {
    if (!value.isTensor() || !value.toTensor().defined() || !state.isTensor()) {
        return;
    }
    const at::Tensor& tensor = value.toTensor();
    bindTensor(tensor, state.tensor, state.name);
    if (tensor.is_view() && state.base != 0) {
        bindTensor(at::Tensor(tensor._base()), state.base, "base of " + state.name);
    }
    if (tensor.has_storage()) {
        m_storages.insert_or_assign(tensor.storage().unsafeGetStorageImpl(),
                                    std::pair(state.storage, tensor.storage().getWeakStorageImpl()));
    }
}

void ValueStates::bind(const Values& values, const std::vector<steps::ValueState>& states) {
    for (std::size_t i = 0; i < values.size() && i < states.size(); ++i) {
        bind(values[i], states[i]);
    }
}

at::Tensor ValueStates::tensor(std::uint64_t number) const {
    if (number == 0 || number > m_byNumber.size()) {
        return {};
    }
    const auto found = m_tensors.find(m_byNumber[number - 1]);
    if (found == m_tensors.end()) {
        return {};
    }
    auto alive = found->second.object.lock();
    return alive ? at::Tensor(std::move(alive)) : at::Tensor();
}

steps::ValueState ValueStates::of(const c10::IValue& value, const std::string& name) {
    steps::ValueState state;
    state.name = name;
    if (!value.isTensor() || !value.toTensor().defined()) {
        state.number = textOf(value);
        return state;
    }
    const at::Tensor& tensor = value.toTensor();
    const Known& same = known(tensor, name);
    state.tensor = same.number;
    state.name = same.name;
    if (tensor.has_storage()) {
        state.storage = storageNumber(tensor);
        state.storageBytes = static_cast<std::int64_t>(tensor.storage().nbytes());
    }
    state.meta = tensorMetaOf(tensor);
    state.isLeaf = tensor.is_leaf();
    state.gradFn = gradFnName(tensor);
    state.version = static_cast<std::uint32_t>(tensor._version());
    if (tensor.is_view()) {
        state.base = known(at::Tensor(tensor._base()), "base of " + state.name).number;
    }
    if (m_hashes) {
        state.contents = contentsOf(tensor);
    }
    return state;
}

std::vector<steps::ValueState> ValueStates::of(const Values& values, const std::string& one,
                                               const std::vector<std::string>& names) {
    std::vector<steps::ValueState> states;
    states.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        states.push_back(of(values[i], i < names.size() ? names[i] : one + " " + std::to_string(i)));
    }
    return states;
}

} // namespace aotscope::torch
