#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include "ir/argument.h"

#include <optional>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Which node of which recording produced a fake tensor; the counterpart of a proxy slot (torch 2.11,
/// torch/fx/experimental/proxy_tensor.py: set_proxy_slot). Recording 0: none.
struct GraphValue {
    std::uint64_t recording = 0;
    ir::NodeId node;
};

/// The symbols that exist for a tensor's data, so that a second query returns the same ones. Follows torch
/// 2.11, torch/_subclasses/fake_tensor.py: FakeTensor.nonzero_memo and its siblings.
struct DataMemo {
    std::optional<c10::SymInt> nonzeroCount;
    std::optional<c10::SymInt> uniqueCount;
    std::optional<c10::SymInt> uniqueConsecutiveCount;
    std::optional<c10::IValue> item;
};

/// A tensor with shape, strides, dtype, device and aliasing but without data. Follows torch 2.11,
/// torch/_subclasses/fake_tensor.py: FakeTensor.
///
/// It wraps meta tensors, one per *sample*: a graph with symbols is computed for several values of its
/// symbols at once, and a size that differs between samples is an expression of the symbols. Without symbols
/// there is one sample. A view shares the storage of the meta tensors it views, so LibTorch tracks aliasing.
/// The dispatch keys are those of an ordinary tensor of the device, plus traceKey, whose boxed
/// fallback handles every call.
class FakeTensorImpl final : public c10::TensorImpl {
public:
    /// `samples` holds at least one meta tensor. Give `sizes`, `strides` and `offset` if the samples differ;
    /// without them those of the only sample are used.
    FakeTensorImpl(std::vector<at::Tensor> samples, c10::Device device);
    FakeTensorImpl(std::vector<at::Tensor> samples, c10::Device device, c10::SymIntArrayRef sizes,
                   c10::SymIntArrayRef strides, const c10::SymInt& offset);

    [[nodiscard]] const std::vector<at::Tensor>& samples() const { return m_samples; }
    [[nodiscard]] const GraphValue& graphValue() const { return m_value; }
    void setGraphValue(GraphValue value) { m_value = value; }
    [[nodiscard]] DataMemo& memo() { return m_memo; }
    /// The value of a constant (callOnConstants); undefined if only a run knows it.
    [[nodiscard]] const at::Tensor& constant() const { return m_constant; }
    void setConstant(at::Tensor values) { m_constant = std::move(values); }
    /// The number of elements as a separate symbolic number, which a graph reads off this tensor
    /// (`sym_numel`).
    [[nodiscard]] c10::SymInt elements(ShapeEnvironment& environment);
    /// Whether its contiguity is already known, which saves comparing sizes and strides.
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

/// The fake tensor behind a tensor; null for any other tensor.
[[nodiscard]] FakeTensorImpl* asFake(const at::Tensor& tensor);

/// A fake tensor with its own storage, large enough for its strides and offset. Sizes and strides may be
/// expressions of `environment`'s symbols.
[[nodiscard]] at::Tensor makeFake(c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides,
                                  const c10::SymInt& offset, c10::ScalarType dtype, c10::Device device,
                                  const ShapeEnvironment& environment);

/// A fake tensor that views `base`'s storage, with `base`'s dtype unless `dtype` says another.
[[nodiscard]] at::Tensor makeFakeView(const at::Tensor& base, c10::SymIntArrayRef sizes,
                                      c10::SymIntArrayRef strides, const c10::SymInt& offset,
                                      const ShapeEnvironment& environment,
                                      std::optional<c10::ScalarType> dtype = {});

/// A meta tensor with the sizes that `fake` has for the symbols' values in a check. Nothing if a symbolic
/// size is 0 or 1 there: PyTorch assumes that symbolic sizes are at least 2.
[[nodiscard]] std::optional<at::Tensor> metaForCheck(const FakeTensorImpl& fake, std::size_t check);

} // namespace aotscope::torch
