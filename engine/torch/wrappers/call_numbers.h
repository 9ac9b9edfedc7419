#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <optional>

/// How far apart the numbers of a compiled call and of an eager one are, and may be.
namespace aotscope::torch {

/// How far numbers may be apart, as a fraction of the largest magnitude of the eager tensor.
class CallTolerance {
public:
    /// Of the narrowest float type that the graph computes in.
    explicit CallTolerance(const ir::Graph& graph);
    [[nodiscard]] double of(c10::ScalarType type) const;

private:
    double m_ofGraph = 0;
};

/// The largest difference as a fraction of the largest magnitude of `eager`, which has the same sizes.
/// Nothing for tensors without elements; infinite if NaNs or infinities lie elsewhere.
[[nodiscard]] std::optional<double> relativeError(const at::Tensor& compiled, const at::Tensor& eager);

} // namespace aotscope::torch
