#include "stepping/alive_bytes.h"

#include "run/value_access.h"

namespace aotscope::torch {

void AliveBytes::add(const c10::IValue& value) {
    forEachTensor(value, [this](const at::Tensor& tensor) {
        if (!tensor.has_storage() || m_isOthers(tensor.storage().unsafeGetStorageImpl())) {
            return;
        }
        const c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
        Held& held = m_held[storage];
        if (held.holders++ == 0) {
            held.bytes = static_cast<std::int64_t>(storage->nbytes());
            m_bytes += held.bytes;
        }
    });
}

void AliveBytes::remove(const c10::IValue& value) {
    forEachTensor(value, [this](const at::Tensor& tensor) {
        if (!tensor.has_storage()) {
            return;
        }
        const auto held = m_held.find(tensor.storage().unsafeGetStorageImpl());
        if (held != m_held.end() && --held->second.holders == 0) {
            m_bytes -= held->second.bytes;
            m_held.erase(held);
        }
    });
}

void AliveBytes::clear() {
    m_held.clear();
    m_bytes = 0;
}

} // namespace aotscope::torch
