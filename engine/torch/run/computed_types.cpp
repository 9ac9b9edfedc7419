#include "run/computed_types.h"

#include "dispatch/dtypes.h"
#include "run/value_access.h"

#include "aot/tensor_elements.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

double ownRoundoff(const at::Tensor& tensor) {
    return aot::unitRoundoff(dtypeOf(tensor.scalar_type()));
}

} // namespace

double ComputedTypes::onTheWay(const at::Tensor& tensor) const {
    const auto found =
        tensor.has_storage() ? m_roundoffs.find(tensor.storage().unsafeGetStorageImpl()) : m_roundoffs.end();
    return found == m_roundoffs.end() ? 0 : found->second.second;
}

double ComputedTypes::narrowest(const at::Tensor& tensor) const {
    return std::max(ownRoundoff(tensor), onTheWay(tensor));
}

void ComputedTypes::computed(const at::Tensor& tensor, double roundoff) {
    if (!tensor.has_storage()) {
        return;
    }
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    const auto [entry, added] =
        m_roundoffs.try_emplace(storage, Storage(tensor.storage().getWeakStorageImpl()), roundoff);
    entry->second.second = std::max(entry->second.second, roundoff);
}

void ComputedTypes::call(const c10::OperatorHandle& op, c10::Stack& stack) {
    double roundoff = 0;
    for (const c10::IValue& argument : argumentsOn(op, stack)) {
        forEachTensor(argument,
                      [&](const at::Tensor& tensor) { roundoff = std::max(roundoff, onTheWay(tensor)); });
    }
    const bool isView = makesView(op);
    const std::size_t below = stack.size() - op.schema().arguments().size();
    carryOut(op, stack);
    for (std::size_t i = below; i < stack.size(); ++i) {
        forEachTensor(stack[i], [&](const at::Tensor& tensor) {
            computed(tensor, isView ? roundoff : std::max(roundoff, ownRoundoff(tensor)));
        });
    }
}

} // namespace aotscope::torch
