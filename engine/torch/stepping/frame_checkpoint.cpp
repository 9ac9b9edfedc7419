#include "stepping/frame_checkpoint.h"

#include "dispatch/map_tensors.h"
#include "run/execution/generator_seed.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// A copy of the object that shares its storage and has no autograd history.
at::Tensor sharing(const at::Tensor& tensor, std::uint32_t version) {
    return at::Tensor(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(
        c10::VariableVersion(version), /*allow_tensor_metadata_change=*/true));
}

} // namespace

std::uint32_t versionOf(const at::Tensor& tensor) {
    return tensor.is_inference() ? 0 : tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

at::Tensor bytesOf(const c10::Storage& storage) {
    const auto count = static_cast<std::int64_t>(storage.nbytes());
    at::Tensor bytes = at::detail::empty_cpu({count}, at::TensorOptions(c10::kByte));
    if (count > 0 && storage.data() != nullptr) {
        bytes.copy_(storageBytes(storage));
    }
    return bytes;
}

c10::Storage copyOf(const c10::Storage& storage) {
    const std::size_t bytes = storage.nbytes();
    c10::Storage copy(c10::Storage::use_byte_size_t(), bytes, c10::GetAllocator(storage.device_type()),
                      /*resizable=*/true);
    if (bytes > 0 && storage.data() != nullptr) {
        storageBytes(copy).copy_(storageBytes(storage));
    }
    return copy;
}

CalledWith::CalledWith(const std::vector<IValue>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const at::Tensor* tensor = tensorIn(inputs[i]);
        if (tensor != nullptr && m_ofTensor.emplace(tensor->unsafeGetTensorImpl(), i).second) {
            m_tensors.emplace(i, tensor->getIntrusivePtr());
        }
        if (tensor != nullptr && tensor->has_storage() && m_ofStorage.emplace(storageIn(*tensor), i).second) {
            m_storages.emplace_back(tensor->storage().getWeakStorageImpl());
        }
    }
}

