#pragma once

#include "dispatch/map_tensors.h"
#include "fake/fake_tensor.h"

#include <c10/util/SmallVector.h>

#include <utility>

/// An operator's arguments for one choice of the symbols' values.
namespace aotscope::torch {

/// An argument for one sample or check: meta tensors in place of fake and real tensors, integers in place of
/// symbolic ones. Throws c10::Error if a fake tensor has no meta tensor for the check (metaForCheck).
[[nodiscard]] c10::IValue metaArgument(const c10::IValue& value, std::size_t sample);

/// Whether an argument differs between samples.
[[nodiscard]] bool dependsOnSymbols(const c10::IValue& value);

/// Maps a meta tensor that an operator returned to the fake tensor it belongs to.
class InPlaceArguments {
public:
    /// The argument must outlive this object.
    void add(const c10::IValue& value) {
        forEachTensor(value, [&](const at::Tensor& tensor) {
            if (const FakeTensorImpl* fake = asFake(tensor)) {
                m_fakes.emplace_back(fake->samples().front().unsafeGetTensorImpl(), &tensor);
            }
        });
    }
    [[nodiscard]] const at::Tensor* find(const at::Tensor& meta) const {
        for (const auto& [impl, tensor] : m_fakes) {
            if (impl == meta.unsafeGetTensorImpl()) {
                return tensor;
            }
        }
        return nullptr;
    }

private:
    c10::SmallVector<std::pair<const c10::TensorImpl*, const at::Tensor*>, 4> m_fakes;
};

} // namespace aotscope::torch
