#pragma once

#include "torch_headers.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// What PyTorch's references (`torch._refs`, `torch._prims`) ask of sizes and strides. Where a trace records
/// arithmetic as it happens, each question is a node: nothing uses it, and later nodes are numbered after it.
namespace aotscope::torch::reference {

/// `guard_or_false` and `guard_or_true`: the answer where the symbols leave but one, else this.
bool orFalse(const c10::SymBool& question);
bool orTrue(const c10::SymBool& question);

/// A tensor as references see it.
class Layout {
public:
    explicit Layout(at::Tensor tensor);
    Layout(std::vector<c10::SymInt> sizes, std::vector<c10::SymInt> strides)
        : m_sizes(std::move(sizes)), m_strides(std::move(strides)) {}

    [[nodiscard]] const std::vector<c10::SymInt>& sizes() const { return m_sizes; }
    [[nodiscard]] const std::vector<c10::SymInt>& strides() const { return m_strides; }
    [[nodiscard]] std::size_t dims() const { return m_sizes.size(); }
    /// Counted when first asked for.
    [[nodiscard]] const c10::SymInt& elements() const;

private:
    at::Tensor m_tensor;
    std::vector<c10::SymInt> m_sizes;
    std::vector<c10::SymInt> m_strides;
    /// Shared by copies, which are the same tensor.
    std::shared_ptr<std::optional<c10::SymInt>> m_elements = std::make_shared<std::optional<c10::SymInt>>();
};

/// `left < right` and `left <= right` as Python asks: a number that is no symbol leaves it to the other.
[[nodiscard]] c10::SymBool isLess(const c10::SymInt& left, const c10::SymInt& right);
[[nodiscard]] c10::SymBool isAtMost(const c10::SymInt& left, const c10::SymInt& right);

/// `tuple(left) == tuple(right)`
bool sameShape(const std::vector<c10::SymInt>& left, const std::vector<c10::SymInt>& right);
/// `is_contiguous_or_false`
[[nodiscard]] bool isContiguous(const Layout& layout);
/// `contiguous(tensor)`
[[nodiscard]] at::Tensor contiguous(const at::Tensor& tensor);

/// `_broadcast_shapes`
std::vector<c10::SymInt> broadcastShapes(const std::vector<std::vector<c10::SymInt>>& shapes);
/// `empty_like`
[[nodiscard]] Layout emptyLike(const Layout& layout, std::int64_t itemSize);
/// `_maybe_broadcast`
[[nodiscard]] std::vector<Layout> broadcast(const std::vector<Layout>& operands);
/// The same of tensors, but for numbers on the CPU: those whose sizes differ are expanded.
[[nodiscard]] std::vector<at::Tensor> broadcastTensors(const std::vector<at::Tensor>& tensors);
/// What is asked for the strides of an elementwise operator's result, to compare it with (`lerp`).
void askElementwiseStrides(const std::vector<Layout>& operands, const at::Tensor& result);
/// What a primitive makes of tensors of one shape; their elements take `itemSize` bytes.
[[nodiscard]] Layout elementwise(const std::vector<Layout>& operands, std::int64_t itemSize);
/// The same after operands were broadcast to one shape; numbers among them are left out.
[[nodiscard]] Layout broadcastElementwise(const std::vector<Layout>& operands, std::int64_t itemSize);

/// `empty`
[[nodiscard]] Layout empty(const std::vector<c10::SymInt>& sizes, std::int64_t itemSize);
/// `empty_strided`
[[nodiscard]] Layout emptyStrided(std::vector<c10::SymInt> sizes, std::vector<c10::SymInt> strides,
                                  std::int64_t itemSize);
/// The same with strides that `make_contiguous_strides_for` makes.
[[nodiscard]] Layout newStrided(const std::vector<c10::SymInt>& sizes, std::int64_t itemSize);
/// `arange(end)`
[[nodiscard]] Layout arange(const c10::SymInt& end, std::int64_t itemSize);
/// `unsqueeze`, the dimension counted from the first.
[[nodiscard]] Layout unsqueeze(const Layout& layout, std::size_t dim);
/// `layout.contiguous()`: looks before it copies.
[[nodiscard]] Layout contiguousCopy(const Layout& layout, std::int64_t itemSize);

/// `layout.to(dtype)`, of another type than it has.
[[nodiscard]] Layout converted(const Layout& layout, std::int64_t itemSize);
/// `expand_copy` to the sizes of what it is copied to, where they are others.
void expandCopy(const Layout& layout, const std::vector<c10::SymInt>& sizes, std::int64_t itemSize);

/// The result of an operator is copied to the tensor that it changes.
void copyBack(const at::Tensor& changed, const Layout& result);
void copyBack(const Layout& changed, const Layout& result);
/// The same after a look whether that tensor has the result's sizes.
void copyInto(const at::Tensor& changed, const Layout& result);
void copyInto(const Layout& changed, const Layout& result);

} // namespace aotscope::torch::reference
