#pragma once

#include "torch_headers.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

/// The comparisons of sizes and strides that PyTorch's reference operators make. Where a trace records
/// arithmetic as it happens, each one is a node: unused, but later nodes are numbered after it. Follows torch
/// 2.11, torch/_refs/__init__.py, torch/_prims/__init__.py and torch/_prims_common/__init__.py; each comment
/// names the Python function.
namespace aotscope::torch::reference {

using Sizes = std::vector<c10::SymInt>;

/// `guard_or_false` and `guard_or_true` (torch/fx/experimental/symbolic_shapes.py).
bool orFalse(const c10::SymBool& question);
bool orTrue(const c10::SymBool& question);

/// The sizes and strides of a tensor, as reference operators see them.
class Layout {
public:
    explicit Layout(at::Tensor tensor);
    Layout(Sizes sizes, Sizes strides)
        : m_sizes(std::move(sizes)), m_read(std::make_shared<Read>(Read{std::move(strides), {}})) {}

    [[nodiscard]] const Sizes& sizes() const { return m_sizes; }
    /// Those of a tensor are read by the first call.
    [[nodiscard]] const Sizes& strides() const;
    [[nodiscard]] std::size_t dims() const { return m_sizes.size(); }
    /// The number of elements, computed by the first call.
    [[nodiscard]] const c10::SymInt& elements() const;

private:
    /// What is read of the tensor when it is needed.
    struct Read {
        std::optional<Sizes> strides;
        std::optional<c10::SymInt> elements;
    };

    at::Tensor m_tensor;
    Sizes m_sizes;
    /// Shared by copies, which stand for the same tensor.
    std::shared_ptr<Read> m_read = std::make_shared<Read>();
};

/// `left < right` and `left <= right` as Python evaluates them: if only the right side is symbolic, its
/// reflected operator is called.
[[nodiscard]] c10::SymBool isLess(const c10::SymInt& left, const c10::SymInt& right);
[[nodiscard]] c10::SymBool isAtMost(const c10::SymInt& left, const c10::SymInt& right);

/// `tuple(left) == tuple(right)`
bool sameShape(const Sizes& left, const Sizes& right);
/// `is_contiguous_or_false`
[[nodiscard]] bool isContiguous(const Layout& layout);
/// `contiguous(tensor)`
[[nodiscard]] at::Tensor contiguous(const at::Tensor& tensor);

/// The order of dimensions in memory, outermost first. `sameShapes`: the shapes are known to be equal and are
/// not compared (`compute_elementwise_output_logical_to_physical_perm`).
[[nodiscard]] std::vector<std::int64_t> memoryOrder(const std::vector<Layout>& layouts,
                                                    bool sameShapes = false);

/// The order of dimensions of an elementwise result, outermost first. `comesInside(a, b)`: positive if
/// dimension `a` belongs inside `b`, negative if outside of it, 0 if no operand decides
/// (`compute_elementwise_output_logical_to_physical_perm`).
template<typename ComesInside>
[[nodiscard]] std::vector<std::int64_t> commonOrder(std::size_t dims, bool allContiguous,
                                                    bool allChannelsLast, const ComesInside& comesInside) {
    std::vector<std::int64_t> order(dims);
    std::iota(order.begin(), order.end(), 0);
    if (dims < 2 || (allContiguous && !allChannelsLast)) {
        return order;
    }
    if (allChannelsLast && !allContiguous) {
        return {0, 2, 3, 1};
    }
    // Insertion sort from the innermost dimension outwards, because the comparison is no total order.
    std::reverse(order.begin(), order.end());
    for (std::size_t i = 1; i < dims; ++i) {
        std::size_t moving = i;
        for (std::size_t before = i; before-- > 0;) {
            const int comparison =
                comesInside(static_cast<std::size_t>(order[before]), static_cast<std::size_t>(order[moving]));
            if (comparison < 0) {
                break;
            }
            if (comparison > 0) {
                std::swap(order[before], order[moving]);
                moving = before;
            }
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

/// `_broadcast_shapes`
Sizes broadcastShapes(const std::vector<Sizes>& shapes);
/// `empty_like`
[[nodiscard]] Layout emptyLike(const Layout& layout, std::int64_t itemSize);
/// `_maybe_broadcast`
[[nodiscard]] std::vector<Layout> broadcast(const std::vector<Layout>& operands);
/// The same for tensors. Zero-dimensional CPU tensors stay as they are; others are expanded where sizes
/// differ.
[[nodiscard]] std::vector<at::Tensor> broadcastTensors(const std::vector<at::Tensor>& tensors);
/// Computes the strides of an elementwise result and compares those of `result` with them, as `lerp` does.
void askElementwiseStrides(const std::vector<Layout>& operands, const at::Tensor& result);
/// The result of an elementwise primitive on operands of one shape (`_prim_elementwise_meta`). `itemSize` is
/// in bytes, here and below.
[[nodiscard]] Layout elementwise(const std::vector<Layout>& operands, std::int64_t itemSize);
/// The same after the operands were broadcast; leave out those that are numbers.
[[nodiscard]] Layout broadcastElementwise(const std::vector<Layout>& operands, std::int64_t itemSize);

/// `empty`
[[nodiscard]] Layout empty(const Sizes& sizes, std::int64_t itemSize);
/// `empty_strided`
[[nodiscard]] Layout emptyStrided(Sizes sizes, Sizes strides, std::int64_t itemSize);
/// `empty_strided` with the strides of `make_contiguous_strides_for`.
[[nodiscard]] Layout newStrided(const Sizes& sizes, std::int64_t itemSize);
/// `arange(end)`
[[nodiscard]] Layout arange(const c10::SymInt& end, std::int64_t itemSize);
/// `unsqueeze`; `dim` counts from 0.
[[nodiscard]] Layout unsqueeze(const Layout& layout, std::size_t dim);
/// `layout.contiguous()`: a copy unless it is contiguous.
[[nodiscard]] Layout contiguousCopy(const Layout& layout, std::int64_t itemSize);

/// `layout.to(dtype)` with another dtype.
[[nodiscard]] Layout converted(const Layout& layout, std::int64_t itemSize);
/// `expand_copy` to `sizes`, if the tensor has others.
void expandCopy(const Layout& layout, const Sizes& sizes, std::int64_t itemSize);

/// Copies an operator's result into the tensor that it changes in place.
void copyBack(const at::Tensor& changed, const Layout& result);
void copyBack(const Layout& changed, const Layout& result);
/// The same, after a comparison of the sizes.
void copyInto(const at::Tensor& changed, const Layout& result);
void copyInto(const Layout& changed, const Layout& result);

} // namespace aotscope::torch::reference
