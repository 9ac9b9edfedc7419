#pragma once

#include "torch_headers.h"

#include <optional>
#include <vector>

namespace aotscope::torch {

/// An operator that changes a tensor's sizes and strides in place (`transpose_`, `unsqueeze_`). PyTorch runs
/// it a second time on the FunctionalTensor wrapper alone, to update its metadata; that run checks the
/// storage size. A trace records this symbolic arithmetic, so its nodes take FX names. Follows torch 2.11,
/// torch/_subclasses/functional_tensor.py: FunctionalTensorMode.__torch_dispatch__ (inplace_view).
class InPlaceView {
public:
    /// Saves the sizes and strides before the operator runs. Does nothing for other operators or plain sizes.
    InPlaceView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
    /// Repeats the checks on the changed tensor.
    void ask(const at::Tensor& changed) const;

private:
    void askForGeometry(std::size_t dims) const;

    std::optional<c10::OperatorHandle> m_op;
    std::vector<c10::IValue> m_numbers;
    std::vector<c10::SymInt> m_sizes;
    std::vector<c10::SymInt> m_strides;
};

} // namespace aotscope::torch
