#pragma once

#include "torch_headers.h"

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace aotscope::torch {

/// The bytes of the storages that the values of a running graph hold, each counted once.
class AliveBytes {
public:
    /// Storages for which `isOthers` holds do not count.
    explicit AliveBytes(std::function<bool(const c10::StorageImpl*)> isOthers)
        : m_isOthers(std::move(isOthers)) {}

    void add(const c10::IValue& value);
    void remove(const c10::IValue& value);
    void clear();
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Held {
        std::int64_t bytes = 0;
        std::int64_t holders = 0;
    };
    std::function<bool(const c10::StorageImpl*)> m_isOthers;
    std::unordered_map<const c10::StorageImpl*, Held> m_held;
    std::int64_t m_bytes = 0;
};

} // namespace aotscope::torch
