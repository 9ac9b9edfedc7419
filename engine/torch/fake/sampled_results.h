#pragma once

#include "dispatch/map_tensors.h"
#include "fake/fake_tensor.h"
#include "fake/size_candidates.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// An argument for one sample or check: meta tensors in place of fake and real tensors, integers in place of
/// symbolic ones. Throws c10::Error if a fake tensor has no meta tensor for the check (metaForCheck).
[[nodiscard]] c10::IValue metaArgument(const c10::IValue& value, std::size_t sample);

/// Whether an argument differs between samples.
[[nodiscard]] bool dependsOnSymbols(const c10::IValue& value);

/// The fake tensor among the arguments that a meta tensor belongs to, which an operator returned; null if it
/// is none of theirs. The arguments own it.
[[nodiscard]] const at::Tensor* argumentOf(const at::Tensor& meta, c10::ArrayRef<c10::IValue> arguments);

/// Joins what an operator returned for several values of the symbols into fake tensors whose sizes, strides
/// and offset are expressions. Candidates are what the operator's shape function gives and the numbers of its
/// arguments; one is taken only if it has the observed value in every sample and check.
class SampledResults {
public:
    /// All references must outlive it. `device`: of the results. `values`: for each call to be joined, which
    /// of a number's values it was computed for; samples come before checks.
    SampledResults(const FakeCall& call, c10::Device device, const SizeCandidates& candidates,
                   const std::vector<std::size_t>& values);

    /// Joins result number `result`, one sample per call. An argument that was changed in place is returned
    /// as itself. Throws c10::Error ("no shape function for …") if no candidate has the observed values, or
    /// if the calls differ in their numbers of results or dimensions.
    [[nodiscard]] c10::IValue join(const std::vector<c10::IValue>& samples, std::size_t result);

private:
    /// The observed values, one per call; nothing: any value fits.
    using Values = std::vector<std::optional<std::int64_t>>;

    [[nodiscard]] at::Tensor joinTensors(const std::vector<c10::IValue>& samples, std::size_t result);
    [[nodiscard]] at::Tensor fakeOf(std::vector<at::Tensor> metas, const SymbolicShape& shape);
    [[nodiscard]] c10::SymInt sizeOf(std::size_t dim, std::size_t dims, const Values& values,
                                     const SymbolicShape& shape);
    /// A view mostly has strides of the tensor it views; in a new tensor a stride is the product of the sizes
    /// behind it, each counted as at least one. Puts what the storage offset may be into `candidates`.
    [[nodiscard]] SymbolicSizes stridesOf(const std::vector<at::Tensor>& metas, const SymbolicSizes& sizes,
                                          const SymbolicShape& shape, SymbolicSizes& candidates);
    /// Finds the strides one by one, from the last dimension on.
    [[nodiscard]] SymbolicSizes eachStride(const std::vector<at::Tensor>& metas, const SymbolicSizes& sizes,
                                           SymbolicSizes& candidates);
    [[nodiscard]] c10::SymInt offsetOf(const std::vector<at::Tensor>& metas, const SymbolicShape& shape,
                                       SymbolicSizes candidates);
    /// The strides of memory without gaps; `order` lists the dimensions from the innermost outwards.
    static SymbolicSizes denseStrides(const SymbolicSizes& sizes, const std::vector<std::size_t>& order,
                                      bool atLeastOne);
    /// The observed strides of a dimension. In a check, any stride fits a dimension of at most one element.
    [[nodiscard]] Values strideValues(const std::vector<at::Tensor>& metas, std::size_t dim) const;
    [[nodiscard]] bool areStrides(const SymbolicSizes& strides, const std::vector<at::Tensor>& metas) const;
    [[nodiscard]] bool hasValues(const c10::SymInt& number, const Values& values) const;
    /// The first candidate with these values, or the integer that all values are. Throws c10::Error if there
    /// is none; `what` names the number in its message.
    [[nodiscard]] c10::SymInt among(const SymbolicSizes& candidates, const Values& values,
                                    const std::string& what) const;

    const FakeCall& m_call;
    c10::Device m_device;
    const SizeCandidates& m_candidates;
    const std::vector<std::size_t>& m_values;
    /// Whether results are views of an argument.
    bool m_views;
    bool m_returnsList;
};

} // namespace aotscope::torch
