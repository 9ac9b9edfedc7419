#pragma once

#include "torch_headers.h"

#include <optional>
#include <vector>

namespace aotscope::torch {

/// An operator that gives a tensor other sizes and strides in place (`transpose_`, `unsqueeze_`): PyTorch
/// runs it a second time on the tensor subclass alone, which looks whether the memory is large enough. Where
/// a trace records arithmetic as it happens, names count these questions.
class InPlaceView {
public:
    /// Remembers the tensor as it is before; nothing for other operators, or sizes that are plain numbers.
    InPlaceView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
    /// Asks, of the tensor as it has become.
    void ask(const at::Tensor& changed) const;

private:
    void askForGeometry(std::size_t dims) const;

    std::optional<c10::OperatorHandle> m_op;
    std::vector<c10::IValue> m_numbers;
    std::vector<c10::SymInt> m_sizes;
    std::vector<c10::SymInt> m_strides;
};

} // namespace aotscope::torch
