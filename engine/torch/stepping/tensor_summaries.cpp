#include "stepping/tensor_summaries.h"

#include "run/measuring/statistics.h"
#include "stepping/frame_checkpoint.h"

#include <ATen/ops/histc.h>
#include <ATen/ops/isfinite.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

namespace aotscope::torch {

const session::TensorSummary& TensorSummaries::of(const at::Tensor& tensor) {
    if (!tensor.has_storage() || tensor.layout() != c10::kStrided) {
        m_without = summarize(tensor, false);
        return m_without;
    }
    Key key{tensor.storage().unsafeGetStorageImpl(), versionOf(tensor),    tensor.storage_offset(),
            static_cast<int>(tensor.scalar_type()),  tensor.sizes().vec(), tensor.strides().vec()};
    if (const auto known = m_entries.find(key); known != m_entries.end()) {
        return known->second.summary;
    }
    if (m_entries.size() >= m_dropAt) {
        dropDead();
    }
    Entry entry{tensor.storage().getWeakStorageImpl(), summarize(tensor, true)};
    return m_entries.emplace(std::move(key), std::move(entry)).first->second.summary;
}

void TensorSummaries::forget(const c10::StorageImpl* storage) {
    std::erase_if(m_entries, [&](const auto& entry) { return entry.first.storage == storage; });
}

void TensorSummaries::dropDead() {
    std::erase_if(m_entries, [](const auto& entry) { return entry.second.storage.expired(); });
    m_dropAt = std::max<std::size_t>(1024, 2 * m_entries.size());
}

std::vector<std::uint64_t> histogramOf(const at::Tensor& tensor, const session::TensorSummary& summary) {
    constexpr std::int64_t steps = 32;
    if (!summary.minimum || !summary.maximum || tensor.layout() != c10::kStrided) {
        return {};
    }
    const c10::AutoGradMode noGrad(false);
    const at::AutoDispatchBelowADInplaceOrView belowAutograd;
    const at::Tensor elements = (tensor.is_complex() ? tensor.abs() : tensor).to(c10::kDouble).flatten();
    const at::Tensor finite = elements.masked_select(at::isfinite(elements));
    if (*summary.minimum == *summary.maximum) {
        // Equal ends mean "from the elements" to histc.
        std::vector<std::uint64_t> single(steps, 0);
        single.front() = static_cast<std::uint64_t>(finite.numel());
        return single;
    }
    const at::Tensor counts = at::histc(finite, steps, *summary.minimum, *summary.maximum).contiguous();
    const at::Tensor read = counts.to(c10::kCPU);
    const auto* first = read.const_data_ptr<double>();
    return {first, first + steps};
}

} // namespace aotscope::torch
