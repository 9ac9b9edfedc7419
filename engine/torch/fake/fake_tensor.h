#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include "ir/argument.h"

#include <optional>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Which node of which recording produced a fake tensor: FX's proxy slot. Recording 0: none.
struct GraphValue {
    std::uint64_t recording = 0;
    ir::NodeId node;
};

/// What was answered of a tensor's data, so that asking again gives the same symbols.
struct DataMemo {
    std::optional<c10::SymInt> nonzeroCount;
    std::optional<c10::SymInt> uniqueCount;
    std::optional<c10::SymInt> uniqueConsecutiveCount;
    std::optional<c10::IValue> item;
};

/// A tensor with shape, strides, dtype, device and aliasing, without data (PyTorch's FakeTensor).
///
/// Inside are meta tensors, one per *sample*: a graph with symbols is computed for several values of them at
/// once, and a size that differs between samples is an expression of the symbols. Without symbols there is
/// one sample. Views share the storage of the meta tensors they view, so aliasing is LibTorch's own.
/// Has the keys of an ordinary tensor of its device and DispatchKey::Fake, whose boxed fallback handles it.
class FakeTensorImpl final : public c10::TensorImpl {
public:
    /// `samples` are meta tensors, at least one. `sizes`, `strides` and `offset` are the symbolic ones where
    /// samples differ; without them those of the only sample hold.
    FakeTensorImpl(std::vector<at::Tensor> samples, c10::Device device);
    FakeTensorImpl(std::vector<at::Tensor> samples, c10::Device device, c10::SymIntArrayRef sizes,
                   c10::SymIntArrayRef strides, const c10::SymInt& offset);

    [[nodiscard]] const std::vector<at::Tensor>& samples() const { return m_samples; }
    [[nodiscard]] const GraphValue& graphValue() const { return m_value; }
    void setGraphValue(GraphValue value) { m_value = value; }
    [[nodiscard]] DataMemo& memo() { return m_memo; }
    /// The real tensor of a constant of the program (fake/constants.h); undefined: only a run tells values.
    [[nodiscard]] const at::Tensor& constant() const { return m_constant; }
    void setConstant(at::Tensor values) { m_constant = std::move(values); }
    /// How many elements it has, as a number of its own that a graph reads off this tensor.
    [[nodiscard]] c10::SymInt elements(ShapeEnvironment& environment);
    /// Whether it is known to be contiguous, or not, without asking its sizes and strides.
    [[nodiscard]] bool isLayoutKnown() const { return m_isLayoutKnown; }
    void setLayoutKnown(bool known) { m_isLayoutKnown = known; }
    /// Takes the metadata of another fake tensor, after an operator changed this one in place.
    void assign(const FakeTensorImpl& other);

    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(const c10::VariableVersion& version,
                                                                bool allowMetadataChange) const override;
    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(c10::VariableVersion&& version,
                                                                bool allowMetadataChange) const override;

private:
    const char* tensorimpl_type_name() const override { return "FakeTensor"; }
    void initialize();

    std::vector<at::Tensor> m_samples;
    GraphValue m_value;
    DataMemo m_memo;
    at::Tensor m_constant;
    std::optional<c10::SymInt> m_elements;
    bool m_isLayoutKnown = false;
};

/// The fake tensor behind a tensor; null when it is none.
[[nodiscard]] FakeTensorImpl* asFake(const at::Tensor& tensor);

/// A fake tensor with a storage of its own, large enough for its strides and offset. Sizes and strides may be
/// symbolic, of `environment`'s symbols.
[[nodiscard]] at::Tensor makeFake(c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides,
                                  const c10::SymInt& offset, c10::ScalarType dtype, c10::Device device,
                                  const ShapeEnvironment& environment);

/// A fake tensor that views `base`'s storage.
[[nodiscard]] at::Tensor makeFakeView(const at::Tensor& base, c10::SymIntArrayRef sizes,
                                      c10::SymIntArrayRef strides, const c10::SymInt& offset,
                                      const ShapeEnvironment& environment);

/// A meta tensor as a fake one is for the values that symbols have in a check. Nothing where a size that is
/// an expression of them is 0 or 1 there, which PyTorch counts on not to be.
[[nodiscard]] std::optional<at::Tensor> metaForCheck(const FakeTensorImpl& fake, std::size_t check);

} // namespace aotscope::torch
