#include "run/reference/computed_types.h"

#include "dispatch/dtypes.h"
#include "run/state/value_access.h"

#include "aot/tensor_elements.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

double ownRoundoff(const at::Tensor& tensor) {
    return aot::unitRoundoff(dtypeOf(tensor.scalar_type()));
}

} // namespace

double ComputedTypes::onTheWay(const at::Tensor& tensor) const {
    const auto found = m_roundoffs.find(storageIn(tensor));
    return found == m_roundoffs.end() ? 0 : found->second.second;
}

double ComputedTypes::narrowest(const at::Tensor& tensor) const {
    return std::max(ownRoundoff(tensor), onTheWay(tensor));
}

void ComputedTypes::computed(const at::Tensor& tensor, double roundoff) {
    if (!tensor.has_storage()) {
        return;
    }
    const auto [entry, added] =
        m_roundoffs.try_emplace(storageIn(tensor), Storage(tensor.storage().getWeakStorageImpl()), roundoff);
    entry->second.second = std::max(entry->second.second, roundoff);
}

void ComputedTypes::call(const c10::OperatorHandle& op, c10::Stack& stack) {
    double roundoff = 0;
    for (const c10::IValue& argument : argumentsOn(op, stack)) {
        forEachTensor(argument,
                      [&](const at::Tensor& tensor) { roundoff = std::max(roundoff, onTheWay(tensor)); });
    }
    const bool isView = makesView(op);
    carryOut(op, stack);
    for (const c10::IValue& result : resultsOn(op, stack)) {
        forEachTensor(result, [&](const at::Tensor& tensor) {
            computed(tensor, isView ? roundoff : std::max(roundoff, ownRoundoff(tensor)));
        });
    }
}

} // namespace aotscope::torch
