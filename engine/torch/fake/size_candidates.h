#pragma once

#include "fake/operator_model.h"

#include "torch_headers.h"

#include <vector>

namespace aotscope::torch {

/// The numbers that an operator's results are likely to have as sizes: what its arguments have or are, and
/// what slides over them leaves. Which of equal ones a result takes decides which node a graph reads it from.
class SizeCandidates {
public:
    SizeCandidates() = default;
    explicit SizeCandidates(const FakeCall& call);

    /// What the operator's shape function, or an argument that asks for sizes, says of a result: which one,
    /// or which item of a list.
    [[nodiscard]] const SymbolicShape& shapeOf(std::size_t result) const;
    /// The sizes that arguments have in the place of dimension `dim` of a result of `dims` dimensions,
    /// counted from the last one. `alike`: only of arguments that the result is broadcast from, or has as
    /// many dimensions as.
    [[nodiscard]] SymbolicSizes ofDimension(std::size_t dim, std::size_t dims, bool alike) const;
    [[nodiscard]] const SymbolicSizes& all() const { return m_all; }
    /// The strides of the first tensor as a view of as many dimensions puts them; empty for other results.
    [[nodiscard]] SymbolicSizes viewStrides(std::size_t dims) const {
        return m_viewStrides.size() == dims ? m_viewStrides : SymbolicSizes();
    }
    /// Those that are strides of the arguments.
    [[nodiscard]] const SymbolicSizes& strides() const { return m_strides; }

private:
    void inferOpenSize(const FakeCall& call, SymbolicSizes& asked);
    void add(const c10::IValue& value, ShapeEnvironment& environment);

    SymbolicSizes m_all;
    SymbolicSizes m_strides;
    bool m_broadcasts = false;
    std::vector<SymbolicShape> m_shapes;
    SymbolicSizes m_viewStrides;
    /// Sizes of the tensors among the arguments, in the order a view puts the first one's.
    std::vector<SymbolicSizes> m_tensors;
};

} // namespace aotscope::torch
