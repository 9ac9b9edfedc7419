#pragma once

#include "fake/fake_tensor.h"

#include <utility>
#include <vector>

/// An operator's arguments, as they are for each choice of the symbols' values.
namespace aotscope::torch {

/// Calls `visit(const at::Tensor&)` for every defined tensor argument.
template<typename Visit>
void eachTensor(const c10::IValue& value, Visit&& visit) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) {
            visit(value.toTensor());
        }
    } else if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            eachTensor(item, visit);
        }
    }
}

/// An argument for one choice of values: meta tensors for fake and for real ones, numbers for symbols. Throws
/// c10::Error where a check has no tensor for it.
[[nodiscard]] c10::IValue metaArgument(const c10::IValue& value, std::size_t sample);

/// Whether an argument differs between choices of values.
[[nodiscard]] bool dependsOnSymbols(const c10::IValue& value);

/// Finds again the fake tensor whose meta tensor an operator returned.
class InPlaceArguments {
public:
    void add(const c10::IValue& value) {
        eachTensor(value, [&](const at::Tensor& tensor) {
            if (const FakeTensorImpl* fake = asFake(tensor)) {
                m_fakes.emplace_back(fake->samples().front().unsafeGetTensorImpl(), tensor);
            }
        });
    }
    [[nodiscard]] const at::Tensor* find(const at::Tensor& meta) const {
        for (const auto& [impl, tensor] : m_fakes) {
            if (impl == meta.unsafeGetTensorImpl()) {
                return &tensor;
            }
        }
        return nullptr;
    }

private:
    std::vector<std::pair<const c10::TensorImpl*, at::Tensor>> m_fakes;
};

} // namespace aotscope::torch
