#include "stepping/elements_hash.h"

#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include <algorithm>
#include <cstring>

namespace aotscope::torch {

namespace {

/// FNV-1a over words of eight bytes, which is fast enough to read all values at a pause.
class Hash {
public:
    void add(std::uint64_t word) {
        m_state = (m_state ^ word) * 0x100000001b3ULL;
        m_state ^= m_state >> 29;
    }
    void add(const char* bytes, std::size_t count) {
        for (; count >= sizeof(std::uint64_t); count -= sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes, sizeof(word));
            add(word);
            bytes += sizeof(word);
        }
        if (count > 0) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes, count);
            add(word);
        }
    }
    [[nodiscard]] std::uint64_t value() const { return m_state; }

private:
    std::uint64_t m_state = 0xcbf29ce484222325ULL;
};

/// The distance in elements from the first element to the one that is number `flat` in row-major order.
std::int64_t placeOf(const at::Tensor& tensor, std::int64_t flat) {
    std::int64_t place = 0;
    for (std::int64_t dim = tensor.dim(); dim-- > 0;) {
        const std::int64_t size = tensor.size(dim);
        place += flat % size * tensor.stride(dim);
        flat /= size;
    }
    return place;
}

} // namespace

std::uint64_t elementsHash(const at::Tensor& seen, std::int64_t most) {
    Hash hash;
    hash.add(static_cast<std::uint64_t>(seen.scalar_type()));
    for (const std::int64_t size : seen.sizes()) {
        hash.add(static_cast<std::uint64_t>(size));
    }
    const bool isReadable =
        seen.layout() == c10::kStrided && !seen.is_meta() && seen.numel() > 0 && seen.has_storage();
    if (!isReadable) {
        return hash.value();
    }
    const at::Tensor tensor = readable(seen);
    if (tensor.const_data_ptr() == nullptr) {
        return hash.value();
    }
    const auto* data = static_cast<const char*>(tensor.const_data_ptr());
    const std::size_t width = tensor.element_size();
    const std::int64_t count = tensor.numel();
    const std::int64_t read = most == 0 ? count : std::min(count, most);
    if (read == count && tensor.is_contiguous()) {
        hash.add(data, static_cast<std::size_t>(count) * width);
        return hash.value();
    }
    for (std::int64_t i = 0; i < read; ++i) {
        const std::int64_t flat = read == count ? i : i * (count / read);
        hash.add(data + placeOf(tensor, flat) * static_cast<std::int64_t>(width), width);
    }
    return hash.value();
}

std::uint64_t elementsHash(const c10::IValue& value, std::int64_t most) {
    Hash hash;
    forEachTensor(value, [&](const at::Tensor& tensor) { hash.add(elementsHash(tensor, most)); });
    if (value.isInt()) {
        hash.add(static_cast<std::uint64_t>(value.toInt()));
    }
    return hash.value();
}

} // namespace aotscope::torch
