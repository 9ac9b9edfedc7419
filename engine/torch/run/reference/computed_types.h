#pragma once

#include "run/execution/operator_watch.h"

#include <unordered_map>
#include <utility>

namespace aotscope::torch {

/// Follows in which float dtypes values are computed: each value's narrowest on the way to it from what
/// nobody computed.
class ComputedTypes final : public OperatorWatch {
public:
    void call(const c10::OperatorHandle& op, c10::Stack& stack) override;
    /// The unit roundoff of the narrowest float dtype on the way to the tensor, its own included.
    [[nodiscard]] double narrowest(const at::Tensor& tensor) const;

private:
    [[nodiscard]] double onTheWay(const at::Tensor& tensor) const;
    void computed(const at::Tensor& tensor, double roundoff);

    /// By storage, which is not freed as long as it is here.
    using Storage = c10::weak_intrusive_ptr<c10::StorageImpl>;
    std::unordered_map<const c10::StorageImpl*, std::pair<Storage, double>> m_roundoffs;
};

} // namespace aotscope::torch
