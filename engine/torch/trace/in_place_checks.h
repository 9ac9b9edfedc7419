#pragma once

#include "fake/reference_layout.h"

#include <string_view>
#include <unordered_map>

namespace aotscope::torch {

/// The call of an in-place operator and the tensor that it changes, with operators on that and on
/// intermediate results; all have its element size.
class Changed {
public:
    using Layout = reference::Layout;
    static constexpr std::int64_t truthBytes = 1;

    explicit Changed(c10::ArrayRef<c10::IValue> arguments)
        : m_arguments(arguments), m_tensor(arguments[0].toTensor()), m_layout(m_tensor) {}

    /// The tensor as an operand.
    operator const Layout&() const { return m_layout; } // NOLINT: reads as the tensor itself
    [[nodiscard]] const Layout& layout() const { return m_layout; }
    [[nodiscard]] const at::Tensor& tensor() const { return m_tensor; }
    [[nodiscard]] std::int64_t itemSize() const {
        return static_cast<std::int64_t>(m_tensor.dtype().itemsize());
    }
    [[nodiscard]] c10::ArrayRef<c10::IValue> arguments() const { return m_arguments; }
    [[nodiscard]] const c10::IValue& argument(std::size_t index) const { return m_arguments[index]; }

    /// An elementwise primitive on tensors of equal shape.
    [[nodiscard]] Layout primitive(const Layout& x) const { return reference::elementwise({x}, itemSize()); }
    /// An elementwise operator that broadcasts its operands first.
    [[nodiscard]] Layout of(const std::vector<Layout>& operands) const {
        return reference::broadcastElementwise(operands, itemSize());
    }
    [[nodiscard]] static Layout truthOf(const std::vector<Layout>& operands) {
        return reference::broadcastElementwise(operands, truthBytes);
    }
    /// The operands and one more; a number is left out, because it is not broadcast.
    [[nodiscard]] static std::vector<Layout> with(std::vector<Layout> operands, const c10::IValue& operand) {
        if (operand.isTensor()) {
            operands.emplace_back(operand.toTensor());
        }
        return operands;
    }
    /// Writes the result as an out variant does.
    void becomes(const Layout& result) const { reference::copyInto(m_tensor, result); }
    /// Writes the result as a decomposition does, without a check of its memory size.
    void copies(const Layout& result) const { reference::copyBack(m_tensor, result); }

private:
    c10::ArrayRef<c10::IValue> m_arguments;
    at::Tensor m_tensor;
    Layout m_layout;
};

/// The size checks of in-place operators, by the name with its overload ("aten::pow_.Scalar"), or without it
/// where all overloads have the same ("aten::eq_").
using InPlaceQuestions = std::unordered_map<std::string_view, void (*)(const Changed& x)>;

/// Those of operators whose reference implementation creates intermediate tensors: cumulative sums, random
/// numbers, matrix products. Follows torch 2.11, torch/_refs/__init__.py, torch/_decomp/decompositions.py and
/// torch/_meta_registrations.py.
[[nodiscard]] const InPlaceQuestions& inPlaceReferences();

/// Repeats the size checks of PyTorch's shape function for an in-place operator, which functionalization runs
/// on meta tensors before it calls the functional operator. A trace records this symbolic arithmetic, so its
/// nodes take FX names (`eq_1`) even though dead code removal erases them. Does nothing for operators without
/// checks. Follows torch 2.11, torch/_meta_registrations.py and torch/_refs/__init__.py.
void checkAsInPlace(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
