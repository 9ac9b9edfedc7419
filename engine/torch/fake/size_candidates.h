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

    /// For dimension `dim` of a result of `dims` dimensions, likeliest first: what rules and the arguments'
    /// sizes in that place say.
    [[nodiscard]] std::vector<c10::SymInt> ofDimension(std::size_t dim, std::size_t dims) const {
        return likely(dim, dims, false);
    }
    /// Of those the ones that the result has where they fit: by rule, or of arguments that it is broadcast
    /// from or has as many dimensions as.
    [[nodiscard]] std::vector<c10::SymInt> sureOfDimension(std::size_t dim, std::size_t dims) const {
        return likely(dim, dims, true);
    }
    [[nodiscard]] const std::vector<c10::SymInt>& all() const { return m_all; }
    /// The strides of a result of `dims` dimensions, where they are known; empty otherwise.
    [[nodiscard]] std::vector<c10::SymInt> resultStrides(std::size_t dims) const {
        return m_givenStrides.size() == dims     ? m_givenStrides
               : m_further.second.size() == dims ? m_further.second
                                                 : std::vector<c10::SymInt>();
    }
    /// The strides of the first tensor as a view of as many dimensions puts them; empty for other results.
    [[nodiscard]] std::vector<c10::SymInt> viewStrides(std::size_t dims) const {
        return m_viewStrides.size() == dims ? m_viewStrides : std::vector<c10::SymInt>();
    }
    /// Those that are strides of the arguments.
    [[nodiscard]] const std::vector<c10::SymInt>& strides() const { return m_strides; }

private:
    [[nodiscard]] std::vector<c10::SymInt> likely(std::size_t dim, std::size_t dims, bool sure) const;
    void inferOpenSize(c10::ArrayRef<c10::IValue> arguments, ShapeEnvironment& environment);
    void add(const c10::IValue& value, ShapeEnvironment& environment);

    std::vector<c10::SymInt> m_all;
    std::vector<c10::SymInt> m_strides;
    WindowSizes m_windows;
    bool m_broadcasts = false;
    /// Sizes that are asked for.
    std::vector<c10::SymInt> m_given;
    std::vector<c10::SymInt> m_givenStrides;
    /// Sizes and strides of a result that has other dimensions than the first.
    std::pair<std::vector<c10::SymInt>, std::vector<c10::SymInt>> m_further;
    std::vector<c10::SymInt> m_viewStrides;
    /// Sizes of the tensors among the arguments, in the order a view puts the first one's.
    std::vector<std::vector<c10::SymInt>> m_tensors;
    /// A dimension as long as an index has elements.
    std::optional<std::pair<std::size_t, c10::SymInt>> m_indexed;
};

} // namespace aotscope::torch
