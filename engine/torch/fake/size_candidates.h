#pragma once

#include "fake/operator_model.h"

#include "torch_headers.h"

#include <vector>

namespace aotscope::torch {

/// Numbers that may be sizes of an operator's results: the sizes and values of its arguments, and what its
/// shape function gives. Where several are equal, the one that is taken decides which node a graph reads the
/// size from.
class SizeCandidates {
public:
    SizeCandidates() = default;
    explicit SizeCandidates(const FakeCall& call);

    /// The symbolic shape of result number `result`, or of that item of a list, as the shape function or a
    /// `size` argument gives it.
    [[nodiscard]] const SymbolicShape& shapeOf(std::size_t result) const;
    /// The sizes that arguments have in dimension `dim` of a result of `dims` dimensions, aligned at the last
    /// dimension. `sameRank`: only of arguments that are broadcast to the result or have as many dimensions.
    [[nodiscard]] SymbolicSizes ofDimension(std::size_t dim, std::size_t dims, bool sameRank) const;
    [[nodiscard]] const SymbolicSizes& all() const { return m_all; }
    /// The strides of the first tensor; empty for another number of dimensions.
    [[nodiscard]] SymbolicSizes firstStrides(std::size_t dims) const {
        return m_firstStrides.size() == dims ? m_firstStrides : SymbolicSizes();
    }
    /// The strides of the arguments.
    [[nodiscard]] const SymbolicSizes& strides() const { return m_strides; }

private:
    void inferOpenSize(const FakeCall& call, SymbolicSizes& asked);
    void add(const c10::IValue& value, ShapeEnvironment& environment);

    SymbolicSizes m_all;
    SymbolicSizes m_strides;
    bool m_broadcasts = false;
    std::vector<SymbolicShape> m_shapes;
    SymbolicSizes m_firstStrides;
    /// The sizes of each tensor argument.
    std::vector<SymbolicSizes> m_tensors;
};

} // namespace aotscope::torch
