#pragma once

#include "torch_headers.h"

#include <c10/core/MemoryFormat.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

/// Meta tensors with a certain layout, and arithmetic on sizes for shape rules.
namespace aotscope::torch {

using Sizes = std::vector<std::int64_t>;

[[nodiscard]] Sizes sizesOf(const at::Tensor& tensor);

/// `torch.empty(sizes, dtype)`.
[[nodiscard]] at::Tensor newEmpty(at::IntArrayRef sizes, c10::ScalarType dtype);
/// `Tensor.new_empty(sizes, dtype)`: contiguous, dtype of `like` unless another is named.
[[nodiscard]] at::Tensor newEmpty(const at::Tensor& like, at::IntArrayRef sizes,
                                  std::optional<c10::ScalarType> dtype = std::nullopt);
/// The same laid out in a memory format (contiguous where the number of dimensions does not allow it).
[[nodiscard]] at::Tensor newEmpty(const at::Tensor& like, at::IntArrayRef sizes, c10::MemoryFormat format,
                                  std::optional<c10::ScalarType> dtype = std::nullopt);
[[nodiscard]] at::Tensor newStrided(const at::Tensor& like, at::IntArrayRef sizes, at::IntArrayRef strides,
                                    std::optional<c10::ScalarType> dtype = std::nullopt);
/// `torch.empty_like(like, memory_format=preserve_format)`: a dense tensor keeps its strides, any other
/// tensor the order of its dimensions.
[[nodiscard]] at::Tensor emptyLike(const at::Tensor& like,
                                   std::optional<c10::ScalarType> dtype = std::nullopt);
/// `torch.empty_like(like.expand(sizes))`.
[[nodiscard]] at::Tensor emptyLikeBroadcast(const at::Tensor& like, at::IntArrayRef sizes,
                                            std::optional<c10::ScalarType> dtype = std::nullopt);
/// `torch.empty_like(like, memory_format=contiguous_format)`.
[[nodiscard]] at::Tensor emptyContiguous(const at::Tensor& like,
                                         std::optional<c10::ScalarType> dtype = std::nullopt);
/// Matrices in column-major order, as LAPACK leaves them: strides (…, 1, rows).
[[nodiscard]] at::Tensor newColumnMajor(const at::Tensor& like, at::IntArrayRef sizes,
                                        std::optional<c10::ScalarType> dtype = std::nullopt);
/// Strides without gaps; `order` lists the dimensions from the outermost to the innermost.
[[nodiscard]] at::Tensor newPermuted(const at::Tensor& like, at::IntArrayRef sizes, at::IntArrayRef order,
                                     std::optional<c10::ScalarType> dtype = std::nullopt);

/// The dimensions of a tensor from the outermost to the innermost by their strides, with PyTorch's rules for
/// ties: the order of dimensions in a result that keeps the tensor's layout.
[[nodiscard]] Sizes outermostFirst(const at::Tensor& tensor);

[[nodiscard]] Sizes contiguousStrides(at::IntArrayRef sizes);

/// The layout of an elementwise result: the shape that all operands broadcast to, and its dimensions from the
/// outermost to the innermost. Follows torch 2.11, torch/_prims_common/__init__.py:
/// compute_elementwise_output_logical_to_physical_perm. (TensorIterator only differs where strides leave a
/// choice.)
struct ElementwiseLayout {
    Sizes sizes;
    Sizes order;
};
[[nodiscard]] ElementwiseLayout elementwiseLayout(std::span<const at::Tensor> operands);

/// A tensor of that layout; without `dtype` it has the type that PyTorch promotes the operands to.
[[nodiscard]] at::Tensor elementwise(std::span<const at::Tensor> operands,
                                     std::optional<c10::ScalarType> dtype = std::nullopt);
[[nodiscard]] inline at::Tensor elementwise(std::initializer_list<at::Tensor> operands,
                                            std::optional<c10::ScalarType> dtype = std::nullopt) {
    return elementwise(std::span(operands.begin(), operands.size()), dtype);
}

/// A single number repeated `count` times; other lists as they are, and `otherwise` for an empty one.
template<typename Number>
[[nodiscard]] std::vector<Number> repeated(std::vector<Number> values, std::size_t count,
                                           const std::vector<Number>& otherwise = {}) {
    if (values.size() == 1) {
        values.resize(count, values.front());
    }
    return values.empty() ? otherwise : values;
}
/// Sizes after reducing over `dims` (all of them when empty).
[[nodiscard]] Sizes reducedSizes(const at::Tensor& tensor, at::IntArrayRef dims, bool keepdim);

/// complex64 for float32 and so on; other types are unchanged.
[[nodiscard]] c10::ScalarType complexTypeOf(c10::ScalarType type);
/// The dtype results accumulate in: float32 for half and bfloat16, any other unchanged.
[[nodiscard]] c10::ScalarType computeTypeOf(c10::ScalarType type);
/// The default dtype for integers and bools; other types are unchanged.
[[nodiscard]] c10::ScalarType floatTypeOf(c10::ScalarType type);

} // namespace aotscope::torch
