#pragma once

#include "fake/size_candidates.h"
#include "fake/variant_arguments.h"

#include <optional>
#include <vector>

namespace aotscope::torch {

/// Puts what an operator returned for each choice of the symbols' values together: fake tensors whose sizes,
/// strides and offset are expressions that take these values.
class VariantResults {
public:
    /// All references must outlive it. `device`: of the results; `views`: they lie in memory of an argument.
    VariantResults(const c10::OperatorHandle& op, const InPlaceArguments& inPlace, c10::Device device,
                   ShapeEnvironment& environment, SizeCandidates candidates, bool views)
        : m_op(op),
          m_inPlace(inPlace),
          m_device(device),
          m_environment(environment),
          m_candidates(std::move(candidates)),
          m_views(views) {}

    /// One result, given per choice of values. An argument that was changed in place comes back as itself.
    /// Throws c10::Error where no expression has the values, or the number of results or dimensions differs.
    [[nodiscard]] c10::IValue join(const std::vector<c10::IValue>& variants);

private:
    using Sizes = std::vector<c10::SymInt>;

    [[nodiscard]] at::Tensor joinTensors(const std::vector<c10::IValue>& variants);
    [[nodiscard]] at::Tensor fakeOf(std::vector<at::Tensor> metas);
    [[nodiscard]] bool returnsList() const;
    [[nodiscard]] c10::SymInt sizeOf(std::size_t dim, std::size_t dims,
                                     const std::vector<std::int64_t>& values);
    /// Strides are mostly those of what is viewed, or of a new tensor the products of the sizes behind them,
    /// each counted as one at least. `candidates` are what its offset may be.
    [[nodiscard]] Sizes stridesOf(const std::vector<at::Tensor>& metas, const Sizes& sizes,
                                  Sizes& candidates);
    /// Each dimension by itself, from the last one on.
    [[nodiscard]] Sizes solvedStrides(const std::vector<at::Tensor>& metas, const Sizes& sizes,
                                      Sizes& candidates);
    /// The strides of memory without gaps, whose dimensions lie in this order, the innermost first.
    static Sizes denseStrides(const Sizes& sizes, const std::vector<std::size_t>& order, bool atLeastOne);
    static bool areStrides(const Sizes& strides, const std::vector<at::Tensor>& metas);
    [[nodiscard]] static bool hasValues(const c10::SymInt& number, const std::vector<std::int64_t>& values);
    /// `what` names the number to a person, with the dimension it belongs to.
    [[nodiscard]] c10::SymInt solved(const std::vector<std::int64_t>& values,
                                     const std::vector<c10::SymInt>& candidates, const char* what,
                                     std::optional<std::int64_t> dimension);

    const c10::OperatorHandle& m_op;
    const InPlaceArguments& m_inPlace;
    c10::Device m_device;
    ShapeEnvironment& m_environment;
    SizeCandidates m_candidates;
    bool m_views;
};

} // namespace aotscope::torch
