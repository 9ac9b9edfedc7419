#pragma once

#include "wrappers/boxed_call.h"

#include "steps/value_state.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace aotscope::torch {

/// Describes values as they are at one moment, and numbers tensors and storages so that the same object has
/// the same number throughout a call. Holds no tensor alive.
class ValueStates {
public:
    /// Elements of larger tensors are not hashed.
    static constexpr std::int64_t mostHashedBytes = std::int64_t(1) << 24;

    /// The name is only used for a tensor that has none yet.
    [[nodiscard]] steps::ValueState of(const c10::IValue& value, const std::string& name);
    /// A list: values are named "argument 0" with `one` = "argument", or as in `names`.
    [[nodiscard]] std::vector<steps::ValueState> of(const Values& values, const std::string& one,
                                                    const std::vector<std::string>& names = {});
    /// Reuses the numbers and the name of an equal value in `state`: a repeated call has other objects, but
    /// shows the same numbers.
    void bind(const c10::IValue& value, const steps::ValueState& state);
    void bind(const Values& values, const std::vector<steps::ValueState>& states);
    /// Whether elements are hashed; they are unless this says otherwise.
    void hashContents(bool hashes) { m_hashes = hashes; }
    /// The tensor of that number; undefined if it was freed.
    [[nodiscard]] at::Tensor tensor(std::uint64_t number) const;

private:
    struct Known {
        std::uint64_t number = 0;
        std::string name;
        /// Keeps the address from being used again, but not the elements.
        c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> object;
    };
    [[nodiscard]] std::uint64_t storageNumber(const at::Tensor& tensor);
    Known& known(const at::Tensor& tensor, const std::string& name);
    Known& bindTensor(const at::Tensor& tensor, std::uint64_t number, const std::string& name);

    std::unordered_map<const c10::TensorImpl*, Known> m_tensors;
    std::vector<const c10::TensorImpl*> m_byNumber;
    std::unordered_map<const c10::StorageImpl*,
                       std::pair<std::uint64_t, c10::weak_intrusive_ptr<c10::StorageImpl>>>
        m_storages;
    std::uint64_t m_lastStorage = 0;
    bool m_hashes = true;
};

/// Dtype, device, sizes, strides, storage offset and requires_grad.
[[nodiscard]] ir::TensorMeta tensorMetaOf(const at::Tensor& tensor);
/// A hash of a tensor's elements; nothing for a tensor that is too large or cannot be read.
[[nodiscard]] std::optional<std::uint64_t> contentsOf(const at::Tensor& tensor);

/// "AddBackward0"; empty: none.
[[nodiscard]] std::string gradFnName(const at::Tensor& tensor);

} // namespace aotscope::torch
