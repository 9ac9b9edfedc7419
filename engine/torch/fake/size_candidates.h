#pragma once

#include "fake/shape_environment.h"
#include "fake/window_sizes.h"

#include "torch_headers.h"

#include <optional>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// The numbers that an operator's results are likely to have as sizes: what its arguments have or are, and
/// what slides over them leaves. Which of equal ones a result takes decides which node a graph reads it from.
class SizeCandidates {
public:
    SizeCandidates() = default;
    SizeCandidates(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                   ShapeEnvironment& environment);

    /// For dimension `dim` of a result of `dims` dimensions, likeliest first.
    [[nodiscard]] std::vector<c10::SymInt> ofDimension(std::size_t dim, std::size_t dims) const;
    [[nodiscard]] const std::vector<c10::SymInt>& all() const { return m_all; }
    /// The strides of a result of `dims` dimensions, where they are known; empty otherwise.
    [[nodiscard]] std::vector<c10::SymInt> resultStrides(std::size_t dims) const {
        return m_givenStrides.size() == dims ? m_givenStrides : std::vector<c10::SymInt>();
    }
    /// Those that are strides of the arguments.
    [[nodiscard]] const std::vector<c10::SymInt>& strides() const { return m_strides; }

private:
    void add(const c10::IValue& value, ShapeEnvironment& environment);

    std::vector<c10::SymInt> m_all;
    std::vector<c10::SymInt> m_strides;
    WindowSizes m_windows;
    /// Sizes that are asked for.
    std::vector<c10::SymInt> m_given;
    std::vector<c10::SymInt> m_givenStrides;
    /// Sizes of the tensors among the arguments, in the order a view puts the first one's.
    std::vector<std::vector<c10::SymInt>> m_tensors;
    /// A dimension as long as an index has elements.
    std::optional<std::pair<std::size_t, c10::SymInt>> m_indexed;
};

} // namespace aotscope::torch