std::optional<std::size_t> CalledWith::inputOf(const at::Tensor& tensor) const {
    const auto found = m_ofTensor.find(tensor.unsafeGetTensorImpl());
    return found == m_ofTensor.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> CalledWith::inputOf(const c10::StorageImpl* storage) const {
    const auto found = m_ofStorage.find(storage);
    return found == m_ofStorage.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> CalledWith::versionOf(std::size_t input) const {
    const auto found = m_tensors.find(input);
    const auto held = found == m_tensors.end() ? decltype(found->second.lock())() : found->second.lock();
    return held && !held->is_inference() ? std::optional(held->version_counter().current_version())
                                         : std::nullopt;
}

FrameCheckpoint::FrameCheckpoint(const Frame& frame, std::size_t position, const CalledWith& inputs,
                                 std::vector<WrittenInput> written)
    : m_position(position),
      m_written(std::move(written)),
      m_symbols(frame.context.symbols),
      m_generator(generatorState()) {
    std::unordered_map<const c10::TensorImpl*, std::size_t> known;
    for (std::size_t node = 0; node < frame.values.size(); ++node) {
        if (!frame.values[node].isNone()) {
            m_values.emplace_back(node, mapTensors(frame.values[node], [&](const at::Tensor& tensor) {
                                      return m_tensors[keepTensor(tensor, inputs, known)].tensor;
                                  }));
        }
    }
}

std::size_t FrameCheckpoint::keepTensor(const at::Tensor& tensor, const CalledWith& inputs,
                                        std::unordered_map<const c10::TensorImpl*, std::size_t>& known) {
    const auto [entry, isNew] = known.emplace(tensor.unsafeGetTensorImpl(), m_tensors.size());
    if (isNew) {
        Kept kept;
        kept.version = versionOf(tensor);
        kept.input = inputs.inputOf(tensor);
        kept.inputStorage = inputs.inputOf(storageIn(tensor));
        // An input needs no more than an object that stands for it.
        kept.tensor = kept.input ? at::detail::empty_cpu({0}, at::TensorOptions(c10::kByte))
                                 : sharing(tensor, kept.version);
        m_tensors.push_back(std::move(kept));
    }
    return entry->second;
}

void FrameCheckpoint::restore(Frame& frame, const std::vector<IValue>& inputs) const {
    // An object or storage that several values share is shared again.
    std::unordered_map<const c10::TensorImpl*, at::Tensor> tensors;
    std::unordered_map<const c10::StorageImpl*, c10::Storage> storages;
    for (const Kept& kept : m_tensors) {
        at::Tensor& tensor = tensors[kept.tensor.unsafeGetTensorImpl()];
        if (kept.input) {
            tensor = inputs.at(*kept.input).toTensor();
            continue;
        }
        tensor = sharing(kept.tensor, kept.version);
        if (kept.inputStorage) {
            tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(
                inputs.at(*kept.inputStorage).toTensor().storage());
        } else if (kept.copied) {
            const auto [copy, isNew] = storages.try_emplace(storageIn(kept.tensor));
            if (isNew) {
                copy->second = copyOf(kept.tensor.storage());
            }
            tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(copy->second);
        }
    }
    for (const auto& [node, value] : m_values) {
        frame.values[node] = mapTensors(
            value, [&](const at::Tensor& tensor) { return tensors.at(tensor.unsafeGetTensorImpl()); });
    }
    for (const WrittenInput& written : m_written) {
        const at::Tensor& input = inputs.at(written.input).toTensor();
        storageBytes(input.storage()).copy_(written.bytes);
        if (written.version && !input.is_inference()) {
            c10::VariableVersion counter = input.unsafeGetTensorImpl()->version_counter();
            counter.set_version(*written.version);
        }
    }
    frame.context.symbols = m_symbols;
    setGeneratorState(m_generator);
}

std::vector<steps::KeptStorage> FrameCheckpoint::storages(const CallerState& callers) const {
    std::vector<steps::KeptStorage> all;
    std::set<const c10::StorageImpl*> seen;
    const auto add = [&](const at::Tensor& tensor) {
        const c10::StorageImpl* storage = storageIn(tensor);
        if (storage != nullptr && seen.insert(storage).second && !callers.owns(storage)) {
            all.push_back(
                {reinterpret_cast<std::uintptr_t>(storage), static_cast<std::int64_t>(storage->nbytes())});
        }
    };
    for (const Kept& kept : m_tensors) {
        add(kept.tensor);
    }
    for (const WrittenInput& written : m_written) {
        add(written.bytes);
    }
    return all;
}

bool FrameCheckpoint::Kept::refersTo(const c10::StorageImpl* storage) const {
    return !inputStorage && !copied && storageIn(tensor) == storage;
}

bool FrameCheckpoint::keeps(const c10::StorageImpl* storage) const {
    return std::ranges::any_of(m_tensors, [&](const Kept& kept) { return kept.refersTo(storage); });
}

void FrameCheckpoint::keepCopy(const c10::StorageImpl* storage, const c10::Storage& copy) {
    for (Kept& kept : m_tensors) {
        if (kept.refersTo(storage)) {
            kept.tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(copy);
            kept.copied = true;
        }
    }
}

void Checkpoints::add(std::size_t run, std::size_t event, FrameCheckpoint checkpoint, bool isEnd) {
    std::vector<steps::KeptStorage> storages = checkpoint.storages(m_callers);
    m_all.insert_or_assign({run, event}, std::move(checkpoint));
    drop(m_plan.add(event, std::move(storages), isEnd));
}

std::pair<const FrameCheckpoint*, std::size_t> Checkpoints::lastOf(std::size_t run, std::size_t event) const {
    const auto behind = m_all.upper_bound({run, event});
    if (behind == m_all.begin() || std::prev(behind)->first.first != run) {
        return {nullptr, 0};
    }
    return {&std::prev(behind)->second, std::prev(behind)->first.second};
}

bool Checkpoints::anyBetween(std::size_t from, std::size_t to) const {
    return std::ranges::any_of(
        m_all, [&](const auto& entry) { return entry.first.second > from && entry.first.second <= to; });
}

void Checkpoints::beforeWrite(const c10::Storage& storage) {
    const c10::StorageImpl* written = storage.unsafeGetStorageImpl();
    const bool isKept =
        std::ranges::any_of(m_all, [&](const auto& entry) { return entry.second.keeps(written); });
    if (!isKept) {
        return;
    }
    const c10::Storage copy = copyOf(storage);
    for (auto& [place, checkpoint] : m_all) {
        checkpoint.keepCopy(written, copy);
    }
    const auto numberOf = [](const c10::StorageImpl* each) { return reinterpret_cast<std::uintptr_t>(each); };
    drop(m_plan.replace(numberOf(written),
                        {numberOf(copy.unsafeGetStorageImpl()), static_cast<std::int64_t>(copy.nbytes())}));
}

void Checkpoints::drop(const std::vector<std::size_t>& events) {
    std::erase_if(m_all, [&](const auto& entry) {
        return std::ranges::find(events, entry.first.second) != events.end();
    });
}

} // namespace aotscope::torch
