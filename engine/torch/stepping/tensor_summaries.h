#pragma once

#include "torch_headers.h"

#include "contract/snapshots.h"

#include <cstdint>
#include <map>
#include <vector>

namespace aotscope::torch {

/// Statistics of tensors, computed once per tensor: a pause shows those of all that is alive, most of which
/// were alive at the pause before. A tensor that is written to counts as a new one when its version counter
/// says so, or `forget` is called.
class TensorSummaries {
public:
    [[nodiscard]] const session::TensorSummary& of(const at::Tensor& tensor);
    /// The elements of that storage are about to change.
    void forget(const c10::StorageImpl* storage);

private:
    struct Key {
        const c10::StorageImpl* storage = nullptr;
        std::uint32_t version = 0;
        std::int64_t offset = 0;
        int dtype = 0;
        std::vector<std::int64_t> sizes;
        std::vector<std::int64_t> strides;
        auto operator<=>(const Key&) const = default; // NOLINT
    };
    struct Entry {
        /// Keeps the storage's address from being used again.
        c10::weak_intrusive_ptr<c10::StorageImpl> storage;
        session::TensorSummary summary;
    };
    void dropDead();

    std::map<Key, Entry> m_entries;
    /// At this size it looks for entries of freed storages.
    std::size_t m_dropAt = 1024;
    /// The summary of a tensor without a storage.
    session::TensorSummary m_without;
};

/// Counts of the finite elements of a tensor in equal steps from its least to its greatest.
[[nodiscard]] std::vector<std::uint64_t> histogramOf(const at::Tensor& tensor,
                                                     const session::TensorSummary& summary);

} // namespace aotscope::torch
