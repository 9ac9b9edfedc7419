#pragma once

#include "fake/sample_arguments.h"
#include "fake/size_candidates.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Puts what an operator returned for each choice of the symbols' values together: fake tensors whose sizes,
/// strides and offset are expressions. They come from the operator's shape function and from the numbers of
/// its arguments; the values decide among them, and refuse them where none has these values.
class SampledResults {
public:
    /// All references must outlive it. `device`: of the results; `values`: which of the values of a number
    /// the samples and checks that are joined have; the samples come first.
    SampledResults(const FakeCall& call, const InPlaceArguments& inPlace, c10::Device device,
                   SizeCandidates candidates, std::vector<std::size_t> values);

    /// Result number `result`, given per choice of values. An argument that was changed in place comes back
    /// as itself. Throws c10::Error ("no shape function for …") where nothing known has the values, or the
    /// number of results or dimensions differs.
    [[nodiscard]] c10::IValue join(const std::vector<c10::IValue>& samples, std::size_t result);

private:
    /// Per choice of values; nothing: any will do.
    using Values = std::vector<std::optional<std::int64_t>>;

    [[nodiscard]] at::Tensor joinTensors(const std::vector<c10::IValue>& samples, std::size_t result);
    [[nodiscard]] at::Tensor fakeOf(std::vector<at::Tensor> metas, const SymbolicShape& shape);
    [[nodiscard]] c10::SymInt sizeOf(std::size_t dim, std::size_t dims, const Values& values,
                                     const SymbolicShape& shape);
    /// Strides are mostly those of what is viewed, or of a new tensor the products of the sizes behind them,
    /// each counted as one at least. `candidates` are what its offset may be.
    [[nodiscard]] SymbolicSizes stridesOf(const std::vector<at::Tensor>& metas, const SymbolicSizes& sizes,
                                          const SymbolicShape& shape, SymbolicSizes& candidates);
    /// Each dimension by itself, from the last one on.
    [[nodiscard]] SymbolicSizes eachStride(const std::vector<at::Tensor>& metas, const SymbolicSizes& sizes,
                                           SymbolicSizes& candidates);
    [[nodiscard]] c10::SymInt offsetOf(const std::vector<at::Tensor>& metas, const SymbolicShape& shape,
                                       SymbolicSizes candidates);
    /// The strides of memory without gaps, whose dimensions lie in this order, the innermost first.
    static SymbolicSizes denseStrides(const SymbolicSizes& sizes, const std::vector<std::size_t>& order,
                                      bool atLeastOne);
    /// Those of a dimension; any for a check where it has at most one element.
    [[nodiscard]] Values strideValues(const std::vector<at::Tensor>& metas, std::size_t dim) const;
    [[nodiscard]] bool areStrides(const SymbolicSizes& strides, const std::vector<at::Tensor>& metas) const;
    [[nodiscard]] bool hasValues(const c10::SymInt& number, const Values& values) const;
    /// The first that has the values, or the integer that all are. `what` names it to a person.
    [[nodiscard]] c10::SymInt among(const SymbolicSizes& candidates, const Values& values,
                                    const std::string& what) const;

    const FakeCall& m_call;
    const InPlaceArguments& m_inPlace;
    c10::Device m_device;
    SizeCandidates m_candidates;
    std::vector<std::size_t> m_values;
    /// The results lie in memory of an argument.
    bool m_views;
    bool m_returnsList;
};

} // namespace aotscope::torch
